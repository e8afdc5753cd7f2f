import { describe, expect, test } from 'vitest';
import { callsSeen, runsOf } from '../../../src/operations/calls-seen.js';
import { flowsIn, worksOf } from '../../../src/operations/harvest.js';
import { taskRecord } from '../../fixtures/task-record.js';
import { agent, lowLevel, registryOf } from '../temporary-project.js';

const at = (minute: number): string => `2026-11-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
const SCRIPT = 'modules/a/workdocs/scripts/x.sh';
const call = (path: string, ability: string, script = SCRIPT) => ({
  path,
  call: ability,
  runs: { kind: 'script' as const, script, digest: 'd' },
  given: { value: null },
});

describe('pieces of work', () => {
  test('are runs, sessions, and tasks that one person started in close succession, in order of time', () => {
    const records = [
      taskRecord({ task_key: 'late', ability: 'd', created_at: at(40) }),
      taskRecord({ task_key: 's2', ability: 'b', session: 's', created_at: at(30) }),
      taskRecord({ task_key: 's1', ability: 'a', session: 's', created_at: at(1) }),
      taskRecord({ task_key: 'r1', ability: 'c', session: 's', run: 'r', created_at: at(2) }),
      taskRecord({ task_key: 't1', ability: 'a', created_at: at(3) }),
      taskRecord({ task_key: 't2', ability: 'b', created_at: at(12) }),
    ];
    expect(worksOf(records).map(({ id, calls }) => [id, calls.map(({ ability }) => ability)])).toEqual([
      ['session:s', ['a', 'b']],
      ['run:r', ['c']],
      ['from:t1', ['a', 'b']],
      ['from:late', ['d']],
    ]);
  });

  test('contain only what succeeded, and no calls that a task made itself', () => {
    const records = [
      taskRecord({ task_key: 'k', ability: 'a', status: 'failed' }),
      taskRecord({ task_key: 'k/child', ability: 'b' }),
    ];
    expect(worksOf(records)).toEqual([]);
  });
});

describe('calls in the turns of an agent (R-000-94)', () => {
  const turn = (at: number, ability: string, more: object = { gave: { value: 1 } }) => ({
    ...call(`turns/${at}/calls/0/${ability}`, ability),
    ...more,
  });

  test('are a separate piece of work, without models and failed calls', () => {
    const model = {
      ...call('turns/0/model', 'model:m'),
      runs: { kind: 'model' as const, model: 'm', digest: 'd' },
      gave: { value: 1 },
    };
    const calls = [model, turn(0, 'a'), turn(1, 'b', { error: { code: 'x', message: 'y' } }), turn(2, 'c')];
    const works = worksOf([taskRecord({ task_key: 'k', ability: 'helper', session: 's', calls })]);
    expect(works.map(({ id, calls }) => [id, calls.map(({ ability }) => ability)])).toEqual([
      ['session:s', ['helper']],
      ['agent:k', ['a', 'c']],
    ]);
  });

  test('count as calls of the abilities', () => {
    const records = [
      taskRecord({ task_key: 'k', ability: 'helper', created_at: at(2), calls: [turn(0, 'a'), turn(1, 'a')] }),
    ];
    expect(callsSeen({ usage: [], records, tasks: undefined }).get('a')).toEqual({ calls: 2, last_used: at(2) });
  });
});

describe('the known calls', () => {
  test('are those of the source that counted the most, never the sum, with the most recent time of all (R-000-94)', () => {
    const usage = [{ ability_id: 'a', calls: 3, failures: 0, last_used: at(3) }];
    const records = [taskRecord({ task_key: 'k', ability: 'a', created_at: at(9), calls: [call('run', 'a')] })];
    const tasks = [{ ability_id: 'a', started_at: at(5) }];
    expect(callsSeen({ usage, records, tasks })).toEqual(new Map([['a', { calls: 3, last_used: at(9) }]]));
  });

  test('include calls that a record does not list', () => {
    const records = [taskRecord({ task_key: 'k', ability: 'w', created_at: at(1), called: ['a'] })];
    expect(callsSeen({ usage: [], records, tasks: undefined }).get('a')).toEqual({ calls: 1, last_used: at(1) });
  });
});

describe('runs of a script (R-000-92)', () => {
  const found = { path: SCRIPT, abilities: ['a'] };
  const read = { records: [], unread: [], left_out: 0 };

  test('are unknown if nothing counted one', () => {
    expect(runsOf(found, read, [])).toBeNull();
  });

  test('are those of the records, and a minimum if records are missing', () => {
    const records = [
      taskRecord({ task_key: 'k', ability: 'w', created_at: at(1), calls: [call('x', 'a'), call('y', 'b', 'other')] }),
    ];
    const runs = { times: 1, at_least: false, last: at(1), from: 'records' };
    expect(runsOf(found, { ...read, records }, [])).toEqual(runs);
    expect(runsOf(found, { ...read, records, left_out: 1 }, [])).toEqual({ ...runs, at_least: true });
  });

  test('are those counted by the hook `usage` if it saw more', () => {
    const usage = [{ ability_id: 'a', calls: 7, failures: 0, last_used: at(2) }];
    expect(runsOf(found, read, usage)).toMatchObject({ times: 7, from: 'usage', last: at(2) });
  });
});

test('R-000-94: calls of an agent and an operation are proposed as a workflow', () => {
  const registry = registryOf({ ...lowLevel('op.read'), ...agent() });
  const records = [1, 2, 3].flatMap((run) =>
    ['op.read', 'helper'].map((ability, index) =>
      taskRecord({ task_key: `t${run}${index}`, ability, run: `r${run}`, created_at: at(run * 10 + index) }),
    ),
  );
  expect(flowsIn(registry, records)).toMatchObject([
    { calls: ['op.read', 'helper'], proposal: { id: 'op.read_then_helper', type: 'workflow' } },
  ]);
});

import { describe, expect, test, vi } from 'vitest';
import {
  type KeyDependencies,
  type KeyRequest,
  keyConflict,
  stateOfKey,
} from '../../../../src/activities/preflight/task-key-state.js';
import type { Tombstone } from '../../../../src/contracts/deletion.js';
import type { Plan, PlanOperation } from '../../../../src/contracts/plan.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { planDigest } from '../../../../src/rules/plans/plan-digest.js';
import { examplePlan } from '../../rules/example-plan.js';
import { USER } from '../admitted-task.js';

const GENERATED = `t-${'0'.repeat(26)}`;
const SAME = { ability: 'signup', environment: 'staging', input: 'i' };
const RESULT = { status: 'succeeded' };
const ENDED = { ended: RESULT };
const PLAN = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const TOMBSTONE: Tombstone = {
  format: 1,
  task_key: 'k',
  ability_id: 'signup',
  environment: 'staging',
  input: null,
  deleted_at: '2030-01-01T00:00:00.000Z',
  deleted_by: USER,
  purged: false,
};

/** The record of an ended task, of another execution by default. */
function recordOf(more: object = {}): never {
  return { run_id: 'r-0', request: SAME, result: RESULT, plan_digest: PLAN, plan: examplePlan(), ...more } as never;
}

/** A plan that calls one tool, which is pinned. */
function toolPlan(): Plan {
  const plan = examplePlan();
  const operation = plan.operations['db.write'] as PlanOperation;
  const implementation = { ...operation.implementation, kind: 'mcp', mcp: { tool: 't', pinned: 'd' } } as never;
  return { ...plan, operations: { 'db.write': { ...operation, implementation } } };
}

/** What is known of a key; nothing by default. */
interface Known {
  tombstone?: Tombstone;
  /** The record on this machine. */
  here?: unknown;
  /** The record that another machine shares. */
  shared?: unknown;
  /** How another execution of it ended. */
  earlier?: string;
  deletion?: { project?: string; deletion: Tombstone | 'under way' };
}

function stateOf({ tombstone, here, shared, earlier, deletion }: Known, more: Partial<KeyRequest> = {}) {
  const request: KeyRequest = {
    ...SAME,
    task: 'k',
    first: 'r-1',
    outside: false,
    again: false,
    plan: undefined,
    ...more,
  };
  const findDeletion = vi.fn(async () => deletion && { project: 'own', ...deletion });
  const findEarlier = vi.fn<KeyDependencies['findEarlier']>(async () => earlier);
  const dependencies: KeyDependencies = {
    project: 'own',
    records: { readTombstone: () => tombstone, read: () => here, find: async () => here ?? shared } as never,
    findEarlier,
    findDeletion,
  };
  return { state: stateOfKey(request, dependencies), findDeletion, findEarlier };
}

describe('a key', () => {
  test.each<[string, unknown, Known]>([
    ['that no task has is free', 'free', {}],
    ['with a record of this very execution is its own', 'own', { here: recordOf({ run_id: 'r-1', result: null }) }],
    [
      'with a record of this very execution is its own even if the definitions have changed since',
      'own',
      { here: recordOf({ run_id: 'r-1', request: { ...SAME, input: 'j' } }) },
    ],
    ['of an ended task with the same request is answered with its result', ENDED, { here: recordOf() }],
    ['of such a task on another machine is, too', ENDED, { shared: recordOf() }],
  ])('%s', async (_, expected, known) => {
    expect(await stateOf(known).state).toEqual(expected);
  });

  test('that a client generated is free without a query to Temporal', async () => {
    const { state, findDeletion, findEarlier } = stateOf({ shared: recordOf() }, { task: GENERATED });
    expect(await state).toBe('free');
    expect(findDeletion).not.toHaveBeenCalled();
    expect(findEarlier).not.toHaveBeenCalled();
  });

  test('that a client generated is looked up if a record exists', async () => {
    expect(await stateOf({ here: recordOf() }, { task: GENERATED }).state).toEqual(ENDED);
  });

  test('that looks as if a client had generated it is looked up for a start from outside', async () => {
    expect(await stateOf({ shared: recordOf() }, { task: GENERATED, outside: true }).state).toEqual(ENDED);
  });

  test.each([`t-${'0'.repeat(25)}`, `t-${'0'.repeat(27)}`, `t-${'u'.repeat(26)}`, `x-${'0'.repeat(26)}`])(
    'that only resembles a generated one, %s, is looked up',
    async (task) => {
      expect(await stateOf({ shared: recordOf() }, { task }).state).toEqual(ENDED);
    },
  );

  test('of a direct run is free, whatever is known of it', async () => {
    const known = { tombstone: TOMBSTONE, here: recordOf(), earlier: 'completed' } as const;
    expect(await stateOf(known, { task: `direct:${'0'.repeat(36)}`, outside: true }).state).toBe('free');
  });
});

describe('a start from outside, which no client of ours would have refused', () => {
  test('takes no key of a task that has ended, and whose record is elsewhere', async () => {
    const { state, findEarlier } = stateOf({ earlier: 'completed' }, { outside: true });
    await expect(state).rejects.toMatchObject({
      code: 'task.key_conflict',
      message: 'The key k already belongs to a task that has ended (completed), and whose record is elsewhere',
    });
    expect(findEarlier).toHaveBeenCalledWith('k', 'r-1');
  });

  test('takes a key that no other execution had', async () => {
    expect(await stateOf({}, { outside: true }).state).toBe('free');
  });

  test('is the only one that asks Temporal for it', async () => {
    const { state, findEarlier } = stateOf({ earlier: 'completed' });
    expect(await state).toBe('free');
    expect(findEarlier).not.toHaveBeenCalled();
  });
});

describe('a key is refused', () => {
  const other = (more: object) => recordOf({ request: { ...SAME, ...more } });

  test.each<[string, string, Known]>([
    ['that was deleted on this machine', 'task.deleted', { tombstone: TOMBSTONE }],
    ['that was deleted, even if a record of it is left', 'task.deleted', { tombstone: TOMBSTONE, here: recordOf() }],
    ['that was deleted elsewhere', 'task.deleted', { deletion: { deletion: TOMBSTONE } }],
    ['that is being deleted', 'task.deleted', { deletion: { deletion: 'under way' } }],
    [
      'that is being deleted, and whose record is here',
      'task.deleted',
      { here: recordOf(), deletion: { deletion: 'under way' } },
    ],
    ['deleted in another project', 'task.other_project', { deletion: { project: 'theirs', deletion: TOMBSTONE } }],
    ['of a task with another input', 'task.key_conflict', { here: other({ input: 'j' }) }],
    ['of a task of another ability', 'task.key_conflict', { here: other({ ability: 'other' }) }],
    ['of a task in another environment', 'task.key_conflict', { here: other({ environment: 'prod' }) }],
    ['of a task with another input on another machine', 'task.key_conflict', { shared: other({ input: 'j' }) }],
    ['of a task of which nobody knows how it ended', 'task.key_conflict', { here: recordOf({ result: null }) }],
  ])('%s', async (_, code, known) => {
    await expect(stateOf(known).state).rejects.toMatchObject({ code });
  });

  test('with a message that distinguishes deleted from being deleted', async () => {
    await expect(stateOf({ deletion: { deletion: 'under way' } }).state).rejects.toThrow('being deleted');
    await expect(stateOf({ deletion: { deletion: TOMBSTONE } }).state).rejects.toThrow('deleted by ada');
  });

  test.each<[object, string]>([
    [{ ability: 'other' }, 'belongs to other in staging'],
    [{ environment: 'prod' }, 'belongs to signup in prod'],
    [{ input: 'j' }, 'belongs to signup in staging with another input'],
  ])('with a message about what differs: %j', async (more, message) => {
    const refusal = stateOf({ here: other(more) }).state;
    await expect(refusal).rejects.toThrow(message);
    if (!('input' in more)) await expect(refusal).rejects.not.toThrow('another input');
  });

  test('with the holder as it is known', () => {
    const request = { task: 'k', ability: 'signup', environment: 'staging' };
    expect(keyConflict(request, 'something else')).toMatchObject({
      message: 'The key k already belongs to something else',
      suggestion: 'Choose another key; `ability task show k` shows what holds this one.',
    });
    expect(keyConflict(request, 'something else', { ability: 'a', environment: 'b' }).message).toMatch(/a in b$/);
  });
});

describe('a start for a specific plan', () => {
  const pinned = toolPlan();
  const ended = { plan: pinned, plan_digest: digestOf(pinned) };

  test.each<[string, object, string]>([
    ['of an ended task', {}, PLAN],
    ['of a task that called tools, by its sealed plan', ended, digestOf(pinned)],
    ['of a task that called tools, by its plan before they were pinned', ended, planDigest(pinned)],
  ])('agrees with the record %s', async (_, more, plan) => {
    expect(await stateOf({ here: recordOf(more) }, { plan: { plan } }).state).toEqual(ENDED);
  });

  test.each<[string, object]>([
    ['of an ended task', {}],
    ['of a task that called tools', ended],
  ])('conflicts with the record %s with another plan', async (_, more) => {
    const { state } = stateOf({ here: recordOf(more) }, { plan: { plan: OTHER } });
    await expect(state).rejects.toMatchObject({ code: 'task.key_conflict', message: /the same with another plan/ });
  });
});

test('a key whose last task its client refused before it ran is free again for that client alone', async () => {
  const here = recordOf({ run_id: 'r-0', result: { status: 'cancelled', started_at: null } as never });
  expect(await stateOf({ here }, { again: true }).state).toBe('own');
  expect(await stateOf({ here }).state).toEqual({ ended: { status: 'cancelled', started_at: null } });
  const ran = recordOf({ run_id: 'r-0', result: { status: 'cancelled', started_at: '2026-01-01T00:00:00Z' } as never });
  expect(await stateOf({ here: ran }, { again: true }).state).toHaveProperty('ended');
});

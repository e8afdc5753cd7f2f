import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { stateOfKey } from '../../../../src/activities/preflight/task-key-state.js';
import type { Tombstone } from '../../../../src/contracts/deletion.js';
import type { Plan, PlanOperation } from '../../../../src/contracts/plan.js';
import type { TaskRequest, WantedPlan } from '../../../../src/contracts/task.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { planDigest } from '../../../../src/rules/plans/plan-digest.js';
import { examplePlan } from '../../rules/example-plan.js';
import { USER } from '../admitted-task.js';

type KeyDependencies = Parameters<typeof stateOfKey>[2];

const GENERATED = `t-${'0'.repeat(26)}`;
const SAME = { ability: 'signup', environment: 'staging', input: 'i' };
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

/** A record of a key, made a moment ago by default. */
function recordOf(more: object = {}, msAgo = 0): never {
  const created_at = new Date(Date.now() - msAgo).toISOString();
  return { request: SAME, result: null, created_at, plan_digest: PLAN, plan: examplePlan(), ...more } as never;
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
  task?: 'foreign' | { project?: string; memo?: object };
  deletion?: { project?: string; deletion: Tombstone | 'under way' };
}

function stateOf(known: Known, more: Partial<TaskRequest> = {}) {
  const { tombstone, here, shared, task, deletion } = known;
  const request: TaskRequest = {
    ...{ ability: 'signup', environment: 'staging', input: {}, task: 'k', direct: false },
    ...{ user: USER, session: null, ...more },
  };
  const memo = { ...SAME, plan: PLAN };
  const findTask = vi.fn(async () =>
    task === undefined || task === 'foreign'
      ? task
      : {
          project: 'own',
          memo: { ...memo, ...task.memo } as never,
          ...(task.project !== undefined && { project: task.project }),
        },
  );
  const dependencies: KeyDependencies = {
    project: 'own',
    records: { readTombstone: () => tombstone, read: () => here, find: async () => here ?? shared } as never,
    findTask,
    findDeletion: async () => deletion && { project: 'own', ...deletion },
  };
  return { state: stateOfKey(request, 'i', dependencies), findTask };
}

describe('a key', () => {
  test.each<[string, string, Known]>([
    ['that no task has', 'free', {}],
    ['of a task with the same request', 'held', { task: {} }],
    ['of a task with the same request, whose record is here', 'held', { task: {}, here: recordOf() }],
    ['of the same request, whose task has ended and is forgotten', 'ended', { here: recordOf({ result: {} }) }],
    ['of such a task on another machine', 'ended', { shared: recordOf({ result: {} }) }],
    ['of the same request that made no task', 'abandoned', { here: recordOf() }],
    [
      'of another request that made no task for a minute',
      'abandoned',
      { here: recordOf({ request: { ...SAME, input: 'j' } }, 60_500) },
    ],
  ])('%s is %s', async (_, expected, known) => {
    expect(await stateOf(known).state).toBe(expected);
  });

  test('that a client generated is free without a query to Temporal', async () => {
    const { state, findTask } = stateOf({ task: {} }, { task: GENERATED });
    expect(await state).toBe('free');
    expect(findTask).not.toHaveBeenCalled();
  });

  test('that a client generated is looked up if a record exists', async () => {
    expect(await stateOf({ task: {}, here: recordOf() }, { task: GENERATED }).state).toBe('held');
  });

  test.each([`t-${'0'.repeat(25)}`, `t-${'0'.repeat(27)}`, `t-${'u'.repeat(26)}`, `x-${'0'.repeat(26)}`])(
    'that only resembles a generated one, %s, is looked up',
    async (task) => {
      expect(await stateOf({ task: {} }, { task }).state).toBe('held');
    },
  );

  test('of a direct run is free, whatever is known of it', async () => {
    const known = { tombstone: TOMBSTONE, here: recordOf({ result: {} }), task: 'foreign' } as const;
    expect(await stateOf(known, { direct: true }).state).toBe('free');
  });
});

describe('a key of another request that made no task', () => {
  const recorded = (msAgo: number) => stateOf({ here: recordOf({ request: { ...SAME, input: 'j' } }, msAgo) }).state;

  test('is abandoned after a minute, and not before', async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await expect(recorded(60_000)).rejects.toMatchObject({ code: 'task.key_conflict' });
    expect(await recorded(60_001)).toBe('abandoned');
  });
});

describe('a key is refused', () => {
  test.each<[string, string, Known]>([
    ['that was deleted on this machine', 'task.deleted', { tombstone: TOMBSTONE }],
    ['that was deleted elsewhere', 'task.deleted', { deletion: { deletion: TOMBSTONE } }],
    ['that is being deleted', 'task.deleted', { deletion: { deletion: 'under way' } }],
    ['of a task of another project', 'task.other_project', { task: { project: 'theirs' } }],
    ['deleted in another project', 'task.other_project', { deletion: { project: 'theirs', deletion: TOMBSTONE } }],
    ['of a workflow that is not a task', 'task.key_conflict', { task: 'foreign' }],
    ['of a task with another input', 'task.key_conflict', { task: { memo: { input: 'j' } } }],
    ['of a task of another ability', 'task.key_conflict', { task: { memo: { ability: 'other' } } }],
    ['of a task in another environment', 'task.key_conflict', { task: { memo: { environment: 'prod' } } }],
    [
      'of a task with another input, whose record is old',
      'task.key_conflict',
      { task: { memo: { input: 'j' } }, here: recordOf({ request: { ...SAME, input: 'j' } }, 120_000) },
    ],
    [
      'of another request, made a moment ago',
      'task.key_conflict',
      { here: recordOf({ request: { ...SAME, input: 'j' } }, 30_000) },
    ],
    [
      'of another request that has ended',
      'task.key_conflict',
      { here: recordOf({ request: { ...SAME, input: 'j' }, result: {} }, 120_000) },
    ],
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
    [{ input: 'j' }, 'another input'],
  ])('with a message about what differs: %j', async (memo, message) => {
    const refusal = await stateOf({ task: { memo } }).state.catch((error: unknown) => String(error));
    expect(refusal).toContain(message);
    expect((refusal as string).includes('another input')).toBe('input' in memo);
  });

  test('with a message about a workflow that is not a task', async () => {
    await expect(stateOf({ task: 'foreign' }).state).rejects.toThrow('no task');
  });
});

describe('a request for a specific plan', () => {
  const withPlan = (plan: string): { plan: WantedPlan } => ({ plan: { plan } });
  const pinned = toolPlan();
  const ended = { plan: pinned, plan_digest: digestOf(pinned), result: {} };

  test.each<[string, Known, string]>([
    ['a task', { task: {} }, PLAN],
    ['a record of an ended task', { here: recordOf({ result: {} }) }, PLAN],
    ['a record of a task that called tools, by its sealed plan', { here: recordOf(ended) }, digestOf(pinned)],
    [
      'a record of a task that called tools, by its plan before they were pinned',
      { here: recordOf(ended) },
      planDigest(pinned),
    ],
    ['a record without a task and a result, which has no plan', { here: recordOf() }, OTHER],
  ])('agrees with %s', async (_, known, plan) => {
    await expect(stateOf(known, withPlan(plan)).state).resolves.toMatch(/held|ended|abandoned/);
  });

  test.each<[string, Known]>([
    ['a task', { task: {} }],
    ['a record of an ended task', { here: recordOf({ result: {} }) }],
    ['a record of an ended task that called tools', { here: recordOf(ended) }],
  ])('conflicts with %s of another plan', async (_, known) => {
    await expect(stateOf(known, withPlan(OTHER)).state).rejects.toMatchObject({ code: 'task.key_conflict' });
  });

  test('agrees with the plan of a task even if its record differs', async () => {
    const here = recordOf({ result: {}, plan_digest: OTHER });
    expect(await stateOf({ task: {}, here }, withPlan(PLAN)).state).toBe('held');
  });
});

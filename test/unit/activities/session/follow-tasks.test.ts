import { expect, test } from 'vitest';
import type { SeenTask, SessionAccess } from '../../../../src/activities/session/session-access.js';
import { followTasks } from '../../../../src/activities/session/session-events.js';
import type { HookAnswer } from '../../../../src/contracts/hooks.js';
import type { SessionTask } from '../../../../src/contracts/session.js';

const TASK: SessionTask = { task_key: 't', ability_id: 'outer', status: 'created', told: 0 };
const deny = (path: string): HookAnswer => {
  return { hook_id: 'g', phase: 'PreAbilityCall', path, status: 'ok', decision: 'deny', reason: 'No.' };
};
const seen = (ability: string, more: Partial<SeenTask> = {}): SeenTask => {
  return { status: 'running', isOpen: true, hooks: [], ability, calls: {}, children: [], ...more };
};

/** A world of tasks; `readKeys` has the key of each task that was read. */
function world(tasks: Record<string, SeenTask | null | undefined>) {
  const readKeys: string[] = [];
  const access: SessionAccess = {
    notify: () => Promise.reject(new Error('no message is expected')),
    countStarts: () => Promise.reject(new Error('no count is expected')),
    async readTask(key) {
      readKeys.push(key);
      return tasks[key];
    },
  };
  return { access, readKeys, tasks };
}

test('the answers of guards in called tasks, at any depth, are passed on once (R-002-40)', async () => {
  const { access, readKeys, tasks } = world({
    t: seen('outer', { children: ['t/a'] }),
    't/a': seen('middle', { children: ['t/a/b'], hooks: [deny('step')], calls: { step: 'op.x' } }),
    't/a/b': seen('inner', { hooks: [deny('')], status: 'denied', isOpen: false }),
  });
  const first = await followTasks([TASK], access);
  expect(first.guards.map(({ ability_id }) => ability_id)).toEqual(['op.x', 'inner']);
  expect(first.tasks).toEqual([{ ...TASK, status: 'running', called: { 't/a': 1, 't/a/b': -1 } }]);
  readKeys.length = 0;
  expect((await followTasks(first.tasks, access)).guards).toEqual([]);
  // A task that has ended is not read again.
  expect(readKeys).toEqual(['t', 't/a']);
  tasks.t = seen('outer', { children: ['t/a'], status: 'failed', isOpen: false });
  tasks['t/a'] = seen('middle', { hooks: [deny('step'), deny('late')], status: 'failed', isOpen: false });
  const last = await followTasks(first.tasks, access);
  expect(last.guards.map(({ ability_id }) => ability_id)).toEqual(['middle']);
  expect(last.tasks).toEqual([{ ...TASK, status: 'failed', settled: true }]);
});

test('a called task that is unavailable now is read again, and one that is unknown is not', async () => {
  const { access, tasks } = world({
    t: seen('outer', { children: ['t/a', 't/b'], status: 'failed', isOpen: false }),
    't/a': null,
    't/b': undefined,
  });
  const first = await followTasks([TASK], access);
  expect(first).toEqual({ guards: [], tasks: [{ ...TASK, status: 'failed', called: { 't/a': 0, 't/b': -1 } }] });
  tasks['t/a'] = seen('middle', { hooks: [deny('')], status: 'denied', isOpen: false });
  const next = await followTasks(first.tasks, access);
  expect(next.guards).toMatchObject([{ ability_id: 'middle', decision: 'deny' }]);
  expect(next.tasks).toMatchObject([{ settled: true }]);
});

test('of the many tasks that a loop called, a hundred are read in one turn', async () => {
  const children = Array.from({ length: 1000 }, (_, n) => `t/${n}`);
  const { access, readKeys } = world({
    t: seen('outer', { children }),
    ...Object.fromEntries(children.map((key) => [key, seen('inner')])),
  });
  await followTasks([TASK], access);
  expect(readKeys).toHaveLength(101);
});

test.each<[string, SeenTask | null | undefined, object]>([
  ['that cannot be read now stays as it was', null, TASK],
  ['that Temporal does not know was not created', undefined, { ...TASK, status: 'unavailable' }],
  ['that is open may still change', seen('outer', { hooks: [deny('')] }), { ...TASK, status: 'running', told: 1 }],
  ['that has ended is settled', seen('outer', { isOpen: false }), { ...TASK, status: 'running', settled: true }],
])('a task %s', async (_, found, expected) => {
  expect((await followTasks([TASK], world({ t: found }).access)).tasks).toEqual([expected]);
});

test('a settled task is not read again', async () => {
  const { access, readKeys } = world({});
  const settled: SessionTask = { ...TASK, settled: true };
  expect((await followTasks([settled], access)).tasks).toEqual([settled]);
  expect(readKeys).toEqual([]);
});

test('more tasks than are read at once are all followed, in order', async () => {
  const keys = Array.from({ length: 45 }, (_, n) => `t${n}`);
  const { access, readKeys } = world(Object.fromEntries(keys.map((key) => [key, seen('outer')])));
  const { tasks } = await followTasks(
    keys.map((task_key) => ({ ...TASK, task_key })),
    access,
  );
  expect(tasks.map(({ task_key }) => task_key)).toEqual(keys);
  expect(readKeys).toEqual(keys);
});

test('of the guards of a task, those before its calls are passed on, once each', async () => {
  const created: HookAnswer = { ...deny(''), phase: 'PreAbilityCreate' };
  const { access } = world({ t: seen('outer', { hooks: [deny('a'), created, deny('b')], calls: { b: 'op.b' } }) });
  const { guards } = await followTasks([{ ...TASK, told: 1 }], access);
  expect(guards.map(({ ability_id }) => ability_id)).toEqual(['op.b']);
});

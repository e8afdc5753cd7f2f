import { expect, test } from 'vitest';
import { eventOf } from '../../../../src/activities/hooks/hook-context.js';
import { taskRun } from './example-run.js';

const operation = taskRun().operation;
const withModules = (modules: string[]) => ({ operation: operation && { ...operation, modules } });

test.each([
  ['the first module of the ability', withModules(['users.api', 'b']), 'users.api'],
  ['that, whatever the scope of the task', { ...withModules(['users.api']), scope: 'other' }, 'users.api'],
  ['the scope of the task where the ability has none', { ...withModules([]), scope: 'other' }, 'other'],
  ['nothing where neither is known', withModules([]), null],
])('the module that a hook sees is %s', (_, more, module) => {
  expect(eventOf(taskRun(more)).module_id).toBe(module);
});

test('a hook around a call sees the operation, and a hook around a task the ability', () => {
  const call = { ability_id: 'db.write', effects: 'write_idempotent', tags: ['high-cost'] };
  const task = { ability_id: 'signup', effects: 'destructive', tags: ['slow'], module_id: 'integration' };
  expect(eventOf(taskRun())).toMatchObject(call);
  expect(eventOf(taskRun({ operation: undefined }))).toMatchObject(task);
});

test('a hook after a call sees its input and its outcome', () => {
  const outcome = { status: 'failed', output: null, error: { code: 'mine', message: 'm' } };
  expect(eventOf(taskRun({ outcome })).payload).toEqual({ input: { n: 1 }, ...outcome });
  expect(eventOf(taskRun()).payload).toEqual({ n: 1 });
});

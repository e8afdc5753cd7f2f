import { expect, test } from 'vitest';
import {
  DIRECT_PREFIX,
  deliveryIdOf,
  firingIdOf,
  isDirect,
  isRootTask,
  isTaskId,
  isTaskKey,
  keyOf,
  rootOf,
} from '../../../../src/rules/tasks/task-ids.js';

const DIRECT = `${DIRECT_PREFIX}0b0a8bd4-58a6-4a63-8d8e-6f2c7a3f2a11`;
const AT = '2026-11-28T03:00:00Z';

test.each([
  ['of a user', 'nightly.17_a-B'],
  ['of 64 characters', 'k'.repeat(64)],
  ['of a client', 't-01k0v2hq0sy6rs5cr8p1q3x4ze'],
  ['of a retry', 'nightly.r2'],
  ['of a schedule that was made in Temporal itself', `nightly-${AT}`],
  ['of a retry of its task', `nightly-${AT}.r2`],
  ['of a firing', `${firingIdOf('my_shop-2', 'nightly')}-${AT}`],
  ['of a firing of a schedule with capitals', `${firingIdOf('acme', 'Weekly.v2')}-${AT}`],
  ['of a retry of a firing', `${firingIdOf('acme', 'nightly')}-${AT}.r12`],
  ['of a delivery', deliveryIdOf('forge', 'f1d2a7c0-72f2')],
  ['of a retry of a delivery', `${deliveryIdOf('forge', 'f1')}.r2`],
])('a workflow id may be the key %s', (_, id) => {
  expect([isTaskKey(id), isRootTask(id), isTaskId(id), isDirect(id)]).toEqual([true, true, true, false]);
  expect([keyOf(id), rootOf(id)]).toEqual([id, id]);
});

test.each([
  ['nothing', ''],
  ['65 characters', 'k'.repeat(65)],
  ['a dot at its beginning', '.k'],
  ['a space', 'a b'],
  ['a line break at its end', 'k\n'],
  ['a colon, as our own workflows have', 'delete:k'],
  ['a lock', 'lock:acme:dev:0123'],
  ['a session', 'session:acme:s-1'],
  ['a firing without its time', firingIdOf('acme', 'nightly')],
  ['a firing with fractions of seconds', `${firingIdOf('acme', 'nightly')}-2026-11-28T03:00:00.250Z`],
  ['a firing of a project with capitals', `${firingIdOf('Acme', 'nightly')}-${AT}`],
  ['a firing without a project', `schedule:nightly-${AT}`],
  ['a delivery without an id', 'webhook:forge:'],
  ['a delivery with a further colon', 'webhook:forge:a:b'],
  ['a time before the name', `${AT}-nightly`],
  ['a retry with a number that begins with zero', `nightly-${AT}.r02`],
])('a workflow id is no task: %s', (_, id) => {
  expect([isTaskKey(id), isRootTask(id), isTaskId(id)]).toEqual([false, false, false]);
});

test('keys of callers, of firings and of deliveries never meet', () => {
  // Whatever a caller chooses has no colon; a webhook has no name by which it could make a firing.
  expect(isTaskKey('schedule:acme:nightly')).toBe(false);
  expect(isTaskKey(`webhook:forge:nightly-${AT}`)).toBe(false);
  expect(isTaskKey(`schedule:acme:forge:nightly-${AT}`)).toBe(false);
});

test('a direct run is a task without a key', () => {
  expect([isTaskKey(DIRECT), isRootTask(DIRECT), isTaskId(DIRECT), isDirect(DIRECT)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(keyOf(DIRECT)).toBeNull();
  expect(isRootTask(`${DIRECT_PREFIX}anything`)).toBe(false);
});

test('a called task has its root in its id, and a key if that has one', () => {
  for (const root of ['k', `${firingIdOf('acme', 'nightly')}-${AT}`, DIRECT]) {
    const id = `${root}/each/0/deploy~1.2`;
    expect([isTaskKey(id), isRootTask(id), isTaskId(id), rootOf(id)]).toEqual([false, false, true, root]);
    expect(keyOf(id)).toBe(root === DIRECT ? null : id);
  }
  expect(isTaskId('delete:k/a')).toBe(false);
});

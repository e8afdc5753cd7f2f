import { Context } from '@temporalio/activity';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BoundedMap } from '../../../src/activities/bounded-map.js';
import { activityOf, taskOf } from '../../../src/activities/failures.js';
import { ACTIVITY_LIMITS } from '../../../src/contracts/names.js';
import { AbilityError } from '../../../src/contracts/problem.js';
import { type ActivityInfo, activityEnvironment } from './admitted-task.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Runs an activity for Temporal's heartbeat timeout. @returns the number of heartbeats. */
async function heartbeats(options: { beats?: boolean }, info: ActivityInfo = {}): Promise<number> {
  const environment = activityEnvironment(info);
  let count = 0;
  environment.on('heartbeat', () => {
    count += 1;
  });
  const activity = activityOf(async () => {
    vi.advanceTimersByTime(ACTIVITY_LIMITS.heartbeat);
  }, options);
  await environment.run(activity, undefined);
  return count;
}

describe('an activity', () => {
  test.each<[string, number, { beats?: boolean }, ActivityInfo]>([
    ['three heartbeats where it is to send them', 3, { beats: true }, {}],
    ['none by itself', 0, {}, {}],
    ['none where it is local', 0, { beats: true }, { isLocal: true }],
  ])('sends %s', async (_, count, options, info) => {
    expect(await heartbeats(options, info)).toBe(count);
  });

  test('leaves no timer behind', async () => {
    await heartbeats({ beats: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('fails with the code of its error', async () => {
    const activity = activityOf(() => Promise.reject(new AbilityError({ code: 'mine', message: 'm' })));
    await expect(activityEnvironment({}).run(activity, undefined)).rejects.toMatchObject({ type: 'mine' });
  });

  test('fails with a custom error, which knows its request', async () => {
    const toError = (error: unknown, request: number) => new Error(`${request}: ${(error as Error).message}`);
    const activity = activityOf<number, never>(() => Promise.reject(new Error('m')), { toError });
    await expect(activityEnvironment({}).run(activity, 7)).rejects.toThrow('7: m');
  });
});

test('the task of an activity is its workflow, if it has one', async () => {
  const info = { workflowExecution: { workflowId: 't-1', runId: 'r' } };
  expect(await activityEnvironment(info).run(async () => taskOf(Context.current()))).toBe('t-1');
  expect(taskOf({ info: {} } as Context)).toBe('');
});

describe('a bounded map', () => {
  test('drops the oldest entry once it is full', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2);
    expect([...map]).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    map.set('c', 3);
    expect([...map]).toEqual([
      ['b', 2],
      ['c', 3],
    ]);
  });

  test('drops no other entry if one is set again, which then is the newest', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2).set('b', 3);
    expect([...map]).toEqual([
      ['a', 1],
      ['b', 3],
    ]);
    map.set('a', 4).set('c', 5);
    expect([...map.keys()]).toEqual(['a', 'c']);
  });
});

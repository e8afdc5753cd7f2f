import { expect, test } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { lastRefusal, STALL_MS, StallWatch } from '../../../../src/client/watch/find-stall.js';

const SCHEDULED = 1;
const STARTED = 2;
const PAUSED = 4;
type Raw = Parameters<StallWatch['look']>[1];
type Describe = (id: string) => object;

function sessionAt({
  isOwnRuntime = false,
  describe = () => ({}),
}: {
  isOwnRuntime?: boolean;
  describe?: Describe;
}): Connection {
  const getHandle = (id: string) => ({
    describe: async () => ({ raw: describe(id) }),
    fetchHistory: async () => ({
      events: [{ activityTaskScheduledEventAttributes: { activityId: 'a', taskQueue: { name: 'p-dev-cloud' } } }],
    }),
  });
  const where = { project: 'p', address: 'far:7233', isOwnRuntime, paths: { runtimeLog: '/p/runtime.log' } };
  return { ...where, temporal: { workflow: { getHandle } } } as unknown as Connection;
}

const at = (seconds: number) => ({ seconds, nanos: 0 });
const raw = (more: object): Raw =>
  ({ executionConfig: { taskQueue: { name: 'p-dev-local' } }, ...more }) as unknown as Raw;
const turn = (state: number, scheduled = 1) => raw({ pendingWorkflowTask: { state, scheduledTime: at(scheduled) } });
const call = (more: object) => raw({ pendingActivities: [{ activityId: 'a', state: SCHEDULED, attempt: 1, ...more }] });

/** The messages about a task that is viewed repeatedly and does not change. */
async function messagesOf(description: Raw, connection = sessionAt({})): Promise<string[]> {
  const watch = new StallWatch(connection);
  const times = [0, STALL_MS - 1, STALL_MS, STALL_MS * 2];
  const all = [];
  for (const now of times) all.push(...(await watch.look('t', description, now)));
  return all.map(({ message }) => message);
}

test('a turn that no worker takes up is reported once, with its queue and the command for a worker', async () => {
  const watch = new StallWatch(sessionAt({}));
  expect(await watch.look('t', turn(SCHEDULED), 0)).toEqual([]);
  expect(await watch.look('t', turn(SCHEDULED), STALL_MS - 1)).toEqual([]);
  expect(await watch.look('t', turn(SCHEDULED), STALL_MS)).toEqual([
    {
      task: 't',
      what: 'turn',
      queue: 'p-dev-local',
      message: 'No worker has taken up the next turn of t for 5 s, on the queue p-dev-local',
      suggestion: 'Start a worker: ability worker --address far:7233 --env dev --placement local',
    },
  ]);
  expect(await watch.look('t', turn(SCHEDULED), STALL_MS * 2)).toEqual([]);
  expect(watch.stall?.queue).toBe('p-dev-local');
});

test('a turn that is taken up is no longer a stall, and the next stall is reported again', async () => {
  const watch = new StallWatch(sessionAt({}));
  await watch.look('t', turn(SCHEDULED), 0);
  expect(await watch.look('t', turn(SCHEDULED), STALL_MS)).toHaveLength(1);
  expect(await watch.look('t', turn(STARTED), STALL_MS + 1)).toEqual([]);
  expect(watch.stall).toBeUndefined();
  expect(await watch.look('t', turn(SCHEDULED, 2), STALL_MS + 2)).toEqual([]);
  expect(await watch.look('t', turn(SCHEDULED, 2), STALL_MS * 2 + 2)).toHaveLength(1);
});

test('turns that are taken up one after the other are not a stall, however long this continues', async () => {
  const watch = new StallWatch(sessionAt({}));
  for (let second = 0; second < 20; second += 1) {
    expect(await watch.look('t', turn(SCHEDULED, second), second * 1000)).toEqual([]);
  }
});

test.each([
  ['an approval, a wait, a turn for a concurrency key: nothing is due', raw({})],
  ['a turn that is being taken', turn(STARTED)],
  ['a running call, including one that waits for its rate limit', call({ state: STARTED })],
  ['a paused call', call({ state: PAUSED })],
  ['a call that is marked as paused', call({ paused: true })],
  ['a call between two attempts', call({ attempt: 2, nextAttemptScheduleTime: at(9_999_999_999) })],
  [
    'a call between two attempts, where the server only reports when the next one begins',
    call({ attempt: 2, scheduledTime: at(9_999_999_999) }),
  ],
])('%s', async (_, description) => {
  expect(await messagesOf(description)).toEqual([]);
});

test.each([
  ['the server reports it', call({ activityOptions: { taskQueue: { name: 'p-dev-cloud' } } })],
  ['its history contains it', call({})],
  ['it was tried before', call({ attempt: 2, scheduledTime: at(1) })],
])('a call that no worker takes up is reported with its own queue: %s', async (_, description) => {
  expect(await messagesOf(description)).toEqual([
    'No worker has taken up a call of t for 5 s, on the queue p-dev-cloud',
  ]);
});

test('many calls on one queue are reported together', async () => {
  const pendingActivities = ['a', 'b', 'c'].map((activityId) => ({ activityId, state: SCHEDULED, attempt: 1 }));
  const activityOptions = { taskQueue: { name: 'p-dev-cloud' } };
  const all = pendingActivities.map((each) => ({ ...each, activityOptions }));
  expect(await messagesOf(raw({ pendingActivities: all }))).toHaveLength(1);
});

test('a called task is viewed, too', async () => {
  const connection = sessionAt({ describe: (id) => (id === 't/inner' ? turn(SCHEDULED) : {}) });
  const messages = await messagesOf(raw({ pendingChildren: [{ workflowId: 't/inner' }] }), connection);
  expect(messages).toEqual(['No worker has taken up the next turn of t/inner for 5 s, on the queue p-dev-local']);
});

test('the runtime of a project has its own workers: the log and a restart are suggested', async () => {
  const watch = new StallWatch(sessionAt({ isOwnRuntime: true }));
  await watch.look('t', turn(SCHEDULED), 0);
  const [stall] = await watch.look('t', turn(SCHEDULED), STALL_MS);
  expect(stall?.suggestion).toBe('Read /p/runtime.log; restart the runtime: ability down && ability up --detach');
});

const refused = { applicationFailureInfo: { type: 'seal.unknown_key' } };

test('a call on a worker without the key of its task is reported at once, and only once', async () => {
  const messages = await messagesOf(
    call({ attempt: 2, lastFailure: refused, nextAttemptScheduleTime: at(9_999_999_999) }),
  );
  expect(messages).toEqual([
    'A worker on the queue p-dev-local has taken up t and does not have the key that the task was sealed with (seal.unknown_key); the task waits for a worker that can run it',
  ]);
});

test.each([
  [
    'the last call was refused',
    [{ timerStartedEventAttributes: {} }, { activityTaskFailedEventAttributes: { failure: refused } }],
    'seal.unknown_key',
  ],
  ['the last local call was refused', [{ markerRecordedEventAttributes: { failure: refused } }], 'seal.unknown_key'],
  [
    'another call came after it',
    [{ activityTaskCompletedEventAttributes: {} }, { activityTaskFailedEventAttributes: { failure: refused } }],
    undefined,
  ],
  [
    'it failed for another reason',
    [{ activityTaskFailedEventAttributes: { failure: { applicationFailureInfo: { type: 'script.exit' } } } }],
    undefined,
  ],
])('whether a task with nothing but a timer waits for a key: %s', (_, events, code) => {
  expect(lastRefusal(events as unknown as Parameters<typeof lastRefusal>[0])).toBe(code);
});

test.each([
  ['p-dev-near-db', ['near-db'], ' --env dev --placement near-db'],
  ['p-dev-local', ['near-db'], ' --env dev --placement local'],
  // It is not known whether the environment is `dev` or `dev-near`.
  ['p-dev-near-db', ['db', 'near-db'], ''],
  ['other-dev-near-db', ['near-db'], ''],
  ['p-dev-edge', ['near-db'], ''],
])('the command for a worker of %s, with the placements %j', async (taskQueue, own, place) => {
  const definitions = Object.assign(() => undefined, { placements: () => ['local', 'cloud', ...own] });
  const watch = new StallWatch({ ...sessionAt({}), definitions });
  const waiting = raw({
    executionConfig: { taskQueue: { name: taskQueue } },
    pendingWorkflowTask: { state: SCHEDULED, scheduledTime: at(1) },
  });
  await watch.look('t', waiting, 0);
  const [stall] = await watch.look('t', waiting, STALL_MS);
  expect(stall?.suggestion).toBe(`Start a worker: ability worker --address far:7233${place}`);
});

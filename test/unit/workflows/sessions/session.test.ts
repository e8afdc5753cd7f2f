import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ACTIVITIES, QUERIES, SESSION_UPDATES } from '../../../../src/contracts/names.js';
import type { SessionView } from '../../../../src/contracts/session.js';
import { session } from '../../../../src/workflows/sessions/session.js';
import { World } from '../../../property/fake-workflow.js';

const temporal = vi.hoisted(() => ({
  /** How long the hooks of a prompt take. Milliseconds. */
  promptMs: 0,
  handlers: 0,
}));

vi.mock('@temporalio/workflow', async () => {
  const { fakeWorkflow } = await import('../../../property/fake-workflow.js');
  const activities = {
    [ACTIVITIES.askPrompt]: () =>
      fakeWorkflow
        .sleep(temporal.promptMs)
        .then(() => ({ turn_context: { says: 'hello' }, hooks: [], tasks: [], unknown_signals: [] })),
    [ACTIVITIES.endSession]: async () => ({ tasks: [], hooks: [] }),
  };
  /** The start has no hooks, and those of a prompt cannot be run at once. */
  const atOnce = { [ACTIVITIES.askStartLocal]: async () => [], [ACTIVITIES.askPromptLocal]: async () => null };
  return {
    ...fakeWorkflow,
    allHandlersFinished: () => temporal.handlers === 0,
    condition: (holds: () => boolean, limit?: number | string) =>
      fakeWorkflow.condition(holds, typeof limit === 'string' ? Number.parseInt(limit, 10) * 60_000 : limit),
    proxyActivities: () => activities,
    proxyLocalActivities: () => atOnce,
    workflowInfo: () => ({ workflowId: 'session:p:s-1', startTime: new Date(0) }),
  };
});

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});
beforeEach(() => {
  Object.assign(temporal, { promptMs: 0, handlers: 0 });
});

const user = { name: 'ada', source: 'claimed' };
const start = { format: 1, session_id: 's-1', environment: 'dev', scope: 'app', idle_ms: 3_600_000, user };
const MINUTE = 60_000;

/** Runs a session that gets a prompt at once. @param end what ends it, a minute later. */
async function prompted(end: (world: World) => unknown) {
  const world = new World(undefined, undefined, (ms) => void vi.setSystemTime(ms));
  let answer: unknown = 'none';
  const view = await world
    .run(async () => {
      world.after(1, () => {
        temporal.handlers += 1;
        const asked = world.handlers.get(SESSION_UPDATES.prompt)?.({ prompt: 'hi', user }) as Promise<unknown>;
        asked
          .catch((error: unknown) => error)
          .then((said) => {
            answer = said;
            temporal.handlers -= 1;
          });
      });
      world.after(MINUTE, () => end(world));
      return session(start);
    })
    .catch(() => (world.handlers.get(QUERIES.session) as () => SessionView)());
  return { view, answer, minutes: Math.floor(world.now / MINUTE) };
}

const stop = (world: World): unknown => world.handlers.get(SESSION_UPDATES.stop)?.();

test('a session that is stopped answers a prompt whose hooks still run before it ends', async () => {
  temporal.promptMs = 4 * MINUTE;
  const { view, answer, minutes } = await prompted(stop);
  expect({ status: view.status, answer, minutes }).toEqual({
    status: 'stopped',
    answer: { says: 'hello' },
    minutes: 4,
  });
});

test('a session that is stopped waits at most five minutes more for a prompt', async () => {
  temporal.promptMs = 20 * MINUTE;
  expect(await prompted(stop)).toMatchObject({ answer: 'none', minutes: 7 });
});

test('a prompt of a session that is cancelled learns that the session has ended', async () => {
  temporal.promptMs = 4 * MINUTE;
  const { view, answer } = await prompted((world) => world.root.cancel());
  expect(view.reason).toBe('cancelled');
  expect(answer).toMatchObject({ type: 'session.stopped', message: 'The session s-1 has ended' });
});

import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { PlanOperation } from '../../../../src/contracts/plan.js';
import { type OperationCall, scheduleCall } from '../../../../src/workflows/calls/schedule-call.js';
import { examplePlan } from '../../rules/example-plan.js';

/** What is requested from Temporal: the options, and the request that the activity gets. */
const requested = vi.hoisted(() => [] as { kind: string; options: Record<string, unknown>; request?: object }[]);

vi.mock('@temporalio/workflow', async (original) => {
  const proxy = (kind: string) => (options: Record<string, unknown>) => {
    const one: (typeof requested)[number] = { kind, options };
    requested.push(one);
    const call = async (request: object) => {
      one.request = request;
      return { output: 'done' };
    };
    return new Proxy({}, { get: () => call });
  };
  return { ...(await original<object>()), proxyActivities: proxy('activity'), proxyLocalActivities: proxy('local') };
});

beforeEach(() => {
  requested.length = 0;
});

const MARGIN_MS = 5000;

/** Schedules a call and returns what was requested from Temporal. */
async function scheduled(
  call: Partial<OperationCall> = {},
  {
    operation = {},
    leftMs = 1e9,
    plan = {},
    files = {},
  }: { operation?: Partial<PlanOperation>; leftMs?: number; plan?: object; files?: object } = {},
) {
  const example = examplePlan();
  const owner = { ...(example.operations['db.write'] as PlanOperation), ...operation };
  const run = {
    task: { plan: { ...example, ...plan }, context: { seal: 's' } },
    files: { within: () => undefined, room: undefined, ...files },
  };
  const whole = { path: 'a', id: 'a', input: { n: 1 }, retry: undefined, timeoutMs: undefined, groups: [], ...call };
  expect(await scheduleCall(run as never, { ...whole, operation: owner } as never, leftMs)).toEqual({ output: 'done' });
  const [one] = requested;
  return { kind: one?.kind, request: one?.request, options: one?.options as Record<string, never> };
}

describe('the retries of a call', () => {
  test('are the default if its step has none', async () => {
    expect((await scheduled()).options.retry).toEqual({
      maximumAttempts: 3,
      initialInterval: 1000,
      backoffCoefficient: 2,
      maximumInterval: 30_000,
    });
  });

  test('are those of its step', async () => {
    const retry = { attempts: 5, firstMs: 20, maxMs: 100, factor: 4 } as never;
    expect((await scheduled({ retry })).options.retry).toEqual({
      maximumAttempts: 5,
      initialInterval: 20,
      backoffCoefficient: 4,
      maximumInterval: 100,
    });
  });

  test('never wait less than the first time', async () => {
    const retry = { attempts: 2, firstMs: 90_000 } as never;
    expect((await scheduled({ retry })).options.retry).toMatchObject({
      initialInterval: 90_000,
      maximumInterval: 90_000,
    });
  });

  test('do not happen if a second attempt could do harm', async () => {
    const { options } = await scheduled({}, { operation: { effects: 'write_additive' } });
    expect(options.retry).toMatchObject({ maximumAttempts: 1 });
    expect(options.scheduleToCloseTimeout).toBeUndefined();
  });
});

describe('the limits of a call', () => {
  test('exceed ours by a margin', async () => {
    const { options } = await scheduled({ timeoutMs: 20_000 });
    expect(options).toMatchObject({
      startToCloseTimeout: 1000 + MARGIN_MS,
      scheduleToCloseTimeout: 20_000 + MARGIN_MS,
      summary: 'a',
    });
  });

  test('are the time that the task has left, if that is less', async () => {
    const { options } = await scheduled({ timeoutMs: 20_000 }, { leftMs: 500 });
    expect(options).toMatchObject({ startToCloseTimeout: 500 + MARGIN_MS, scheduleToCloseTimeout: 500 + MARGIN_MS });
    expect(options.scheduleToStartTimeout).toBe(500 + MARGIN_MS - 100);
  });

  test('let a worker begin within a minute', async () => {
    expect((await scheduled({ timeoutMs: 3_600_000 })).options.scheduleToStartTimeout).toBe(60_000);
  });
});

test('a fast call is a local activity with the same limits and retries', async () => {
  const { kind, options } = await scheduled({ timeoutMs: 20_000 }, { operation: { fast: true } });
  expect(kind).toBe('local');
  expect(options).toMatchObject({
    startToCloseTimeout: 1000 + MARGIN_MS,
    scheduleToCloseTimeout: 20_000 + MARGIN_MS,
    retry: { maximumAttempts: 3 },
  });
  requested.length = 0;
  expect((await scheduled()).kind).toBe('activity');
});

describe('the request of a call', () => {
  test('has the context of the task, the path and the input, and nothing else', async () => {
    expect((await scheduled()).request).toEqual({ seal: 's', path: 'a', with: { n: 1 } });
  });

  test('has the attempts of the groups around it once one of them has been repeated', async () => {
    expect((await scheduled({ groups: [1, 2] })).request).toMatchObject({ groups: [1, 2] });
    requested.length = 0;
    expect((await scheduled({ groups: [1, 1] })).request).not.toHaveProperty('groups');
  });

  test('has the files of its input, and the room for new ones if the plan limits it', async () => {
    const files = { within: () => ['f'], room: 7 };
    expect((await scheduled({}, { files, plan: { files: {} } })).request).toMatchObject({ files: ['f'], file_room: 7 });
    requested.length = 0;
    expect((await scheduled({}, { files })).request).not.toHaveProperty('file_room');
  });
});

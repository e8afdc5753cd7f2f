import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MissedFirings, whyNoFiring } from '../../../src/worker/missed-firings.js';

const HOUR = 3_600_000;
const NOW = Date.UTC(2030, 0, 1);
const DUE = NOW + 2 * HOUR;

interface Seen {
  before?: number;
  paused?: boolean;
  /** Firings that have been begun. */
  begun?: number[];
  /** Number of open tasks that the schedule waits for. */
  running?: number;
  missing?: boolean;
  changed?: number;
}

/** A Temporal with one schedule of the project `acme`, which is due in two hours. */
function temporal({ before, paused = false, begun = [], running = 0, missing = false, changed }: Seen) {
  const backfill = vi.fn(async (_: object) => {});
  const describeIt = async () => {
    if (missing) throw new ScheduleNotFoundError('gone', 'schedule:acme:nightly');
    return {
      scheduleId: 'schedule:acme:nightly',
      action: {
        memo: { environment: 'prod', schedule: { ...(before !== undefined && { approve_before_ms: before }) } },
      },
      state: { paused },
      policies: { overlap: 'SKIP' },
      info: {
        createdAt: new Date(NOW - 24 * HOUR),
        ...(changed !== undefined && { lastUpdatedAt: new Date(changed) }),
        nextActionTimes: [new Date(DUE), new Date(DUE + 24 * HOUR)],
        recentActions: begun.map((at) => ({ scheduledAt: new Date(at) })),
        runningActions: Array.from({ length: running }, () => ({})),
        numActionsMissedCatchupWindow: 0,
      },
    };
  };
  const list = async function* () {
    yield { scheduleId: 'schedule:acme:nightly' };
    yield { scheduleId: 'schedule:other:nightly' };
  };
  const client = { schedule: { list, getHandle: () => ({ describe: describeIt, backfill }) } } as unknown as Client;
  return { client, backfill };
}

const look = async (seen: Seen) => {
  const { client, backfill } = temporal(seen);
  const dependencies = { project: 'acme', store: {} as never, client, lastDefinitions: () => undefined };
  await new MissedFirings(dependencies).look();
  return backfill.mock.calls;
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the next firing', () => {
  test('is begun when it is time to ask, as the schedule itself would, and nothing else is', async () => {
    expect(await look({ before: 2 * HOUR, begun: [DUE - 24 * HOUR] })).toEqual([
      [{ start: new Date(DUE - 1000), end: new Date(DUE), overlap: 'SKIP' }],
    ]);
  });

  test.each<[string, Seen]>([
    ['its schedule asks nothing ahead', {}],
    ['it is not yet time', { before: 2 * HOUR - 1 }],
    ['its schedule is paused', { before: 2 * HOUR, paused: true }],
    ['a task of an earlier firing is open', { before: 2 * HOUR, running: 1 }],
    ['it was begun before', { before: 2 * HOUR, begun: [DUE] }],
    ['its schedule was deleted meanwhile', { before: 2 * HOUR, missing: true }],
  ])('is not begun, if %s', async (_, seen) => {
    expect(await look(seen)).toEqual([]);
  });
});

test.each<[string, Seen, string | null]>([
  ['is as it was', {}, null],
  ['was changed before', { changed: NOW - HOUR }, null],
  ['was changed since', { changed: NOW + 1 }, 'its schedule was changed after people were asked'],
  ['is paused', { paused: true }, 'its schedule is paused'],
  ['was deleted', { missing: true }, 'its schedule was deleted'],
])('a firing whose schedule %s: %o, %s', async (_, seen, why) => {
  const { client } = temporal(seen);
  expect(await whyNoFiring(client, 'schedule:acme:nightly', new Date(NOW).toISOString())).toBe(why);
});

test('a schedule that was made anew under the name is another one', async () => {
  const { client } = temporal({});
  const before = new Date(NOW - 25 * HOUR).toISOString();
  expect(await whyNoFiring(client, 'schedule:acme:nightly', before)).toContain('changed');
});

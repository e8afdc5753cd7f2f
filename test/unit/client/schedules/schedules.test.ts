import type { ScheduleDescription } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { findSchedules, listSchedules, untilListed } from '../../../../src/client/schedules/schedules.js';
import { scheduleIdOf, WORKFLOWS } from '../../../../src/contracts/names.js';
import type { ScheduleSpec } from '../../../../src/contracts/schedules.js';

const PROJECT = 'shop';

function specOf(id: string): ScheduleSpec {
  return {
    id,
    ability: 'backup',
    environment: 'dev',
    input: {},
    cron: '@daily',
    timezone: 'UTC',
    overlap: 'skip',
    jitter_ms: 0,
    catch_up_ms: 60_000,
  };
}

/** A server that lists each schedule only from a number of its lists on. @param after that number, by name. */
function serverWith(after: Record<string, number>) {
  let lists = 0;
  async function* list() {
    lists += 1;
    for (const [name, first] of Object.entries(after)) {
      if (lists >= first) yield { scheduleId: scheduleIdOf(PROJECT, name) };
    }
  }
  const describe = (name: string) => async () =>
    ({
      action: { workflowType: WORKFLOWS.firing, args: [{ format: 1, project: PROJECT, schedule: specOf(name) }] },
      info: { createdAt: new Date(0), nextActionTimes: [], numActionsTaken: 0 },
      state: { paused: false },
    }) as unknown as ScheduleDescription;
  const getHandle = (id: string) => ({ describe: describe(id.slice(scheduleIdOf(PROJECT, '').length)) });
  const withAbortSignal = (_: AbortSignal, action: () => unknown) => action();
  const connection = { project: PROJECT, temporal: { schedule: { list, getHandle }, withAbortSignal } };
  return { connection: connection as unknown as Connection, lists: () => lists };
}

async function namesOf(listed: ReturnType<typeof listSchedules>): Promise<string[]> {
  return (await listed).map(({ spec }) => spec.id);
}

test('a named schedule is found before the server lists it, and each is found once', async () => {
  const { connection } = serverWith({ one: 1, two: 3 });
  expect(await namesOf(listSchedules(connection))).toEqual(['one']);
  expect(await namesOf(findSchedules(connection, ['two', 'one']))).toEqual(['one', 'two']);
});

describe('the wait until a schedule is listed', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('ends when it is', async () => {
    const { connection, lists } = serverWith({ one: 1, two: 3 });
    const listed = untilListed(connection, 'two');
    await vi.advanceTimersByTimeAsync(200);
    await listed;
    expect(lists()).toBe(3);
  });

  test('ends after two seconds without an error', async () => {
    const { connection, lists } = serverWith({});
    const end = vi.fn();
    const listed = untilListed(connection, 'two').then(end);
    await vi.advanceTimersByTimeAsync(1900);
    expect(end).not.toHaveBeenCalled();
    expect(lists()).toBeGreaterThan(10);
    await vi.advanceTimersByTimeAsync(200);
    await listed;
  });

  test('ends if the server fails', async () => {
    const { connection } = serverWith({});
    const failed = Object.assign(new Error('unavailable'), { code: 14, details: 'unavailable', metadata: {} });
    connection.temporal.schedule.list = () => {
      throw failed;
    };
    await untilListed(connection, 'two');
  });
});

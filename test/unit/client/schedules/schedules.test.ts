import type { ScheduleDescription } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { createSchedule, listSchedules } from '../../../../src/client/schedules/schedules.js';
import { scheduleIdOf, taskQueueOf, WORKFLOWS } from '../../../../src/contracts/names.js';
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
  const create = vi.fn();
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
  const served = new Map([[taskQueueOf(PROJECT, 'dev', 'local'), Number.POSITIVE_INFINITY]]);
  const connection = { project: PROJECT, served, temporal: { schedule: { list, getHandle, create }, withAbortSignal } };
  return { connection: connection as unknown as Connection, create, lists: () => lists };
}

test('a known schedule is found before the server lists it, and each is found once', async () => {
  const { connection } = serverWith({ one: 1, two: 2 });
  const names = async (known?: string[]) => (await listSchedules(connection, known)).map(({ spec }) => spec.id);
  expect(await names(['two', 'one'])).toEqual(['one', 'two']);
  const { connection: again } = serverWith({ one: 1, two: 2 });
  expect((await listSchedules(again)).map(({ spec }) => spec.id)).toEqual(['one']);
});

test('a created schedule is in the next list', async () => {
  const { connection, create, lists } = serverWith({ one: 1, two: 3 });
  expect(await createSchedule(connection, specOf('two'))).toEqual({ created: true });
  expect(create).toHaveBeenCalledOnce();
  expect(lists()).toBe(3);
});

test('a server that does not list it for two seconds does not stop its creation', async () => {
  vi.useFakeTimers();
  try {
    const { connection } = serverWith({});
    const created = createSchedule(connection, specOf('two'));
    await vi.advanceTimersByTimeAsync(2100);
    expect(await created).toEqual({ created: true });
  } finally {
    vi.useRealTimers();
  }
});

import { ScheduleAlreadyRunning, type ScheduleDescription, type ScheduleOptions } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { specOf as readSpec } from '../../../../src/client/schedules/read-firings.js';
import {
  createSchedule,
  findSchedules,
  listSchedules,
  untilListed,
} from '../../../../src/client/schedules/schedules.js';
import { scheduleIdOf } from '../../../../src/contracts/names.js';
import type { ScheduleSpec } from '../../../../src/contracts/schedules.js';
import { isTaskKey } from '../../../../src/rules/tasks/task-ids.js';
import { errorOfAsync } from '../../error-of.js';
import { PROJECT, serverWith as temporalWith } from '../start/fake-temporal.js';

function specOf(id: string): ScheduleSpec {
  return {
    id,
    ability: 'backup',
    environment: 'staging',
    input: {},
    cron: '@daily',
    timezone: 'UTC',
    overlap: 'skip',
    jitter_ms: 0,
    catch_up_ms: 60_000,
  };
}

/** A server that lists each schedule only from a number of its lists on. @param after that number, by name. */
function serverWith(after: Record<string, number>, foreign: readonly string[] = []) {
  let lists = 0;
  async function* list() {
    lists += 1;
    for (const [name, first] of Object.entries(after)) {
      if (lists >= first) yield { scheduleId: scheduleIdOf(PROJECT, name) };
    }
  }
  const { cron, timezone, overlap, jitter_ms, catch_up_ms } = specOf('');
  const memo = { environment: 'staging', schedule: { cron, timezone, overlap, jitter_ms, catch_up_ms } };
  const describe = (name: string) => async () =>
    ({
      action: { workflowType: 'backup', args: [{}], memo: foreign.includes(name) ? {} : memo },
      info: { createdAt: new Date(0), nextActionTimes: [], recentActions: [], numActionsTaken: 0 },
      state: { paused: false },
    }) as unknown as ScheduleDescription;
  const getHandle = (id: string) => ({ describe: describe(id.slice(scheduleIdOf(PROJECT, '').length)) });
  const withAbortSignal = (_: AbortSignal, action: () => unknown) => action();
  const store = { getNamed: async () => undefined };
  const connection = { project: PROJECT, store, temporal: { schedule: { list, getHandle }, withAbortSignal } };
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

test('a schedule that somebody else made under such a name is none of ours', async () => {
  const { connection } = serverWith({ one: 1, two: 1 }, ['one']);
  expect(await namesOf(listSchedules(connection))).toEqual(['two']);
});

describe('a schedule', () => {
  const SPEC = { ...specOf('Nightly.v2'), input: { n: 1 }, intent: 'weekly' };
  const OWN = { digest: 'a'.repeat(64), version: 3, placement: 'cloud', module: 'm', summary: 's' } as const;

  /** Creates a schedule on a server, which may have one of this name. */
  async function created(spec = SPEC, statedIn?: string, had?: ScheduleOptions) {
    const { connection } = temporalWith({ definitions: OWN });
    const create = vi.fn(async (_: ScheduleOptions) => {
      if (had) throw new ScheduleAlreadyRunning('it exists', 'id');
    });
    const getHandle = () => ({ describe: async () => described(had as ScheduleOptions) });
    Object.assign(connection.temporal, { schedule: { create, getHandle } });
    const answer = await createSchedule(connection, spec, statedIn);
    return { answer, options: create.mock.calls[0]?.[0] as ScheduleOptions };
  }
  const described = ({ action }: ScheduleOptions) =>
    ({ action: { ...action, workflowType: action.workflowType } }) as unknown as ScheduleDescription;

  test('starts the ability itself, under a key to which Temporal appends the time', async () => {
    const { options } = await created();
    expect(options).toMatchObject({
      scheduleId: 'schedule:acme:Nightly.v2',
      action: { type: 'startWorkflow', workflowType: 'backup', taskQueue: 'acme-staging-cloud' },
      spec: { calendars: [{ minute: [0], hour: [0] }], timezone: 'UTC', jitter: 0 },
      policies: { overlap: 'SKIP', catchupWindow: 60_000 },
    });
    expect(isTaskKey(`${options.action.workflowId}-2026-11-28T03:00:00Z`)).toBe(true);
  });

  test('starts tasks for itself, as CI, which may wait for their worker', async () => {
    const { options } = await created();
    const user = { name: 'schedule:Nightly.v2' };
    expect(options.action.args).toStrictEqual([{ n: 1 }, { user, caller: 'ci', intent: 'weekly' }]);
    expect(options.action.memo).toMatchObject({ ability: 'backup', environment: 'staging', requested_by: user.name });
  });

  test('is read as it was stated', async () => {
    const { options } = await created(SPEC, 'registry/schedules.yaml');
    expect(readSpec(described(options), SPEC.id)).toEqual({ spec: SPEC, stated_in: 'registry/schedules.yaml' });
    const { intent: _, ...plain } = SPEC;
    const bare = (await created(plain as typeof SPEC)).options;
    expect(readSpec(described(bare), SPEC.id)).toStrictEqual({ spec: plain, stated_in: null });
  });

  test('that exists is accepted if it is the same, and refused otherwise', async () => {
    const { options, answer } = await created();
    expect(answer).toEqual({ created: true });
    expect((await created(SPEC, undefined, options)).answer).toEqual({ created: false });
    for (const other of [
      { input: { n: 2 } },
      { cron: '@hourly' },
      { overlap: 'buffer_all' as const },
      { intent: 'x' },
    ]) {
      const refused = await errorOfAsync(() => created({ ...SPEC, ...other }, undefined, options));
      expect(refused.code).toBe('schedule.exists');
    }
    expect((await errorOfAsync(() => created(SPEC, 'registry/schedules.yaml', options))).code).toBe('schedule.exists');
  });

  test.each(['', 'a:b', 'a b', 'n'.repeat(41)])('cannot have the name %j', async (id) => {
    expect((await errorOfAsync(() => created({ ...SPEC, id }))).code).toBe('usage.invalid');
  });
});

test.each([
  [{ cron: '0 9 * * 5#2' }, 'the day of week cannot be "5#2"'],
  [{ cron: '30 2 30 2 *' }, 'it never fires'],
  [{ timezone: 'Middle/Earth' }, 'There is no time zone "Middle/Earth"'],
])('times that cron does not have are refused before the server is asked: %j', async (wrong, mistake) => {
  const refused = await errorOfAsync(() => createSchedule({} as Connection, { ...specOf('a'), ...wrong }));
  expect(refused).toMatchObject({ code: 'usage.invalid', message: expect.stringContaining(mistake) });
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

import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { Connection, SeenSchedule, TaskEnd } from '../../../../../src/client/index.js';
import { END_STATES } from '../../../../../src/contracts/states.js';
import { TaskMetrics } from '../../../../../src/doors/http/metrics/task-metrics.js';
import { readMetrics, sampleOf } from '../../../../fixtures/read-metrics.js';

const MINUTE = 60_000;
const START = Date.parse('2026-11-23T12:00:00Z');

/** Metrics over a Temporal that lists the ends of the test, each visible from its own time. */
function metricsOver(ended: (TaskEnd & { at: number; seen?: number })[], schedules: object[] = []) {
  const registry = new Registry();
  const clock = { now: START };
  const since: number[] = [];
  const newRuns: string[][] = [];
  const tasks = new TaskMetrics(registry, () => clock.now, {
    readEnds: async (_, from, isKnown = () => false) => {
      since.push(from.getTime());
      const listed = ended.filter(({ at, seen = at }) => at >= from.getTime() && seen <= clock.now);
      newRuns.push(listed.filter(({ run }) => !isKnown(run)).map(({ run }) => run));
      return listed;
    },
    countOpen: async (_, environment) => ({ environment, open: 3, waitingForApproval: 2, waitingForTurn: 1 }),
    listSchedules: async () => schedules as SeenSchedule[],
    readQueues: async (_, environment) => [
      { environment, placement: 'local', workers: 1, backlog: 4, backlogSeconds: 5 },
      { environment, placement: 'cloud', workers: 0, backlog: undefined, backlogSeconds: undefined },
    ],
  });
  return {
    since,
    newRuns,
    lose: () => tasks.lose(),
    async look(afterMs: number, abilities: string[] = []) {
      clock.now += afterMs;
      await tasks.look({} as Connection, { environments: ['dev'], abilities });
      return readMetrics(await registry.metrics());
    },
    read: async () => readMetrics(await registry.metrics()),
  };
}

const end = (run: string, at: number, more: object = {}) => ({
  run,
  ability: 'a',
  environment: 'dev',
  status: 'succeeded' as const,
  seconds: 2,
  at: START + at,
  ...more,
});

test('each end is counted once, even if the list shows it late, and none from before the door was opened', async () => {
  const over = metricsOver([
    end('before', -1000),
    end('1', 1000),
    end('late', 2000, { seen: START + 40_000, status: 'failed' }),
    end('2', 35_000),
  ]);
  const counts = async (afterMs: number): Promise<(number | undefined)[]> => {
    const samples = await over.look(afterMs);
    return ['succeeded', 'failed'].map((status) => sampleOf(samples, 'ability_task_ends_total', { status }));
  };
  expect(await counts(10_000)).toEqual([1, 0]);
  expect(await counts(0)).toEqual([1, 0]);
  expect(await counts(30_000)).toEqual([2, 1]);
  expect(await counts(5 * MINUTE)).toEqual([2, 1]);
  expect(await counts(5 * MINUTE)).toEqual([2, 1]);
  expect(sampleOf(await over.read(), 'ability_task_duration_seconds_sum')).toBe(6);
  expect(sampleOf(await over.read(), 'ability_task_duration_seconds_count')).toBe(3);
  expect(over.newRuns).toEqual([['1'], [], ['late', '2'], [], []]);
  expect(over.since.map((since) => since - START)).toEqual([0, 0, 0, 0, 40_000 + 5 * MINUTE - MINUTE]);
});

test('a value that a server does not count is omitted, and not reported as zero', async () => {
  const samples = await metricsOver([]).look(0);
  const of = (name: string, labels = {}) => sampleOf(samples, name, labels);
  expect(of('ability_tasks_open', { environment: 'dev' })).toBe(3);
  expect(of('ability_tasks_waiting', { for: 'approval' })).toBe(2);
  expect(of('ability_tasks_waiting', { for: 'turn' })).toBe(1);
  expect(of('ability_workers', { placement: 'cloud' })).toBe(0);
  expect(of('ability_queue_backlog', { placement: 'local' })).toBe(4);
  expect(of('ability_queue_backlog_age_seconds', { placement: 'local' })).toBe(5);
  expect(of('ability_queue_backlog', { placement: 'cloud' })).toBeUndefined();
  expect(of('ability_temporal_up')).toBe(1);
});

test('while Temporal does not answer, the gauges are omitted and the counters stay', async () => {
  const over = metricsOver([end('1', 0)]);
  await over.look(1000);
  over.lose();
  const samples = await over.read();
  expect(sampleOf(samples, 'ability_temporal_up')).toBe(0);
  expect(sampleOf(samples, 'ability_tasks_open')).toBeUndefined();
  expect(sampleOf(samples, 'ability_workers')).toBeUndefined();
  expect(sampleOf(samples, 'ability_task_ends_total', { status: 'succeeded' })).toBe(1);
});

test('200 pairs of ability and environment are named, and the others are counted together', async () => {
  const ends = Array.from({ length: 250 }, (_, n) => end(`run ${n}`, n, { ability: `ability-${n}` }));
  const samples = (await metricsOver(ends).look(1000)).filter(
    ({ name, labels }) => name === 'ability_task_ends_total' && labels.status === 'succeeded',
  );
  expect(samples).toHaveLength(201);
  expect(sampleOf(samples, 'ability_task_ends_total', { ability: '(others)' })).toBe(50);
});

test('the ends of each ability of the project start at 0 in every status, so that an increase shows the first one', async () => {
  const over = metricsOver([end('1', 5000, { ability: 'defined', status: 'failed' })]);
  const before = await over.look(1000, ['defined', 'idle']);
  const at = (samples: typeof before, status: string) =>
    sampleOf(samples, 'ability_task_ends_total', { ability: 'defined', status });
  expect(END_STATES.map((status) => at(before, status))).toEqual(END_STATES.map(() => 0));
  const after = await over.look(10_000, ['defined', 'idle']);
  expect([at(after, 'failed'), at(after, 'succeeded')]).toEqual([1, 0]);
  expect(sampleOf(after, 'ability_task_ends_total', { ability: 'idle', status: 'failed' })).toBe(0);
});

test('if there is no room for all abilities, those that run have priority', async () => {
  const over = metricsOver([end('1', 0, { ability: 'last' })]);
  const many = [...Array.from({ length: 200 }, (_, n) => `ability-${n}`), 'last'];
  const samples = await over.look(1000, many);
  expect(sampleOf(samples, 'ability_task_ends_total', { ability: 'last', status: 'succeeded' })).toBe(1);
  expect(sampleOf(samples, 'ability_task_ends_total', { ability: 'ability-0', status: 'succeeded' })).toBeUndefined();
});

test('firings are counted by schedule and status, those without a task since the door was opened', async () => {
  const counts = { fired: 9, missed: 2, skipped: 0 };
  const refused = end('1', 1000, { schedule: 'backup', status: 'unavailable' });
  const over = metricsOver([refused], [{ spec: { id: 'backup', environment: 'dev' }, counts }]);
  const counted = async (afterMs: number): Promise<(number | undefined)[]> => {
    const samples = await over.look(afterMs);
    const of = (status: string) => sampleOf(samples, 'ability_schedule_firings_total', { schedule: 'backup', status });
    return ['unavailable', 'succeeded', 'missed', 'skipped'].map(of);
  };
  expect(await counted(0)).toEqual([0, 0, 0, 0]);
  Object.assign(counts, { missed: 3, skipped: 1 });
  expect(await counted(2000)).toEqual([1, 0, 1, 1]);
  expect(await counted(2000)).toEqual([1, 0, 1, 1]);
});

import { expect, test } from 'vitest';
import type { ScheduleSpec } from '../../../../src/contracts/schedules.js';
import { compareSchedules } from '../../../../src/planning/schedules/stated-schedules.js';

const spec = (id: string, more: Partial<ScheduleSpec> = {}): ScheduleSpec => ({
  id,
  ability: 'backup',
  environment: 'prod',
  input: {},
  cron: '0 3 * * *',
  timezone: 'UTC',
  overlap: 'skip',
  jitter_ms: 0,
  catch_up_ms: 3_600_000,
  ...more,
});
const file = 'registry/high-level/backup.yaml';
const stated = (id: string, more?: Partial<ScheduleSpec>) => ({ spec: spec(id, more), file });
const known = (id: string, stated_in: string | null = file) => ({ spec: spec(id), stated_in });
const drifts = (...[a, b]: Parameters<typeof compareSchedules>) =>
  compareSchedules(a, b).map(({ id, drift }) => [id, drift]);

test('nothing differs if there are no schedules, or if both sides agree', () => {
  expect(drifts([], [])).toEqual([]);
  expect(drifts([stated('a'), stated('b')], [known('b'), known('a')])).toEqual([]);
});

test('each difference has its name: missing, changed, left behind, taken by hand', () => {
  const wanted = [stated('new'), stated('changed', { cron: '0 4 * * *' }), stated('taken')];
  expect(drifts(wanted, [known('changed'), known('taken', null), known('old')])).toEqual([
    ['changed', 'differs'],
    ['new', 'missing'],
    ['old', 'left'],
    ['taken', 'taken'],
  ]);
});

test('a schedule that was created by hand, and is stated nowhere, is ignored', () => {
  expect(drifts([], [known('mine', null)])).toEqual([]);
});

test('a schedule that moved to another file differs, so that its file is up to date', () => {
  expect(drifts([stated('a')], [known('a', 'registry/high-level/old.yaml')])).toEqual([['a', 'differs']]);
});

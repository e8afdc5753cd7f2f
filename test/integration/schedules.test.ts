import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  backfillSchedule,
  createSchedule,
  deleteSchedule,
  fireSchedule,
  listSchedules,
  listTasks,
  pauseSchedule,
  readApprovals,
  resumeSchedule,
  type ShownSchedule,
  showSchedule,
  viewTask,
} from '../../src/client/index.js';
import { scheduleIdOf, taskQueueOf } from '../../src/contracts/names.js';
import type { ScheduleSpec } from '../../src/contracts/schedules.js';
import { firingIdOf } from '../../src/rules/tasks/task-ids.js';
import { operation, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({
    ...operation('greet.user', 'return { text: "hello " + input.name };', { effects: 'read' }),
    ...workflow(
      'greets',
      `
input_schema: { type: object, required: [name], properties: { name: { type: string } } }
steps: [{ id: greet, call: greet.user, with: { name: "\${{ input.name }}" } }]
output: \${{ steps.greet.output }}`,
    ),
    ...workflow('waits', 'steps: [{ id: ask, approval: { title: Go on? } }]'),
    ...workflow('guarded', 'steps: [{ id: a, let: { x: 1 } }]'),
    'registry/hooks/PreAbilityCreate.yaml': `
hooks:
  - id: frozen
    blocking: true
    match: { abilities: [guarded] }
    handler: { expression: { deny_if: 'true', reason: Nothing is deployed at night., suggestion: Wait for the morning. } }
`,
  });
});
afterAll(() => project?.stop());

const NEVER = '0 0 1 1 *';
const specOf = (id: string, ability: string, more: Partial<ScheduleSpec> = {}): ScheduleSpec => ({
  id,
  ability,
  environment: 'dev',
  input: {},
  cron: NEVER,
  timezone: 'UTC',
  overlap: 'skip',
  jitter_ms: 0,
  catch_up_ms: 3_600_000,
  ...more,
});
const shown = (id: string): Promise<ShownSchedule> => showSchedule(project.connection, id);
const ended = async (id: string) => {
  await expect.poll(async () => (await shown(id)).firings[0]?.status ?? 'open', { timeout: 30_000 }).not.toBe('open');
  return (await shown(id)).firings[0];
};

test('a firing is an ordinary task: key, input, record and requester', async () => {
  await createSchedule(project.connection, specOf('nightly', 'greets', { input: { name: 'Ada' }, intent: 'greet' }));
  await fireSchedule(project.connection, 'nightly');
  const firing = await ended('nightly');
  expect(firing).toMatchObject({ status: 'succeeded', error: null });
  const { result } = await viewTask(project.connection, firing?.task_key as string);
  expect(result).toMatchObject({ status: 'succeeded', output: { text: 'hello Ada' }, ability_id: 'greets' });
  const listed = await listTasks(project.connection, { ability: 'greets', limit: 5 });
  expect(listed).toMatchObject([
    { task_key: firing?.task_key, requested_by: 'schedule:nightly', intent: 'greet', status: 'succeeded' },
  ]);
});

test('a refusal by a guard at 3 am is shown in the schedule with its reason, and nothing has run', async () => {
  await createSchedule(project.connection, specOf('frozen', 'guarded'));
  await fireSchedule(project.connection, 'frozen');
  const firing = await ended('frozen');
  expect(firing).toMatchObject({
    status: 'refused',
    error: { code: 'guard.denied', message: expect.stringContaining('at night'), suggestion: 'Wait for the morning.' },
  });
  const { result } = await viewTask(project.connection, firing?.task_key as string);
  expect(result).toMatchObject({ status: 'unavailable', error: { code: 'guard.denied' }, steps: [] });
});

test('a firing without a worker waits, and becomes one task once a worker is up', async () => {
  await createSchedule(project.connection, specOf('alone', 'greets', { input: { name: 'Ada' } }));
  await project.stopWorkers();
  await fireSchedule(project.connection, 'alone');
  await expect
    .poll(async () => (await shown('alone')).firings, { timeout: 30_000 })
    .toMatchObject([{ status: 'open', task_status: 'running' }]);
  await project.restartWorkers();
  expect(await ended('alone')).toMatchObject({ status: 'succeeded' });
  const { counts } = await shown('alone');
  expect(counts).toEqual({ fired: 1, missed: 0, skipped: 0 });
});

test('firing the same moment again gives the earlier task, not a second one', async () => {
  await createSchedule(project.connection, specOf('again', 'greets', { input: { name: 'Ada' }, cron: '0 3 * * *' }));
  const day = [new Date('2026-03-28T00:00:00Z'), new Date('2026-03-28T12:00:00Z')] as const;
  const statuses = async () => (await shown('again')).firings.map(({ status }) => status);
  await backfillSchedule(project.connection, 'again', ...day);
  await expect.poll(statuses, { timeout: 30_000 }).toEqual(['succeeded']);
  await backfillSchedule(project.connection, 'again', ...day);
  await expect.poll(statuses, { timeout: 30_000 }).toEqual(['succeeded', 'succeeded']);
  // The second execution under the key was answered by the first, and called nothing.
  const [second, first] = (await shown('again')).firings;
  expect(second?.task_key).toBe(first?.task_key);
  const { events } = await project.connection.temporal.workflow.getHandle(String(second?.task_key)).fetchHistory();
  expect(events?.filter(({ activityTaskScheduledEventAttributes: call }) => call)).toEqual([]);
});

test('a terminated firing is shown as terminated; one started by hand does not belong to the schedule', async () => {
  const { connection } = project;
  await createSchedule(connection, specOf('ends', 'waits'));
  await fireSchedule(connection, 'ends');
  await expect
    .poll(async () => (await shown('ends')).firings, { timeout: 30_000 })
    .toMatchObject([{ status: 'open', task_status: 'waiting_approval' }]);
  const [firing] = (await shown('ends')).firings;
  await connection.temporal.workflow.getHandle(firing?.task_key as string).terminate('by hand');
  const terminated = await ended('ends');
  expect(terminated).toMatchObject({ status: 'terminated', error: null });
  const end = await project.wait(terminated?.task_key as string);
  expect(end).toMatchObject({ kind: 'ended', result: { status: 'cancelled' } });
  // A task like any other: whoever may start workflows may start this one, under its guards.
  const started = connection.temporal.workflow.execute('greets', {
    workflowId: `${firingIdOf(connection.project, 'ends')}-2026-01-01T00:00:00Z`,
    taskQueue: taskQueueOf(connection.project, 'dev', 'local'),
    args: [{ name: 'x' }],
  });
  expect(await started).toMatchObject({ status: 'succeeded' });
  expect((await shown('ends')).firings).toHaveLength(1);
});

test('an input that no longer fits the contract is refused as input.invalid', async () => {
  await createSchedule(project.connection, specOf('broken', 'greets'));
  await fireSchedule(project.connection, 'broken');
  expect(await ended('broken')).toMatchObject({ status: 'refused', error: { code: 'input.invalid' } });
});

test('while the task of the last firing is open, the next firing is skipped and counted', async () => {
  await createSchedule(project.connection, specOf('ticks', 'waits', { cron: '* * * * *' }));
  // Cron has no seconds.
  const handle = project.connection.temporal.schedule.getHandle(scheduleIdOf(project.connection.project, 'ticks'));
  await handle.update((found) => ({ ...found, spec: { intervals: [{ every: 1000 }] } }));
  await expect.poll(async () => (await shown('ticks')).counts.skipped, { timeout: 30_000 }).toBeGreaterThan(0);
  await expect
    .poll(async () => (await shown('ticks')).firings[0]?.task_status, { timeout: 30_000 })
    .toBe('waiting_approval');
  await pauseSchedule(project.connection, 'ticks', 'enough');
  const { firings, counts, paused, note } = await shown('ticks');
  expect({ fired: counts.fired, paused, note }).toEqual({ fired: 1, paused: true, note: 'enough' });
  expect(firings).toMatchObject([{ status: 'open', task_status: 'waiting_approval' }]);
  const key = firings[0]?.task_key as string;
  expect(await readApprovals(project.connection, key)).toMatchObject([
    { requested_by: { name: 'schedule:ticks', source: 'claimed' } },
  ]);
  await resumeSchedule(project.connection, 'ticks', 'go on');
  expect(await shown('ticks')).toMatchObject({ paused: false, note: 'go on' });
  await deleteSchedule(project.connection, 'ticks');
  await expect(shown('ticks')).rejects.toMatchObject({ code: 'schedule.not_found' });
  expect((await viewTask(project.connection, key)).result.status).toBe('waiting_approval');
});

test('creating the same schedule twice gives one; another under its name is refused', async () => {
  const spec = specOf('once', 'greets', { input: { name: 'Ada' } });
  expect(await createSchedule(project.connection, spec)).toEqual({ created: true });
  expect(await createSchedule(project.connection, spec)).toEqual({ created: false });
  await expect(createSchedule(project.connection, { ...spec, cron: '0 4 * * *' })).rejects.toMatchObject({
    code: 'schedule.exists',
  });
});

test.each([
  ['cron', { cron: 'every morning' }],
  ['day', { cron: '0 9 * * 5#2' }],
  ['date', { cron: '30 2 30 2 *' }],
  ['interval', { cron: '@every 5m' }],
  ['timezone', { timezone: 'Middle/Earth' }],
])('a %s that cron does not have is refused, and nothing is created', async (_, wrong) => {
  await expect(createSchedule(project.connection, specOf('wrong', 'greets', wrong))).rejects.toMatchObject({
    code: 'usage.invalid',
  });
  await expect(shown('wrong')).rejects.toMatchObject({ code: 'schedule.not_found' });
});

test('a backfill catches up on each firing of the period, in order, each with its own key', async () => {
  await createSchedule(project.connection, specOf('filled', 'greets', { input: { name: 'Ada' }, cron: '0 3 * * *' }));
  await backfillSchedule(
    project.connection,
    'filled',
    new Date('2026-03-28T00:00:00Z'),
    new Date('2026-03-30T12:00:00Z'),
  );
  await expect
    .poll(async () => (await shown('filled')).firings.map(({ status }) => status), { timeout: 30_000 })
    .toEqual(['succeeded', 'succeeded', 'succeeded']);
  expect((await shown('filled')).firings.map(({ task_key }) => task_key)).toEqual([
    `${firingIdOf(project.connection.project, 'filled')}-2026-03-30T03:00:00Z`,
    `${firingIdOf(project.connection.project, 'filled')}-2026-03-29T03:00:00Z`,
    `${firingIdOf(project.connection.project, 'filled')}-2026-03-28T03:00:00Z`,
  ]);
});

test('across a clock change a firing keeps the time of its zone: none is missed, and none happens twice', async () => {
  const zone = { timezone: 'Europe/Berlin', cron: '0 3 * * *', input: { name: 'Ada' } };
  await createSchedule(project.connection, specOf('zoned', 'greets', zone));
  await backfillSchedule(
    project.connection,
    'zoned',
    new Date('2026-03-28T00:00:00Z'),
    new Date('2026-03-30T12:00:00Z'),
  );
  await expect.poll(async () => (await shown('zoned')).firings.length, { timeout: 30_000 }).toBe(3);
  expect((await shown('zoned')).firings.map(({ scheduled_for }) => scheduled_for)).toEqual([
    '2026-03-30T01:00:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-28T02:00:00.000Z',
  ]);
});

test.each([
  ['does not have', 'gap', '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z', []],
  ['has twice', 'twice', '2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z', ['01:30']],
])('a backfill covers a time that the day %s', async (_, id, from, to, times) => {
  const zone = { timezone: 'Europe/Berlin', cron: '30 2 * * *', input: { name: 'Ada' } };
  await createSchedule(project.connection, specOf(id, 'greets', zone));
  await backfillSchedule(project.connection, id, new Date(from), new Date(to));
  const fired = (): Promise<number> => shown(id).then(({ counts }) => counts.fired);
  await expect.poll(fired, { timeout: 30_000 }).toBe(times.length);
  // Temporal handles a manual firing after it has read the backfill.
  await fireSchedule(project.connection, id);
  await expect.poll(fired, { timeout: 30_000 }).toBe(times.length + 1);
  const day = to.slice(0, 10);
  const firings = (await shown(id)).firings.filter(({ scheduled_for }) => scheduled_for.startsWith(day));
  expect(firings.map(({ scheduled_for }) => scheduled_for.slice(11, 16))).toEqual(times);
});

test('the list has only the schedules of the project, sorted by name', async () => {
  const listed = await listSchedules(project.connection);
  const names = listed.map(({ spec }) => spec.id);
  expect(names).toEqual([...names].sort());
  expect(names).toContain('nightly');
});

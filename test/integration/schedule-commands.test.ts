import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createSchedule, deleteSchedule, listSchedules } from '../../src/client/index.js';
import { scheduleIdOf } from '../../src/contracts/names.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, TEST_KEYS } from '../fixtures/running-project.js';

const FILE = 'registry/high-level/backup.yaml';
const backup = (...schedules: string[]) =>
  workflow(
    'backup',
    `
scope: { environments: [dev, closed] }
input_schema: { type: object, required: [table], properties: { table: { type: string } } }
${schedules.length > 0 ? `schedules: [${schedules.join(', ')}]` : ''}
steps: [{ id: a, let: { x: 1 } }]`,
  )[FILE] as string;
const entry = (id: string, more = 'input: { table: users }') =>
  `{ id: ${id}, cron: "0 0 1 1 *", environment: dev, ${more} }`;

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {}, closed: {}, prod: { protected: true } }', 'default_environment: dev\n'),
    [FILE]: backup(),
  });
});
afterAll(() => project?.stop());

const options = (env: Record<string, string> = {}) => ({
  cwd: project.root,
  env: { TEMPORAL_ADDRESS: inject('temporal').address, ABILITY_SEAL_KEYS: TEST_KEYS, ...env },
});
const schedule = (...args: string[]) => ability(['schedule', ...args], options());
const names = async () => (await listSchedules(project.connection)).map(({ spec }) => spec.id);

test('sync checks all schedules before it changes anything, and locates the one that is invalid', async () => {
  project.write({ [FILE]: backup(entry('a-sound'), entry('b-broken', 'input: { table: 7 }')) });
  const refused = await abilityJson(['schedule', 'sync'], options());
  expect(refused.exitCode).toBe(2);
  expect(refused.json.error).toMatchObject({
    code: 'input.invalid',
    location: { file: FILE, line: expect.any(Number) },
  });
  expect(await names()).toEqual([]);
});

test('sync creates, changes and deletes; --check exits with 1 if anything differs, and changes nothing', async () => {
  project.write({ [FILE]: backup(entry('one'), entry('two')) });
  expect(await schedule('sync', '--check')).toMatchObject({ exitCode: 1 });
  expect(await names()).toEqual([]);
  expect(await schedule('sync')).toMatchObject({ exitCode: 0, stdout: 'one: created\ntwo: created' });
  expect(await schedule('sync', '--check')).toMatchObject({ exitCode: 0, stdout: '' });
  project.write({ [FILE]: backup(entry('one', 'input: { table: orders }')) });
  expect((await schedule('list')).stdout).toMatch(/one .*\n.*two /s);
  expect(await schedule('sync')).toMatchObject({ exitCode: 0, stdout: 'one: changed\ntwo: deleted' });
  expect(await names()).toEqual(['one']);
});

test('a broken file stops sync, which deletes no schedule that the file may define', async () => {
  project.write({ [FILE]: 'id: backup\nschedules: [' });
  const { exitCode, json } = await abilityJson(['schedule', 'sync'], options());
  expect({ exitCode, file: json.error.location.file }).toEqual({ exitCode: 2, file: FILE });
  expect(await names()).toEqual(['one']);
});

test('a schedule created by hand is neither taken over nor changed by sync', async () => {
  project.write({ [FILE]: backup() });
  expect((await schedule('sync')).stdout).toBe('one: deleted');
  const created = await schedule('create', 'backup', '--name', 'mine', '--cron', '@daily', '--set', 'table=users');
  expect(created).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('mine') });
  expect(await schedule('sync')).toMatchObject({ exitCode: 0, stdout: '' });
  project.write({ [FILE]: backup(entry('mine')) });
  expect(await abilityJson(['schedule', 'sync'], options())).toMatchObject({
    exitCode: 2,
    json: { error: { code: 'schedule.exists' } },
  });
  project.write({ [FILE]: backup() });
});

test.each([
  ['an unknown ability', ['backups'], 'ability.not_found'],
  ['an unknown environment', ['backup', '--env', 'nowhere', '--set', 'table=a'], 'environment.not_found'],
  ['an environment outside of the scope', ['backup', '--env', 'prod', '--set', 'table=a'], 'scope.environment'],
  ['an input that breaks the contract', ['backup'], 'input.invalid'],
  ['an input with masks of secrets', ['backup', '--set', 'table=***'], 'record.masked'],
  ['a time that cron does not have', ['backup', '--set', 'table=a', '--cron', '0 9 * * 5#2'], 'usage.invalid'],
  ['a name that is no part of a key', ['backup', '--name', '../x', '--set', 'table=a'], 'usage.invalid'],
])('create refuses %s, and creates nothing', async (_, args, code) => {
  const before = await names();
  const { exitCode, json } = await abilityJson(['schedule', 'create', '--cron', '@daily', ...args], options());
  expect({ exitCode, code: (json.error ?? json).code }).toEqual({ exitCode: expect.any(Number), code });
  expect(exitCode).not.toBe(0);
  expect(await names()).toEqual(before);
});

test('create names the next day on which the clock takes a time away, and lint does so in the same words', async () => {
  const times = ['--cron', '30 2 * * *', '--timezone', 'Europe/Berlin'];
  const created = await schedule('create', 'backup', '--name', 'gone', '--set', 'table=a', ...times);
  const note =
    /On \d{4}-03-\d\d there is no 02:30 in Europe\/Berlin, since the clock goes forward: it does not fire then/;
  expect(created).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(note) });
  expect(await schedule('delete', 'gone')).toMatchObject({ exitCode: 0 });
  const stated = '{ id: gone, cron: "30 2 * * *", timezone: Europe/Berlin, environment: dev, input: { table: a } }';
  project.write({ [FILE]: backup(stated) });
  const linted = await ability(['lint', '--json'], options());
  project.write({ [FILE]: backup() });
  expect(linted).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(note) });
});

test('firings ignore the session of the shell in which the schedule was created', async () => {
  const env = { ABILITY_SESSION: 'of-the-shell' };
  const args = ['schedule', 'create', 'backup', '--name', 'alone', '--cron', '@yearly', '--set', 'table=users'];
  expect(await ability(args, options(env))).toMatchObject({ exitCode: 0 });
  expect(await schedule('run', 'alone')).toMatchObject({ exitCode: 0 });
  await expect
    .poll(async () => (await abilityJson(['schedule', 'show', 'alone'], options())).json.firings[0]?.status, {
      timeout: 30_000,
    })
    .toBe('succeeded');
});

test('pause and resume record who did it, and why; delete leaves the tasks', async () => {
  expect(await schedule('pause', 'mine', '--comment', 'freeze')).toMatchObject({ exitCode: 0 });
  expect((await schedule('show', 'mine')).stdout).toContain('paused by tester: freeze');
  expect(await schedule('resume', 'mine')).toMatchObject({ exitCode: 0 });
  expect((await schedule('show', 'mine')).stdout).toContain('resumed by tester');
  expect(await schedule('delete', 'mine')).toMatchObject({ exitCode: 0 });
  expect(await abilityJson(['schedule', 'show', 'mine'], options())).toMatchObject({
    exitCode: 2,
    json: { error: { code: 'schedule.not_found' } },
  });
});

/** Months to minutes of the firings, in UTC, as the server computes them. */
async function matching(id: string, zone: { cron: string; timezone: string }, from: string, to: string) {
  const { temporal, project: name } = project.connection;
  const own = { ability: 'backup', environment: 'dev', input: { table: 'users' }, overlap: 'skip' as const };
  await createSchedule(project.connection, { id, ...zone, ...own, jitter_ms: 0, catch_up_ms: 0 });
  const moment = (text: string) => ({ seconds: (Date.parse(text) / 1000) as never });
  const { startTime } = await temporal.workflowService.listScheduleMatchingTimes({
    namespace: temporal.options.namespace,
    scheduleId: scheduleIdOf(name, id),
    startTime: moment(from),
    endTime: moment(to),
  });
  await deleteSchedule(project.connection, id);
  return startTime.map(({ seconds }) => new Date(Number(seconds) * 1000).toISOString().slice(5, 16)).join(' ');
}

const BERLIN = ['2027-10-30T22:30:00Z', '2027-10-31T03:30:00Z'] as const;
const NEW_YORK = ['2027-11-07T04:10:00Z', '2027-11-07T07:50:00Z'] as const;
const ZONED = 'Europe/Berlin';

test.each([
  ['0 * * * *', ZONED, ...BERLIN, '10-30T23:00 10-31T00:00 10-31T01:00 10-31T02:00 10-31T03:00'],
  ['*/30 2 * * *', ZONED, ...BERLIN, '10-31T00:00 10-31T00:30 10-31T01:00 10-31T01:30'],
  ['30 1 * * *', ZONED, ...BERLIN, '10-30T23:30'],
  ['30 2 * * *', ZONED, ...BERLIN, '10-31T01:30'],
  ['0 * * * *', ZONED, '2027-03-27T23:30:00Z', '2027-03-28T02:30:00Z', '03-28T00:00 03-28T01:00 03-28T02:00'],
  ['30 2 * * *', ZONED, '2027-03-27T12:00:00Z', '2027-03-29T12:00:00Z', '03-29T00:30'],
  ['30 1 * * *', 'America/New_York', ...NEW_YORK, '11-07T05:30 11-07T06:30'],
  ['30 * * * *', 'America/New_York', ...NEW_YORK, '11-07T04:30 11-07T05:30 11-07T06:30 11-07T07:30'],
  ['15 * * * *', 'Asia/Kathmandu', '2027-01-01T00:00:00Z', '2027-01-01T01:59:00Z', '01-01T00:30 01-01T01:30'],
  [
    '0 9 13 * 5',
    'UTC',
    '2027-08-06T00:00:00Z',
    '2027-09-14T00:00:00Z',
    '08-06T09:00 08-13T09:00 08-20T09:00 08-27T09:00 09-03T09:00 09-10T09:00 09-13T09:00',
  ],
  ['0 9 13 * 5', ZONED, '2027-09-01T00:00:00Z', '2027-09-14T00:00:00Z', '09-03T07:00 09-10T07:00 09-13T07:00'],
  ['* * 29 2 *', ZONED, '2027-01-01T00:00:00Z', '2028-02-28T23:01:30Z', '02-28T23:00 02-28T23:01'],
])('Temporal fires %s in %s as the manual says', async (cron, timezone, from, to, times) => {
  expect(await matching('matched', { cron, timezone }, from, to)).toBe(times);
});

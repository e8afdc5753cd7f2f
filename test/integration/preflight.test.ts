import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { explainTask, listTasks } from '../../src/client/index.js';
import { ACTIVITIES } from '../../src/contracts/names.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const GUARDS = `hooks:
  - { id: gate, blocking: true, match: { abilities: [gated] }, handler: { script: { path: hooks/gate.mjs } } }
  - { id: never, blocking: true, match: { abilities: [never] }, handler: { expression: { deny_if: "true", reason: closed } } }
`;
/** Notes its start and its end, to detect two that run at once. */
const HOOK = `import { appendFileSync } from 'node:fs';
const note = (what) => appendFileSync('notes.txt', what + '\\n');
note('begins');
await new Promise((resolve) => setTimeout(resolve, 300));
note('ends');
process.stdout.write('{"guard_decision": "allow"}');
`;

let project: RunningProject;
beforeAll(async () => {
  const steps = 'input_schema: { type: object }\nsteps: [{ id: e, call: util.echo, with: {} }]';
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    'registry/hooks/PreAbilityCreate.yaml': GUARDS,
    'hooks/gate.mjs': HOOK,
    ...operation('util.echo', 'return input;'),
    ...workflow('gated', steps),
    ...workflow('never', steps),
  });
});
afterAll(() => project.stop());

async function eventsOf(key: string) {
  const { temporal, codec } = project.connection;
  const { events } = await temporal.workflow.getHandle(key).fetchHistory();
  const given = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return { events: events ?? [], given, decoded: await codec.decode(given) };
}
const textOf = ({ data }: { data?: Uint8Array | null }) => Buffer.from(data ?? []).toString();

test('a task is one execution: its preflight is the first event of its own, and holds its plan', async () => {
  const input = { text: 'hello' };
  expect(await project.run('util.echo', input, { key: 'seen' })).toMatchObject({ status: 'succeeded' });
  const { events, given } = await eventsOf('seen');
  const marker = events.findIndex(({ markerRecordedEventAttributes: one }) => one);
  const scheduled = events.findIndex(({ activityTaskScheduledEventAttributes: one }) => one);
  expect(marker).toBe(4);
  expect(scheduled).toBeGreaterThan(marker);
  // The input comes first and alone; a client sends neither plan nor seal.
  expect(JSON.parse(textOf(given[0] ?? {}))).toEqual(input);
  expect(given.map(textOf).join()).not.toMatch(/plan|seal|mac/);
  expect(textOf(events[marker]?.markerRecordedEventAttributes?.details?.data?.payloads?.[0] ?? {})).toContain(
    ACTIVITIES.preflight,
  );
  const { temporal } = project.connection;
  const ofProject = `AbilityProject = '${project.connection.project}'`;
  await expect.poll(async () => (await temporal.workflow.count(ofProject)).count).toBe(1);
  expect((await temporal.activity.count(`ActivityId = 'preflight:${project.connection.project}:seen'`)).count).toBe(0);
});

test('hooks before creation that are scripts run in one activity named after the phase', async () => {
  expect(await project.run('gated', {}, { key: 'by-script' })).toMatchObject({ status: 'succeeded' });
  const { events } = await eventsOf('by-script');
  const types = events.flatMap(({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name ?? []);
  expect(types).toEqual(['PreAbilityCreate', 'util.echo']);
});

test('runs once per key, and all callers get one task', async () => {
  const before = notes().length;
  const all = await Promise.all(Array.from({ length: 6 }, () => project.create('gated', {}, { key: 'crowd' })));
  expect(new Set(all.map(({ runId }) => runId)).size).toBe(1);
  expect(notes().slice(before)).toEqual(['begins', 'ends']);
  expect(await project.wait('crowd')).toMatchObject({ result: { status: 'succeeded' } });
});
const notes = () => readFileSync(join(project.root, 'notes.txt'), 'utf8').trim().split('\n');

test('of callers with other inputs one gets the key', async () => {
  const creations = [1, 2, 3].map((n) => project.create('gated', { n }, { key: 'contested' }).then(() => 'created'));
  const ends = await Promise.all(creations.map((one) => one.catch((error) => error.code)));
  expect(ends.sort()).toEqual(['created', 'task.key_conflict', 'task.key_conflict']);
});

test('is refused if its key has a folder without a record, with the path of the folder', async () => {
  const folder = join(project.root, '.system/implement/occupied');
  mkdirSync(folder, { recursive: true });
  await expect(project.create('gated', { n: 1 }, { key: 'occupied' })).rejects.toMatchObject({
    code: 'task.key_conflict',
    message: `The key occupied is taken: ${folder} exists, but contains no readable record`,
  });
});

test('a refusal leaves no record, is in no list unless asked for, frees the key, and `why` explains it', async () => {
  const { connection } = project;
  await expect(project.create('never', {}, { key: 'refused' })).rejects.toMatchObject({ code: 'guard.denied' });
  expect(existsSync(join(project.root, '.system/implement/refused'))).toBe(false);
  expect(await explainTask(connection, 'refused')).toMatchObject({
    status: 'unavailable',
    input: {},
    error: { code: 'guard.denied', message: 'closed (hook never)' },
  });
  const listed = async (status?: 'unavailable') =>
    (await listTasks(connection, { ability: 'never', limit: 9, ...(status && { status: [status] }) })).map(
      ({ task_key, status: state }) => [task_key, state],
    );
  await expect.poll(() => listed('unavailable')).toEqual([['refused', 'unavailable']]);
  expect(await listed()).toEqual([]);
  expect(await project.run('util.echo', {}, { key: 'refused' })).toMatchObject({ status: 'succeeded' });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  createTask,
  listApprovals,
  type NewTask,
  readApprovals,
  viewTask,
  waitForTask,
} from '../../src/client/index.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import type { AbilityError } from '../../src/contracts/problem.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { callerOf } from '../fixtures/caller.js';
import { LONG } from '../fixtures/extent.js';
import { openDoor } from '../fixtures/http-door.js';
import { connectAgent, doorOf } from '../fixtures/mcp-agent.js';
import { runAs } from '../fixtures/mcp-door-project.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    ...operation(
      'util.touch',
      `const { writeFileSync } = await import('node:fs'); writeFileSync(input.file, ''); return {};`,
    ),
    ...workflow(
      'touches',
      'input_schema: { type: object, properties: { file: { type: string } } }\nsteps: [{ id: a, call: util.touch, with: { file: "${{ input.file }}" } }]',
    ),
    ...workflow('asks', 'steps: [{ id: ask, approval: { title: Go on? } }]'),
    ...workflow('outer', 'steps: [{ id: inner, call: asks }]'),
  });
});
afterAll(() => project.stop());

const fileOf = (key: string) => join(project.root, `${key}.txt`);
const wantedOf = (key: string, more: Partial<NewTask> = {}): NewTask => ({
  ...{ ability: 'touches', environment: 'dev', input: { file: fileOf(key) }, caller: callerOf(), run: true, key },
  ...more,
});
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: AbilityError) => error.code,
  );

async function endOf(key: string) {
  const end = await project.wait(key);
  if (end.kind !== 'ended') throw new Error(`${key} has not ended`);
  return { status: end.result.status, code: end.result.error?.code, ran: existsSync(fileOf(key)) };
}

test('a start that names its limit runs nothing if a worker comes later, and its key is free again', async () => {
  await project.run('touches', { file: fileOf('before') }, { key: 'before' });
  await project.stopWorkers();
  const { workflow: starts } = project.connection.temporal;
  const taskQueue = taskQueueOf(project.connection.project, 'dev', 'local');
  const options = { workflowId: 'limited', taskQueue, args: [{ file: fileOf('limited') }, { start_by: '1s' }] };
  await starts.start('touches', options);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await project.restartWorkers();
  expect(await endOf('limited')).toEqual({ status: 'expired', code: 'task.expired', ran: false });
  expect(await project.run('touches', { file: fileOf('limited') }, { key: 'limited' })).toMatchObject({
    status: 'succeeded',
  });
});

test('what only a worker knows is not "none" while no worker answers, at any door; what others know is shown', {
  ...LONG,
  timeout: 120_000,
}, async () => {
  const { connection } = project;
  const door = await openDoor(connection);
  const agent = await connectAgent(doorOf(project));
  const { task } = (await runAs(agent, 'asks')).told;
  const { id: key } = await project.create('outer');
  await project.startSession('quiet');
  const open = await vi.waitUntil(async () => (await readApprovals(connection, key))[0], { timeout: 20_000 });
  await project.stopWorkers();
  const token = door.token('ada', ['approve']);
  const unavailable = { code: 'worker.unavailable' };
  try {
    const read = ['approvals', `tasks/${key}`, `tasks/${key}/approvals`, `tasks/${key}/result`, 'sessions/quiet'];
    const options = { cwd: project.root, env: { TEMPORAL_ADDRESS: connection.address } };
    const commands = [
      ...[['approvals'], ['approvals', key], ['approve', key], ['session', 'show', 'quiet']],
      ...['show', 'files', 'result'].map((what) => ['task', what, key]),
    ];
    // All at once: each waits for an answer.
    const [codes, answers, decided, told, ends] = await Promise.all([
      Promise.all([listApprovals(connection), readApprovals(connection, key), viewTask(connection, key)].map(codeOf)),
      Promise.all(read.map((path) => door.call('GET', `/v1/${path}`))),
      door.call('POST', `/v1/tasks/${key}/approvals/${open.id}`, { token, body: { decision: 'approve' } }),
      Promise.all([agent.call('approvals_list'), agent.call('task_status', { task })]),
      Promise.all(commands.map((args) => abilityJson(args, options))),
    ]);
    expect(codes).toEqual(Array(3).fill('worker.unavailable'));
    const seenBy = [...answers, decided].map(({ status, body }, at) => ({ path: read[at], status, code: body.code }));
    expect(seenBy).toEqual(seenBy.map(({ path }) => ({ path, status: 503, ...unavailable })));
    const waits = { what: expect.stringContaining('No worker answers') };
    expect(told).toMatchObject([
      { isError: true, told: unavailable },
      { isError: false, told: { status: 'running', waiting_for: [waits] } },
    ]);
    const exits = ends.map(({ exitCode, json }, at) => ({ command: commands[at], exitCode, code: json.error?.code }));
    expect(exits).toEqual(commands.map((command) => ({ command, exitCode: 7, ...unavailable })));
    // The state of a task, what it was started with, and its history are Temporal's.
    const seen = await Promise.all(
      [
        ['task', 'list'],
        ['task', 'get', key],
        ['why', key],
      ].map((args) => ability(args, options)),
    );
    expect(seen.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(seen[0]?.stdout).toContain('waiting_approval');
    expect(seen[2]?.stdout).toContain('No worker answers');
  } finally {
    await project.restartWorkers();
    await agent.close();
    await door.close();
  }
  expect((await listApprovals(connection)).length).toBe(2);
});

// A caller waits for a minute.
test('whoever was told that no worker took it up was told so for good: create, run, and an attached caller', {
  ...LONG,
  timeout: 150_000,
}, async () => {
  await project.run('touches', { file: fileOf('first') }, { key: 'first' });
  await project.stopWorkers();
  const { connection } = project;
  const waits = async (key: string) => {
    await createTask(connection, wantedOf(key, { soon: true }));
    return waitForTask(connection, key, { begins: true });
  };
  const codes = await Promise.all([
    codeOf(createTask(connection, wantedOf('created', { run: false }))),
    codeOf(createTask(connection, wantedOf('acknowledged'))),
    codeOf(waits('waited')),
    codeOf(waits('waited')),
  ]);
  expect(codes).toEqual(Array(4).fill('worker.unavailable'));
  await project.restartWorkers();
  for (const key of ['created', 'acknowledged', 'waited']) {
    expect(await endOf(key)).toEqual({ status: 'expired', code: 'task.expired', ran: false });
  }
});

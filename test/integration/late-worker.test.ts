import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTask, type NewTask, waitForTask } from '../../src/client/index.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import type { AbilityError } from '../../src/contracts/problem.js';
import { callerOf } from '../fixtures/caller.js';
import { isWhole } from '../fixtures/extent.js';
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

// A caller waits for a minute.
test('whoever was told that no worker took it up was told so for good: create, run, and an attached caller', {
  skip: !isWhole('LONG'),
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

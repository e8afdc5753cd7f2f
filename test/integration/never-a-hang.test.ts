import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTask } from '../../src/client/index.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import { nextArguments } from '../../src/rules/tasks/task-arguments.js';
import { callerOf } from '../fixtures/caller.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { readStart } from '../fixtures/read-start.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    ...operation('util.echo', 'if (input.file) appendFileSync(input.file, "ran\\n"); return input;'),
  });
});
afterAll(() => project.stop());

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );
const cli = (...args: string[]) =>
  promisify(execFile)(inject('temporal').binary, [...args, '--address', inject('temporal').address]);

test('no worker on the queue is reported at preflight', async () => {
  const session = { ...project.connection, project: `unserved-${randomUUID()}` };
  const task = {
    ability: 'util.echo',
    environment: 'dev',
    input: {},
    caller: callerOf(),
    run: true,
  } as const;
  const error = await failure(createTask(session, task));
  expect(error).toMatchObject({ code: 'placement.no_worker' });
  expect(error.suggestion).toMatch(/ability worker --env dev/);
});

describe('without preflight', () => {
  const argument = (file: string) => JSON.stringify({ seal: null, path: 'run', with: { file } });

  test('`temporal activity execute` runs nothing', async () => {
    const file = join(project.root, 'forged.txt');
    const queue = taskQueueOf(project.connection.project, 'dev', 'local');
    const args = ['activity', 'execute', '--activity-id', randomUUID(), '--type', 'util.echo', '--task-queue', queue];
    const outcome = await failure(cli(...args, '--start-to-close-timeout', '10s', '--input', argument(file)));
    expect(`${outcome?.stdout}${outcome?.stderr}`).toMatch(/not requested by a task that passed preflight/);
    expect(existsSync(file)).toBe(false);
  });

  test('a workflow started by hand with a stolen or altered seal fails and runs nothing', async () => {
    const { id } = await project.create('util.echo', {}, { run: false });
    const handle = project.connection.temporal.workflow.getHandle(id);
    const start = await readStart(project.connection, id);
    await handle.cancel();
    const file = join(project.root, 'stolen.txt');
    for (const [name, changed] of Object.entries({
      stolen: { ...start, run: true, input: { file } },
      altered: { ...start, run: true, input: { file }, seal: { ...start.seal, task: 'altered' } },
    })) {
      await project.connection.temporal.workflow.start('util.echo', {
        workflowId: name,
        taskQueue: taskQueueOf(project.connection.project, 'dev', 'local'),
        args: nextArguments(changed),
      });
      expect(await project.wait(name)).toMatchObject({
        result: { status: 'unavailable', error: { code: 'seal.invalid' } },
      });
    }
    expect(existsSync(file)).toBe(false);
  });
});

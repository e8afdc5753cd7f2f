import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTask, decide } from '../../src/client/index.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import { packArguments } from '../../src/rules/task-arguments.js';
import { buildMutant } from '../fixtures/mutated-workflows.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { readStart } from '../fixtures/read-start.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    ...operation('util.echo', 'if (input.file) appendFileSync(input.file, "ran\\n"); return input;'),
    ...workflow(
      'asks',
      'steps: [{ id: a, call: util.echo, with: { x: 1 } }, { id: ask, approval: { title: Go on? } }]\nfinally: [{ id: bye, call: util.echo, with: { file: "${{ input.file }}" } }]',
    ),
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

describe('a mistake of ours', () => {
  test('in the interpreter ends the task as failed within five seconds, after its clean-up', async () => {
    const bundle = await buildMutant('bug', {
      file: 'workflows/steps/run-approval.js',
      find: 'run.note(path, step.id, { status: ',
      replace: 'undefined.planted(); run.note(path, step.id, { status: ',
    });
    await project.restartWorkers(bundle);
    const file = join(project.root, 'bug.txt');
    const started = Date.now();
    const result = await project.run('asks', { file });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'internal.error' }, cleanup_ran: true });
    expect(Date.now() - started).toBeLessThan(5000);
    expect(existsSync(file)).toBe(true);
    await project.restartWorkers();
  });

  test('that makes a replay diverge is told as engine.stuck, and goes on once it is mended', async () => {
    const { id } = await project.create('asks', { file: join(project.root, 'nd.txt') });
    expect(await project.wait(id, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
    const bundle = await buildMutant('nondeterminism', {
      file: 'workflows/task.js',
      find: 'await guardTask(run, halt);',
      replace: 'await sleep(1000); await guardTask(run, halt);',
    });
    await project.restartWorkers(bundle);
    const deciding = failure(decide(project.session, id, 'approve', { by: 'x' }));
    expect(await failure(project.wait(id))).toMatchObject({ code: 'engine.stuck' });
    // The decision gives up sooner than three workflow tasks fail.
    expect(await deciding).toMatchObject({ code: expect.stringMatching(/^(engine\.stuck|worker\.unavailable)$/) });
    await project.restartWorkers();
    // Temporal gives the attempt of the old worker ten seconds before it asks another one.
    const again = () => failure(decide(project.session, id, 'approve', { by: 'x' }));
    await expect.poll(again, { timeout: 30_000, interval: 500 }).toBeUndefined();
    expect(await project.wait(id)).toMatchObject({ kind: 'ended', result: { status: 'succeeded' } });
  });
});

test('no worker on the queue is told at preflight', async () => {
  const session = { ...project.session, project: `nobody-${randomUUID()}` };
  const task = {
    ability: 'util.echo',
    environment: 'dev',
    input: {},
    user: { name: 't', source: 'claimed' },
    run: true,
  } as const;
  const error = await failure(createTask(session, task));
  expect(error).toMatchObject({ code: 'placement.no_worker' });
  expect(error.suggestion).toMatch(/ability worker --env dev/);
});

describe('R-000-96: what did not pass preflight', () => {
  const argument = (file: string) => JSON.stringify({ seal: null, path: 'run', with: { file } });

  test('`temporal activity execute` runs nothing', async () => {
    const file = join(project.root, 'forged.txt');
    const queue = taskQueueOf(project.session.project, 'dev', 'local');
    const args = ['activity', 'execute', '--activity-id', randomUUID(), '--type', 'util.echo', '--task-queue', queue];
    const outcome = await failure(cli(...args, '--start-to-close-timeout', '10s', '--input', argument(file)));
    expect(`${outcome?.stdout}${outcome?.stderr}`).toMatch(/not asked for by a task that passed preflight/);
    expect(existsSync(file)).toBe(false);
  });

  test('a workflow started by hand with a seal of its own ends as failed and runs nothing', async () => {
    const { id } = await project.create('util.echo', {}, { run: false });
    const handle = project.session.temporal.workflow.getHandle(id);
    const start = await readStart(project.session, id);
    await handle.cancel();
    const file = join(project.root, 'stolen.txt');
    for (const [name, changed] of Object.entries({
      stolen: { ...start, run: true, input: { file } },
      altered: { ...start, run: true, input: { file }, seal: { ...start.seal, task: 'altered' } },
    })) {
      await project.session.temporal.workflow.start('util.echo', {
        workflowId: name,
        taskQueue: taskQueueOf(project.session.project, 'dev', 'local'),
        args: packArguments(changed),
      });
      expect(await project.wait(name)).toMatchObject({ result: { status: 'failed', error: { code: 'seal.invalid' } } });
    }
    expect(existsSync(file)).toBe(false);
  });
});

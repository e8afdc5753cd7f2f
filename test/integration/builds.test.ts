import { randomBytes } from 'node:crypto';
import type { ResultPromise } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Connection, checkBuilds, connect, createTask, type Stall, waitForTask } from '../../src/client/index.js';
import { deploymentOf } from '../../src/contracts/names.js';
import type { TaskResult, TaskView } from '../../src/contracts/task.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { callerOf } from '../fixtures/caller.js';
import { ability, start } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, workflow } from '../fixtures/project-folder.js';

const KEYS = `test:${randomBytes(32).toString('base64url')}`;
const WAITS = [
  'concurrency: { key: "one-${{ input.lane }}", limit: 1 }',
  'input_schema: { type: object, required: [lane], properties: { lane: { type: string } } }',
  'steps:',
  '  - { id: before, call: util.who }',
  '  - { id: hold, wait: { signal: go } }',
  '  - { id: inner, call: inner }',
  '  - { id: after, call: util.who }',
  'output: { builds: ["${{ steps.before.output.pid }}", "${{ steps.inner.output }}", "${{ steps.after.output.pid }}"] }',
].join('\n');

let project: ProjectFolder;
let connection: Connection;
let deployment: string;
const workers = new Map<string, ResultPromise>();
const args = () => ['--address', inject('temporal').address];
const env = () => ({ ABILITY_SEAL_KEYS: KEYS });

beforeAll(async () => {
  project = makeProject({
    ...operation('util.who', 'return { pid: process.ppid };'),
    ...workflow('waits', WAITS),
    ...workflow('inner', 'steps: [{ id: c, call: util.who }]\noutput: "${{ steps.c.output.pid }}"'),
  });
  const { address } = inject('temporal');
  const name = loadRegistry(project.root).project.project;
  connection = await connect({ root: project.root, project: name, address });
  deployment = deploymentOf(name, 'dev');
});
afterAll(async () => {
  await connection.close();
  for (const worker of workers.values()) worker.kill('SIGTERM');
  await Promise.all(workers.values());
  project.remove();
});

async function serve(build: string): Promise<void> {
  const worker = start(['worker', ...args(), '--build', build], { cwd: project.root, env: env() });
  workers.set(build, worker);
  await new Promise<void>((resolve, reject) => {
    worker.stderr?.on(
      'data',
      (chunk: Buffer) => String(chunk).includes(`build ${build} of ${deployment}`) && resolve(),
    );
    worker.then(({ stderr }) => reject(new Error(String(stderr))));
  });
}

/** As `temporal worker deployment set-current-version` does. */
async function use(buildId: string): Promise<void> {
  const request = { namespace: connection.namespace, deploymentName: deployment, buildId, identity: 'test' };
  // A build is known once its workers have polled.
  await expect
    .poll(
      () =>
        connection.temporal.workflowService.setWorkerDeploymentCurrentVersion(request).then(
          () => 'set',
          (error) => String(error),
        ),
      { timeout: 30_000 },
    )
    .toBe('set');
}

const begin = (key: string, lane = key, onStall?: (stall: Stall) => void) => {
  const wanted = { ability: 'waits', environment: 'dev', input: { lane }, caller: callerOf(), key, run: true };
  return createTask(connection, { ...wanted, ...(onStall && { onStall }) });
};
const go = (key: string) => connection.temporal.workflow.getHandle(key).signal('go');
const pidOf = (build: string): number => workers.get(build)?.pid ?? 0;
/** Once it waits: its view names steps that have not begun, too. */
const held = (key: string) =>
  expect
    .poll(async () => (await connection.temporal.workflow.getHandle(key).query<TaskView>('task')).waits, {
      timeout: 30_000,
    })
    .toMatchObject([{ path: 'hold', for: 'signal' }]);

async function endOf(key: string): Promise<TaskResult> {
  const end = await waitForTask(connection, key, { timeoutMs: 60_000 });
  if (end.kind !== 'ended') throw new Error(JSON.stringify(end));
  return end.result;
}

const buildOf = async (key: string): Promise<string | undefined> => {
  const { raw } = await connection.temporal.workflow.getHandle(key).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
};

describe('builds of workers', { ...LONG, timeout: 120_000 }, () => {
  test('the id of a build is checked', async () => {
    const { exitCode, stderr } = await ability(['worker', ...args(), '--build', 'a b'], {
      cwd: project.root,
      env: env(),
    });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/usage\.invalid.*"a b" is no id of a build/s);
  });

  test('while no build is current, a task waits, and says which command makes one so', async () => {
    await serve('one');
    const stalls: Stall[] = [];
    const begun = begin('build-first', 'build-first', (stall) => stalls.push(stall));
    await expect.poll(() => stalls, { timeout: 20_000 }).not.toEqual([]);
    expect(stalls.map(({ suggestion }) => suggestion)).toEqual([
      `Its workers have builds (one), none of which is current: temporal worker deployment set-current-version --deployment-name ${deployment} --build-id ID`,
    ]);
    const [before] = await checkBuilds(connection, ['dev']);
    expect(before).toMatchObject({ status: 'warning', message: expect.stringContaining('no build is current (one)') });
    await use('one');
    await begun;
    await held('build-first');
    const [after] = await checkBuilds(connection, ['dev']);
    expect(after).toMatchObject({ status: 'ok', message: `${deployment}: new tasks begin on the build one` });
  });

  test('tasks stay on the build that began them, what they call too; new ones begin on the current one', async () => {
    await serve('two');
    await use('two');
    await begin('build-second');
    // It waits for the lock of the first task, which goes on with the current build.
    const third = begin('build-third', 'build-first');
    await held('build-second');
    await go('build-first');
    await go('build-second');
    expect((await endOf('build-first')).output).toEqual({ builds: Array(3).fill(pidOf('one')) });
    expect((await endOf('build-second')).output).toEqual({ builds: Array(3).fill(pidOf('two')) });
    await third;
    await go('build-third');
    expect((await endOf('build-third')).output).toEqual({ builds: Array(3).fill(pidOf('two')) });
  });

  test('rollback: a task of a killed build waits for a worker of it, and is not run by another', async () => {
    await begin('build-fourth');
    await held('build-fourth');
    await use('one');
    workers.get('two')?.kill('SIGKILL');
    await begin('build-fifth');
    await held('build-fifth');
    await go('build-fourth');
    await go('build-fifth');
    expect((await endOf('build-fifth')).output).toEqual({ builds: Array(3).fill(pidOf('one')) });
    const seen = new AbortController();
    const stalls: Stall[] = [];
    const onStall = (stall: Stall) => {
      stalls.push(stall);
      seen.abort();
    };
    await waitForTask(connection, 'build-fourth', { timeoutMs: 60_000, onStall, signal: seen.signal });
    expect(stalls[0]?.suggestion).toMatch(/^Start a worker of its build: ability worker .* --build two$/);
    expect(await buildOf('build-fourth')).toBe('two');
    const [builds] = await checkBuilds(connection, ['dev']);
    expect(builds?.message).toMatch(/begin on the build one; two still has tasks$/);
    const before = pidOf('two');
    await serve('two');
    expect((await endOf('build-fourth')).output).toEqual({ builds: [before, pidOf('two'), pidOf('two')] });
  });

  test('none of twenty tasks is lost while their build drains and another takes over', async () => {
    const keys = Array.from({ length: 20 }, (_, at) => `build-many-${at}`);
    for (const [at, key] of keys.entries()) {
      await begin(key);
      if (at === 9) {
        await held('build-many-0');
        await use('two');
      }
    }
    await Promise.all(keys.map(held));
    const builds = await Promise.all(keys.map(buildOf));
    expect(new Set(builds)).toEqual(new Set(['one', 'two']));
    await Promise.all(keys.map(go));
    const ends = await Promise.all(keys.map(endOf));
    expect(ends.map(({ output }) => output)).toEqual(
      builds.map((build) => ({ builds: Array(3).fill(pidOf(build as string)) })),
    );
  });
});

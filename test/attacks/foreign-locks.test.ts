import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import { findProcesses, markOf } from '../../src/server/processes/processes.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { CLI } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder } from '../fixtures/project-folder.js';
import { WHOLE } from './extent.js';

/** A separate PID namespace, in which all processes end with the first one. */
const OTHER_PIDS = ['unshare', '-p', '-f', '--kill-child', '--mount-proc'];
/** The same with a separate network, as in a container or on another host. */
const OTHER_HOST = ['unshare', '-n', '-p', '-f', '--kill-child', '--mount-proc'];

const canUnshare = spawnSync('unshare', [...OTHER_HOST.slice(1), 'true']).status === 0;

let project: ProjectFolder;
let elsewhere: ResultPromise[];

beforeEach(() => {
  project = makeProject(operation('util.echo', 'return input;'));
  elsewhere = [];
});
afterEach(async () => {
  for (const process of elsewhere) process.kill('SIGKILL');
  await Promise.all(elsewhere);
  for (const { pid } of servers()) process.kill(pid, 'SIGKILL');
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const lockFile = () => join(project.root, '.system/runtime.lock');
const runtimeFile = () => join(project.root, '.system/runtime.json');
const runtime = (): RuntimeFile => JSON.parse(readFileSync(runtimeFile(), 'utf8'));
const servers = () => findProcesses(['--db-filename', join(project.root, '.system/temporal/temporal.db')]);
const untilUp = () =>
  expect.poll(() => existsSync(runtimeFile()) && runtime().state, { timeout: 30_000, interval: 50 }).toBe('up');

/** Starts a command through another one, such as `unshare`. */
function startBehind([program = '', ...before]: string[], args: string[]): ResultPromise {
  const child = execa(program, [...before, process.execPath, CLI, ...args], {
    cwd: project.root,
    env: { NO_COLOR: '1', TEMPORAL_ADDRESS: undefined },
    stdin: 'ignore',
    reject: false,
  });
  elsewhere.push(child);
  return child;
}

describe.skipIf(!canUnshare)('a runtime whose process is not visible (needs the right to `unshare`)', () => {
  test('a run in another PID namespace uses the live runtime or is refused, and starts no second server', async () => {
    await ability(['up', '--detach'], { cwd: project.root });
    const before = runtime();
    const own = servers();
    const run = await startBehind(OTHER_PIDS, ['run', 'util.echo', '--set', 'x=1', '--json']);
    expect(String(run.stderr)).not.toMatch(/Started the runtime/);
    expect(JSON.parse(String(run.stdout))).toMatchObject({ status: 'succeeded', output: { x: '1' } });
    expect(servers()).toEqual(own);
    expect(runtime()).toMatchObject({ pid: before.pid, server: { pid: before.server?.pid } });
    expect((await startBehind(OTHER_PIDS, ['down'])).exitCode).toBe(7);
    // If its server cannot be reached, the refusal names host, process and namespace.
    const refused = await startBehind(OTHER_HOST, ['run', 'util.echo', '--json']);
    expect(refused.exitCode).toBe(7);
    const { error } = JSON.parse(String(refused.stdout));
    expect(error).toMatchObject({ code: 'runtime.elsewhere', suggestion: expect.stringMatching(/ability down/) });
    expect(error.message).toContain(`process ${before.pid} on ${hostname()}`);
    expect(error.message).toMatch(/PID namespace \d+, since \d{4}-\d\d-\d\dT/);
    expect(markOf(before.pid)).toBeDefined();
    expect(servers()).toEqual(own);
  });

  test.skipIf(!WHOLE)(
    'a command outside uses a runtime in a PID namespace, and neither stops nor replaces it',
    async () => {
      startBehind(OTHER_PIDS, ['up']);
      await untilUp();
      const [server] = servers();
      const down = await abilityJson(['down'], { cwd: project.root });
      expect(down).toMatchObject({ exitCode: 7, json: { error: { code: 'runtime.elsewhere' } } });
      const run = await abilityJson(['run', 'util.echo'], { cwd: project.root });
      expect(run).toMatchObject({ exitCode: 0, json: { status: 'succeeded' } });
      const doctor = await abilityJson(['doctor'], { cwd: project.root });
      const check = doctor.json.checks.find(({ name }: { name: string }) => name === 'runtime');
      expect(check).toMatchObject({ status: 'ok', message: expect.stringMatching(/PID namespace \d+/) });
      expect(servers()).toEqual([server]);
    },
  );

  test.skipIf(!WHOLE)('a runtime that died unnoticed is replaced once its heartbeat is old', async () => {
    const up = startBehind(OTHER_PIDS, ['up']);
    await untilUp();
    up.kill('SIGKILL');
    await up;
    await expect.poll(servers).toEqual([]);
    const run = await abilityJson(['run', 'util.echo'], { cwd: project.root });
    expect(run).toMatchObject({ exitCode: 0, json: { status: 'succeeded' } });
    expect(servers()).toHaveLength(1);
  });
});

test('a runtime that lost its lock to another one stops its server, changes nothing, and exits', async () => {
  await ability(['up', '--detach'], { cwd: project.root });
  const { pid } = runtime();
  const other = JSON.stringify({ pid: 1, started: '1', host: 'elsewhere', boot: 'other', pids: 'other', token: 'x' });
  writeFileSync(`${lockFile()}.new`, other);
  renameSync(`${lockFile()}.new`, lockFile());
  const file = readFileSync(runtimeFile(), 'utf8');
  await expect.poll(servers, { timeout: 4000 }).toEqual([]);
  await expect.poll(() => markOf(pid), { timeout: 15_000 }).toBeUndefined();
  expect(readFileSync(lockFile(), 'utf8')).toBe(other);
  expect(readFileSync(runtimeFile(), 'utf8')).toBe(file);
});

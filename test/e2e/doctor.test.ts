import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CheckResult } from '../../src/contracts/check.js';
import { obtainTemporal } from '../../src/server/binary/find-temporal.js';
import { checkNode } from '../../src/server/checks/check-machine.js';
import { freePort } from '../../src/server/temporal/ports.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';

let project: ProjectFolder;

beforeEach(() => {
  project = makeProject({ ...operation('util.echo', 'return input;') });
});
afterEach(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

async function doctor(args: string[] = [], env: Record<string, string> = {}) {
  const { json, exitCode } = await abilityJson(['doctor', ...args], { cwd: project.root, env });
  const checks = json.checks as CheckResult[];
  return { checks, exitCode, of: (name: string) => checks.filter((check) => check.name === name) };
}

test('a project without faults passes every check', async () => {
  const { checks, exitCode } = await doctor();
  // How soon the server dispatches work depends on the machine, which runs other tests as well.
  expect(checks.filter(({ name, status }) => status !== 'ok' && name !== 'dispatch')).toEqual([]);
  expect(exitCode).toBe(checks.some(({ status }) => status === 'failed') ? 7 : 0);
  expect(checks.map(({ name }) => name)).toEqual([
    ...['node', 'definitions', 'temporal', 'runtime', 'disk', 'store', 'keys'],
    ...['server', 'attributes', 'clock', 'retention', 'workers', 'dispatch'],
  ]);
});

describe('each check fails when its subject is broken', () => {
  const system = (name: string) => join(project.root, '.system', name);

  test('node: too old', () => {
    expect(checkNode('18.20.4')).toMatchObject({ status: 'failed', message: /18\.20\.4 is older than 20\.19/ });
  });

  test('project: ability.yaml', async () => {
    project.write({ 'ability.yaml': 'format: 2\n' });
    const { of, exitCode } = await doctor();
    expect(of('project')).toMatchObject([{ status: 'failed', message: expect.stringMatching(/ability\.yaml:1:9/) }]);
    expect(exitCode).toBe(7);
  });

  test('definitions: a broken file', LONG, async () => {
    project.write({ 'registry/low-level/x.yaml': 'operation_key: x\nsumary: y\n' });
    const { of, exitCode } = await doctor();
    expect(of('definitions')[0]).toMatchObject({ status: 'failed', message: expect.stringMatching(/x\.yaml:2:1/) });
    expect(exitCode).toBe(7);
  });

  test('proof: approvals are possible on the own runtime, and on no other server', LONG, async () => {
    project.write({ 'ability.yaml': projectFile('{ prod: { proof: required } }') });
    expect((await doctor()).of('proof')).toMatchObject([{ status: 'ok' }]);
    expect((await doctor(['--address', '127.0.0.1:1'])).of('proof')).toMatchObject([{ status: 'warning' }]);
  });

  test('notify: unresolved references are reported by environment, and none once they are set', LONG, async () => {
    const notify = 'notify: [{ on: [task.failed], webhook: "env:HOOK_URL", secret: "env:HOOK_SECRET" }]\n';
    project.write({
      'ability.yaml': projectFile('{ dev: {}, prod: {} }', notify),
      '.env': 'HOOK_URL=http://127.0.0.1:9\n',
    });
    const { of, exitCode } = await doctor(['--address', '127.0.0.1:1']);
    expect(of('notify')).toMatchObject([{ status: 'warning', advice: expect.stringMatching(/\.env/) }]);
    expect(of('notify')[0]?.message).toMatch(/not set here: env:HOOK_SECRET \(dev\), env:HOOK_SECRET \(prod\)/);
    expect(exitCode).toBe(7);
    const text = await ability(['doctor', '--address', '127.0.0.1:1'], { cwd: project.root });
    expect(text.stdout).toMatch(/^! notify +notices cannot be sent: not set here: env:HOOK_SECRET/m);
    const set = await doctor(['--address', '127.0.0.1:1'], { HOOK_SECRET: 'whsec_x' });
    expect(set.of('notify')).toEqual([]);
  });

  test('notify: what a Slack app lacks is reported', LONG, async () => {
    const slack =
      'slack: { signing_secret: "env:SIGNING", bot_token: "env:BOT", channel: C01, environments: [prod] }\n';
    const policy = 'policy: { allowed_hosts: [other.test] }\n';
    project.write({ 'ability.yaml': projectFile('{ dev: {}, prod: {} }', slack + policy), '.env.prod': 'BOT=x\n' });
    const { of } = await doctor(['--address', '127.0.0.1:1']);
    expect(of('notify').map(({ message }) => message)).toEqual([
      'notices cannot be sent: not set here: env:SIGNING (prod)',
      'notices cannot be sent: policy.allowed_hosts does not allow slack.api, at slack.com',
    ]);
  });

  test('temporal: the binary', async () => {
    const { of, exitCode } = await doctor([], { ABILITY_TEMPORAL_BIN: '/nowhere/temporal' });
    expect(of('temporal')).toMatchObject([{ status: 'failed', message: expect.stringMatching(/\/nowhere\/temporal/) }]);
    expect(of('server')).toMatchObject([{ status: 'failed' }]);
    expect(exitCode).toBe(7);
  });

  test('runtime: another version, killed, failed', LONG, async () => {
    await ability(['up', '--detach'], { cwd: project.root });
    const file = system('runtime.json');
    const runtime = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...runtime, version: '0.0.1' }));
    expect((await doctor(['--address', '127.0.0.1:1'])).of('runtime')).toEqual([]);
    // Only checked: a command that needs the runtime would replace the other version.
    const { checkRuntime } = await import('../../src/server/checks/check-machine.js');
    const { pathsOf } = await import('../../src/server/project-paths.js');
    const paths = pathsOf(project.root);
    expect(checkRuntime(paths)).toMatchObject({ status: 'failed', message: expect.stringMatching(/version 0\.0\.1/) });
    process.kill(runtime.pid, 'SIGKILL');
    await expect
      .poll(() => checkRuntime(paths))
      .toMatchObject({ status: 'warning', message: expect.stringMatching(/was killed/) });
    await ability(['down'], { cwd: project.root });
    rmSync(system('runtime.lock'), { force: true });
    const error = { code: 'runtime.failed', message: 'no port' };
    writeFileSync(file, JSON.stringify({ ...runtime, state: 'failed', error }));
    expect(checkRuntime(paths)).toMatchObject({ status: 'failed', message: 'The runtime did not start: no port' });
  });

  test('disk and store: a place that is not writable', LONG, async () => {
    writeFileSync(join(project.root, 'file'), '');
    const { of, exitCode } = await doctor([], { ABILITY_STORE: join(project.root, 'file/store') });
    expect(of('store')).toMatchObject([{ status: 'failed', message: expect.stringMatching(/cannot be written/) }]);
    expect(exitCode).toBe(7);
    await ability(['down'], { cwd: project.root });
    rmSync(join(project.root, '.system'), { recursive: true });
    writeFileSync(join(project.root, '.system'), '');
    expect((await doctor()).of('disk')).toMatchObject([{ status: 'failed' }]);
    rmSync(join(project.root, '.system'));
  });

  test('keys: a damaged key', LONG, async () => {
    await doctor();
    for (const id of readdirSync(system('keys'))) truncateSync(join(system('keys'), id), 5);
    expect((await doctor()).of('keys')).toMatchObject([{ status: 'failed' }]);
  });

  test('server: no answer', async () => {
    const { of, exitCode } = await doctor(['--address', '127.0.0.1:1']);
    expect(of('server')).toMatchObject([{ status: 'failed', message: expect.stringMatching(/does not answer/) }]);
    expect(exitCode).toBe(7);
  });
});

describe('a dev server that was started without our flags', LONG, () => {
  let stop: (() => void) | undefined;
  let address: string;

  beforeEach(async () => {
    const { path } = await obtainTemporal(() => {});
    const port = await freePort();
    address = `127.0.0.1:${port}`;
    const child = spawn(path, ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)], {
      stdio: 'ignore',
    });
    stop = () => child.kill('SIGKILL');
    const answers = () =>
      Connection.connect({ address, connectTimeout: 500 }).then(
        (connection) => connection.close().then(() => true),
        () => false,
      );
    await expect.poll(answers, { timeout: 30_000 }).toBe(true);
  });
  afterEach(() => stop?.());

  test('attributes, retention and workers: each is reported, and --fix adds the attributes', async () => {
    const { of, exitCode } = await doctor(['--address', address]);
    expect(of('attributes')).toMatchObject([{ status: 'failed', advice: expect.stringMatching(/--fix/) }]);
    expect(of('retention')).toMatchObject([{ status: 'warning', message: expect.stringMatching(/kept for 1 days/) }]);
    expect(of('workers')).toMatchObject([
      { status: 'failed', message: expect.stringMatching(/-dev-local, .*-dev-cloud/) },
    ]);
    expect(exitCode).toBe(7);
    expect((await doctor(['--address', address, '--fix'])).of('attributes')).toMatchObject([{ status: 'ok' }]);
    const known = async () => (await doctor(['--address', address])).of('attributes')[0]?.status;
    await expect.poll(known, { timeout: 20_000 }).toBe('ok');
  });

  test('leaves no workflow behind, not even a terminated one', async () => {
    const { of } = await doctor(['--address', address]);
    expect(of('dispatch')).toHaveLength(1);
    const connection = await Connection.connect({ address });
    try {
      const { workflow } = new Client({ connection });
      const left = async () => (await workflow.count("WorkflowType = 'ability:doctor'")).count;
      await expect.poll(left, { timeout: 20_000 }).toBe(0);
    } finally {
      await connection.close();
    }
  });

  test('a slow dispatch is reported with advice', async () => {
    // The measured value is a wait of 50 ms between two probes; a busy machine may need as long for the probes alone.
    const dispatch = async () => (await doctor(['--address', address])).of('dispatch')[0];
    await expect
      .poll(dispatch, { timeout: 50_000 })
      .toMatchObject({ status: 'warning', advice: expect.stringMatching(/transferProcessorMaxPollRPS/) });
  });
});

test('without --json: one line per check, with advice', LONG, async () => {
  project.write({ 'registry/low-level/x.yaml': 'operation_key: x\nsumary: y\n' });
  const { stdout, stderr } = await ability(['doctor'], { cwd: project.root });
  expect(stdout).toMatch(/^✓ node +Node \d/m);
  expect(stdout).toMatch(/^✗ definitions +Unknown key `sumary`.*\n +.*summary/m);
  expect(stderr).toMatch(/of \d+ checks failed/);
});

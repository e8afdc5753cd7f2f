import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { obtainTestServer } from '../../src/server/binary/find-test-server.js';
import { findProcesses } from '../../src/server/processes/processes.js';
import { agent } from '../fixtures/agents.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';

const EXAMPLE = fileURLToPath(new URL('../..', import.meta.url));
const CASES = 'registry/high-level/flow.test.yaml';

const passing = `
ability: flow
cases:
  - name: no one answers for a day
    mocks: { util.echo: { output: { n: 1 } } }
    approvals: { ask: expire }
    expect: { status: denied, error: approval.expired }
`;
const failing = `${passing}  - { name: wrong, mocks: { util.echo: { output: { n: 1 } } }, approvals: { ask: approve }, expect: { output: { n: 2 } } }\n`;

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({
    ...operation('util.echo', 'return input;'),
    ...workflow(
      'flow',
      'steps: [{ id: first, call: util.echo }, { id: ask, approval: { title: Go? } }]\noutput: "${{ steps.first.output }}"',
    ),
  });
});
afterAll(() => project.remove());

test('a project without cases is reported, with exit code 2', LONG, async () => {
  const { exitCode, stderr } = await ability(['test'], { cwd: project.root });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/test\.no_cases This project has no test cases/);
});

describe('cases of an agent', () => {
  const documented =
    /```yaml\n(ability: reader\n[\s\S]*?)```/.exec(readFileSync(join(EXAMPLE, 'docs/testing.md'), 'utf8'))?.[1] ?? '';
  let agents: ProjectFolder;

  beforeAll(() => {
    agents = makeProject({
      'ability.yaml': projectFile('{ dev: {} }', 'models: { small: { model: some-model } }'),
      ...operation('notes.search', 'return { found: 9 };'),
      ...agent('reader', 'operations: [notes.search]\nmodel: small'),
    });
  });
  afterAll(() => agents.remove());

  /** An address at which nothing answers: a case that called the model would fail. */
  const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9', OPENAI_API_KEY: 'none' };
  const testCase = async (text: string) => {
    agents.write({ 'registry/high-level/reader.test.yaml': text });
    const { json, exitCode } = await abilityJson(['test'], { cwd: agents.root, env });
    return {
      exitCode,
      failures: (json.cases ?? []).flatMap((one: { failures: { problem?: { code: string } }[] }) =>
        one.failures.map((failure) => failure.problem?.code),
      ),
    };
  };

  test('mock its model turn by turn, as documented', async () => {
    expect(documented).toContain('model:');
    expect(await testCase(documented)).toEqual({ exitCode: 0, failures: [] });
    expect(await testCase(documented.replace('One note., calls', 'Two notes., calls'))).toMatchObject({ exitCode: 1 });
  });

  test.each([
    ['test.live_model', (text: string) => text.replace(/model:\n(?: {8}- .*\n)+/, 'model: { live: true }\n')],
    ['test.no_mock', (text: string) => text.replace(/ {6}model:\n(?: {8}- .*\n)+/, '')],
    ['test.no_mock', (text: string) => text.replace(/ {8}- \{ output: \{ text.*\n/, '')],
  ])('never call the model: %s', async (code, change) => {
    const changed = change(documented);
    expect(changed).not.toBe(documented);
    const { exitCode, failures } = await testCase(changed);
    expect({ exitCode, failures: [...new Set(failures)] }).toEqual({ exitCode: 1, failures: [code] });
  });
});

describe('ability test', () => {
  test('prints one line per case and exits with 0 when all pass; a wait of a day takes no time', async () => {
    project.write({ [CASES]: passing });
    const started = Date.now();
    const { exitCode, stdout } = await ability(['test'], { cwd: project.root });
    expect(stdout).toMatch(/^✓ flow {2}no one answers for a day {2}[\d.]+m?s\n1 passed {2}/);
    expect(exitCode).toBe(0);
    expect(Date.now() - started).toBeLessThan(50_000);
    expect(existsSync(join(project.root, '.system'))).toBe(false);
  });

  test('prints the expected and the actual value, and exits with 1 when a case fails', async () => {
    project.write({ [CASES]: failing });
    const { exitCode, stdout } = await ability(['test', 'flow', '--junit', 'cases.xml'], { cwd: project.root });
    expect(stdout).toMatch(
      /✗ flow {2}wrong .*\n {4}at registry\/high-level\/flow\.test\.yaml:8:5\n {4}output\.n\n {6}- 2\n {6}\+ 1\n/,
    );
    expect(stdout).toMatch(/1 failed, 1 passed/);
    expect(exitCode).toBe(1);
    expect(readFileSync(join(project.root, 'cases.xml'), 'utf8')).toMatch(
      /<testsuite name="flow" tests="2" failures="1"/,
    );
  });

  test('prints exactly one JSON value with --json', async () => {
    project.write({ [CASES]: failing });
    const { exitCode, json } = await abilityJson(['test'], { cwd: project.root });
    expect(exitCode).toBe(1);
    expect(json).toMatchObject({
      status: 'failed',
      passed: 1,
      failed: 1,
      cases: [{ status: 'passed' }, { status: 'failed' }],
    });
  });

  test('exits with 2 for a broken file, and reports the place', async () => {
    project.write({ [CASES]: `${passing}    expct: {}\n` });
    const { exitCode, stderr, stdout } = await ability(['test'], { cwd: project.root });
    expect(stderr).toMatch(
      /Unknown key `expct`.*\n {2}at registry\/high-level\/flow\.test\.yaml:8:5\n {2}Did you mean expect\?/,
    );
    expect(stdout).toMatch(/1 mistake in files of cases, 0 passed/);
    expect(exitCode).toBe(2);
  });

  test('exits with 2 for an unknown ability, and names the nearest', async () => {
    const { exitCode, stderr } = await ability(['test', 'flwo'], { cwd: project.root });
    expect(stderr).toMatch(/There is no ability flwo[\s\S]*Did you mean flow\?/);
    expect(exitCode).toBe(2);
  });

  test('refuses --watch with --json', async () => {
    expect((await abilityJson(['test', '--watch'], { cwd: project.root })).json.error.code).toBe('usage.invalid');
  });
});

test('--watch runs again when a script or a file of cases changes, and Ctrl-C ends it with 130', LONG, async () => {
  project.write({ [CASES]: passing });
  const watching = start(['test', '--watch'], { cwd: project.root });
  let printed = '';
  watching.stdout?.on('data', (chunk) => (printed += String(chunk)));
  watching.stderr?.on('data', (chunk) => (printed += String(chunk)));
  const waits = (): number => printed.split('Waiting for a change').length - 1;
  await expect.poll(waits, { timeout: 30_000 }).toBe(1);
  project.write({ 'scripts/util.echo.mjs': '// another' });
  await expect.poll(waits, { timeout: 30_000 }).toBe(2);
  project.write({ [CASES]: failing });
  await expect.poll(waits, { timeout: 30_000 }).toBe(3);
  expect(printed).toMatch(/1 failed, 1 passed/);
  watching.kill('SIGINT');
  expect((await watching).exitCode).toBe(130);
});

test('Ctrl-C during a run stops the server as well', LONG, async () => {
  project.write({ [CASES]: passing });
  const { path } = await obtainTestServer(() => {});
  // A name of its own, since other tests have servers as well.
  const server = join(project.root, 'own-test-server');
  symlinkSync(path, server);
  const running = start(['test'], { cwd: project.root, env: { ABILITY_TEMPORAL_TEST_SERVER_BIN: server } });
  const isUp = (): boolean => findProcesses([server]).some(({ pid }) => pid !== running.pid);
  await expect.poll(isUp, { timeout: 30_000, interval: 20 }).toBe(true);
  running.kill('SIGINT');
  expect((await running).exitCode).toBe(130);
  expect(isUp()).toBe(false);
});

test(
  'the cases of the example project pass, without a service, a database or a credential; R-000-42: errors in the log, or no row, are a failure of signup_e2e_test',
  LONG,
  async () => {
    const { exitCode, stdout } = await ability(['test'], { cwd: EXAMPLE });
    expect(stdout).toMatch(/ passed/);
    expect(stdout).not.toMatch(/✗/);
    expect(exitCode).toBe(0);
    for (const workflowId of ['signup_e2e_test', 'billing_regression']) expect(stdout).toContain(`✓ ${workflowId} `);
    for (const failure of ['errors in the log fail the task', 'a missing row is a failure'])
      expect(stdout).toMatch(new RegExp(`✓ .*${failure}`));
  },
);

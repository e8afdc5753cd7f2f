import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';

let project: ProjectFolder;

beforeAll(async () => {
  project = makeProject({
    'ability.yaml': projectFile('{ dev: {}, prod: { protected: true } }', 'default_environment: dev\n'),
    'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: never, handler: { expression: { deny_if: "true", reason: Never., suggestion: Ask Bob. } } }
`,
    ...operation('util.echo', 'return input;'),
    ...operation(
      'util.flaky',
      'appendFileSync(input.file, "x"); if (readFileSync(input.file, "utf8").length < 2) { process.stderr.write("not yet\\n"); process.exit(1); }',
      { effects: 'write_idempotent' },
    ),
    ...operation('util.denied', 'return 1;', { yaml: 'hooks: { pre_call: [never] }' }),
    ...operation('prod.only', 'return 1;', { yaml: 'scope: { environments: [prod] }', effects: 'destructive' }),
    ...workflow(
      'release',
      `
steps:
  - { id: flaky, call: util.flaky, with: { file: "\${{ input.file }}" } }
  - { id: ask, if: "input.ask", approval: { title: 'Go "on"?' } }
finally: [{ id: bye, call: util.echo, with: { x: 1 } }]`,
    ),
    ...workflow('in_prod', 'scope: { environments: [prod] }\nsteps: [{ id: a, call: prod.only, with: {} }]'),
  });
  await ability(['up', '--detach'], { cwd: project.root });
  await json(['run', 'util.denied', '--key', 'denied']);
  await json(['run', 'release', '--key', 'waits', '--set', `file=${join(project.root, 'a')}`, '--set', 'ask:=true']);
  await json(['run', 'release', '--key', 'good', '--set', `file=${join(project.root, 'b')}`, '--set', 'ask:=false']);
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const run = (args: string[]) => ability(args, { cwd: project.root });
const json = (args: string[]) => abilityJson(args, { cwd: project.root });

describe('ability why', () => {
  test('prints the story on stdout, and exits with 0 however the task ended', async () => {
    const { exitCode, stdout, stderr } = await run(['why', 'denied']);
    expect(exitCode).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^util\.denied v1 \(denied\) was denied: Never\. \(hook never\)\n\nAsked\n {2}by tester/);
    expect(stdout).toMatch(/\n {4,}hook never \(PreAbilityCall\) denied it: Never\.\n +Ask Bob\.\n/);
    expect(stdout).toMatch(/\nNext\n {2}ability explain guard\.denied\n/);
    expect(stdout).not.toContain('\u001b');
  });

  test('the command that it ends with works as printed', async () => {
    const { stdout: input } = await run(['task', 'get', 'denied']);
    const again = await ability(['run', 'util.denied', '--env', 'dev', '--input', '-'], { cwd: project.root, input });
    expect(again.exitCode).toBe(4);
  });

  test('shows attempts, conditions and who is asked to approve', async () => {
    expect((await run(['why', 'good'])).stdout).toMatch(
      /attempt 1 failed: script\.exit [\s\S]*not yet\n[\s\S]*attempt 2 succeeded\n[\s\S]*- ask {2}skipped: it runs only if input\.ask\n/,
    );
    expect((await run(['why', 'waits'])).stdout).toMatch(/waits for people: Go "on"\?\n[\s\S]*asked anyone at /);
  });

  test('prints one JSON value', async () => {
    const { exitCode, json: story } = await json(['why', 'waits']);
    expect(exitCode).toBe(0);
    expect(story).toMatchObject({
      task_key: 'waits',
      status: 'waiting_approval',
      source: 'worker',
      steps: [{ path: 'flaky', tries: [{ status: 'failed' }, { status: 'succeeded' }] }, {}, {}],
      next: [
        { command: expect.stringMatching(/^ability approve waits --approval ask-[0-9a-f]{12}$/) },
        { command: expect.stringMatching(/^ability deny waits --approval ask-[0-9a-f]{12}$/) },
        {},
        {},
      ],
    });
  });

  test('exits with 2 for an unknown key', async () => {
    expect(await json(['why', 'unknown'])).toMatchObject({ exitCode: 2, json: { error: { code: 'task.not_found' } } });
  });
});

describe('ability task list', () => {
  const keys = async (...args: string[]) =>
    (await json(['task', 'list', ...args])).json.map(({ task_key }: { task_key: string }) => task_key).sort();
  const settled = (args: string[], expected: string[]) =>
    expect.poll(() => keys(...args), { timeout: 20_000 }).toEqual(expected);

  test('accepts filters, all of which must match', async () => {
    await settled(
      ['--status', 'denied', '--ability', 'util.denied', '--since', '1h', '--query', "WorkflowId = 'denied'"],
      ['denied'],
    );
    await settled(['--status', 'waiting_approval', '--status', 'succeeded'], ['good', 'waits']);
    await settled(['--env', 'prod'], []);
    await settled(['--session', 'unknown'], []);
  });

  test('prints a table, or that there are no tasks', async () => {
    expect((await run(['task', 'list', '--ability', 'release'])).stdout).toMatch(
      /^TASK +ABILITY +STATUS +ENVIRONMENT +BY +STARTED\nwaits +release +waiting_approval +dev +tester +\d+ s ago/,
    );
    const empty = await run(['task', 'list', '--env', 'prod']);
    expect(empty).toMatchObject({ exitCode: 0, stdout: '', stderr: 'There are no such tasks.' });
  });

  test.each([
    [['--status', 'finishing'], 'usage.invalid', /does not distinguish finishing from running/, /--status running/],
    [['--status', 'denyed'], 'usage.invalid', /no state denyed/, /Did you mean denied\?/],
    [['--since', 'yesterday'], 'usage.invalid', /neither a duration nor a time/, /24h/],
    [['--ability', 'relaese'], 'ability.not_found', /no ability relaese/, /Did you mean release\?/],
    [['--env', 'prd'], 'environment.not_found', /no environment prd/, /Did you mean prod\?/],
    [['--query', 'Nonsense = 1'], 'usage.invalid', /does not understand --query/, /list filter/],
    [['--query', 'a = 1) OR (b = 2'], 'usage.invalid', /is not a single condition/, /Write one condition/],
    [['--session', "it's"], 'usage.invalid', /cannot be a name/, undefined],
    [['--limit', '1.5'], 'usage.invalid', /--limit 1\.5/, undefined],
  ])('%j is refused', async (args, code, message, suggestion) => {
    const { exitCode, json: answer } = await json(['task', 'list', ...args]);
    expect(exitCode).toBe(2);
    expect(answer.error).toMatchObject({ code, message: expect.stringMatching(message) });
    if (suggestion) expect(answer.error.suggestion).toMatch(suggestion);
  });
});

describe('ability graph', () => {
  /** No server can be reached here, and none is needed. */
  const offline = (args: string[]) =>
    ability(['graph', ...args], { cwd: project.root, env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });

  test('draws a workflow without a server', async () => {
    const { exitCode, stdout, stderr } = await offline(['release']);
    expect(exitCode).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^flowchart TD\n {2}n1\(\["release v1<br\/>in dev"\]\)\n/);
    expect(stdout).toMatch(/\["flaky<br\/>util\.flaky<br\/>write_idempotent"\]/);
    expect(stdout).toMatch(/\{\{"ask: approval<br\/>Go #34;on#34;\?/);
    expect(stdout).toMatch(/-->\|"if input\.ask"\|/);
    expect(stdout).toMatch(/subgraph g\d+ \["finally"\]/);
  });

  test('draws a low-level ability', async () => {
    expect((await offline(['util.echo'])).stdout).toMatch(/n2\["run<br\/>util\.echo<br\/>read"\]/);
  });

  test('draws and reports what cannot run here as defined; an environment that is named is used as given', async () => {
    const { exitCode, stdout, stderr } = await offline(['in_prod']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/n1\(\["in_prod v1"\]\)[\s\S]*prod\.only<br\/>destructive/);
    expect(stderr).toMatch(/in dev it cannot run:\nerror scope\.environment /);
    expect((await offline(['in_prod', '--env', 'prod'])).stderr).toBe('');
    expect((await offline(['in_prod', '--env', 'dev'])).exitCode).toBe(3);
  });

  test('prints one JSON value', async () => {
    expect((await json(['graph', 'release'])).json).toMatchObject({
      ability: 'release',
      version: 1,
      environment: 'dev',
      mermaid: expect.stringMatching(/^flowchart TD\n/),
      problem: null,
    });
  });

  test('exits with 2 for an unknown ability, and names a similar one', async () => {
    const { exitCode, json: answer } = await json(['graph', 'releas']);
    expect(exitCode).toBe(2);
    expect(answer.error).toMatchObject({ code: 'ability.not_found', suggestion: 'Did you mean release?' });
  });
});

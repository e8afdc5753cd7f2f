import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { isHeld, takeLock } from '../../src/server/processes/lock.js';
import { atTerminal, CTRL_C } from '../fixtures/at-terminal.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { CLI, start, ability as startAbility } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';

const EVERYTHING = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);

let root: string;
const run = (...args: string[]) => ability(args, { cwd: root });
/** Runs several at once: the first one in a separate process, all others in this process. */
const runAtOnce = (lines: string[][]) =>
  Promise.all(lines.map((args, n) => (n === 0 ? startAbility : ability)(args, { cwd: root })));
const json = (...args: string[]) => abilityJson(args, { cwd: root });
/** Every file and folder except those of the runtime. */
const all = (): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('.system/'))
    .sort();
const newFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'ability-new-')));

describe('from an empty folder to abilities that run', () => {
  let service: Server;

  beforeAll(async () => {
    root = newFolder();
    service = createServer((request, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ path: request.url }));
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
  });
  afterAll(async () => {
    await run('down');
    service.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });

  test('init makes a project whose ability is listed, tested and run [C-17, C-18]', async () => {
    expect((await run('init', '--name', 'shop')).exitCode).toBe(0);
    expect((await json('list')).json).toMatchObject([{ id: 'hello', type: 'script' }]);
    expect((await run('test')).stdout).toMatch(/2 passed/);
    expect((await run('docs')).exitCode).toBe(0);
    const { exitCode, json: result } = await json('run', 'hello', '--set', 'name=World');
    expect({ exitCode, output: result.output, error: result.error }).toEqual({
      error: null,
      exitCode: 0,
      output: { text: 'Hello, World!' },
    });
  });

  test('the next steps and the help are printed as commands to type', async () => {
    expect((await run('scaffold', 'schemas')).stdout).toBe('');
    expect((await run('scaffold', 'low-level')).stderr).toContain('`ability scaffold low-level --help`');
    expect((await run('scaffold', 'low-level', 'x.y')).stderr).toContain('Pass --kind script, mcp or api;');
    expect((await run('init', 'inner')).stdout).toContain('\n  cd inner\n');
    rmSync(join(root, 'inner'), { recursive: true });
  });

  test('existing scripts get a contract and run, all of them at once [R-002-04]', async () => {
    for (const number of [1, 2, 3]) writeFileSync(join(root, `job${number}.sh`), `# Job ${number}\necho ${number}\n`);
    const { exitCode, stderr } = await run('scaffold', 'scripts', 'job1.sh', 'job2.sh', 'job3.sh', '--args', '');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining('Each is given no arguments'),
    });
    expect((await run('lint')).exitCode).toBe(0);
    // Two commands for an unchanged script: no contract is written by hand.
    writeFileSync(join(root, 'greet.sh'), '#!/usr/bin/env bash\n# Greets\nname=$1\necho "${2:-Hello}, ${name^}"\n');
    expect((await run('scaffold', 'scripts', 'greet.sh')).exitCode).toBe(0);
    expect((await json('run', 'greet', '--set', 'args=["ann"]')).json).toMatchObject({
      output: { text: 'Hello, Ann' },
    });
    expect((await json('run', 'job2')).json).toMatchObject({ status: 'succeeded', output: { text: '2' } });
  });

  test('a scaffolded ability runs several times, and a scaffolded hook records each use [R-002-63, R-002-49, R-002-67]', async () => {
    await run('scaffold', 'hook', 'usage', '--phase', 'PostAbilityCall', '--handler', 'builtin', '--builtin', 'usage');
    expect((await run('scaffold', 'low-level', 'log.write', '--kind', 'script', '--language', 'python')).exitCode).toBe(
      0,
    );
    for (const message of ['one', 'two']) {
      const { json: result } = await json('run', 'log.write', '--set', `message=${message}`);
      expect(result.output).toEqual({ message });
      const record = readFileSync(join(root, '.system/implement', result.task_key, 'tool_call.md'), 'utf8');
      expect(record).toMatch(/# log\.write · t-[\s\S]*\| Status \| succeeded \|/);
    }
    const usage = readFileSync(join(root, '.system/usage.jsonl'), 'utf8').trim().split('\n');
    expect(usage.filter((line) => JSON.parse(line).ability_id === 'log.write').length).toBeGreaterThanOrEqual(2);
  });

  test('a scaffolded guard applies to a scaffolded ability at once [R-002-65, R-002-28]', async () => {
    await run(
      'scaffold',
      'low-level',
      'user.delete',
      '--kind',
      'script',
      '--language',
      'shell',
      '--effects',
      'write_additive',
    );
    const guard = ['--phase', 'PreAbilityCall', '--match', 'abilities=user.delete'];
    await run('scaffold', 'hook', 'seen', ...guard, '--handler', 'script');
    await run('scaffold', 'hook', 'no_bob', ...guard, '--handler', 'expression', '--deny-if', 'input.message == "bob"');
    expect((await run('run', 'user.delete', '--set', 'message=ann')).exitCode).toBe(0);
    const { exitCode, json: denied } = await json('run', 'user.delete', '--set', 'message=bob');
    expect({ exitCode, code: denied.error.code }).toEqual({ exitCode: 4, code: 'guard.denied' });
  });

  test('a service, an MCP tool and a workflow of both are called with nothing written by hand, by the same command as scripts [R-002-06]', async () => {
    const { port } = service.address() as AddressInfo;
    const api = ['--kind', 'api', '--endpoint', `http://127.0.0.1:${port}`, '--path', '/users/{id}'];
    expect(await run('scaffold', 'low-level', 'user.get', ...api)).toMatchObject({ exitCode: 0 });
    const mcp = ['--kind', 'mcp', '--server', 'everything', '--tool', 'echo', '--command', `node '${EVERYTHING}'`];
    expect(await run('scaffold', 'low-level', 'say', ...mcp, '--effects', 'read')).toMatchObject({ exitCode: 0 });
    expect(await run('scaffold', 'high-level', 'both', '--calls', 'user.get,hello')).toMatchObject({ exitCode: 0 });
    expect((await run('test')).stdout).toMatch(/\n7 passed/);
    expect((await json('run', 'say', '--set', 'message=hi')).json.output).toEqual({ text: 'Echo: hi' });
    expect((await json('run', 'both', '--set', 'id=a b', '--set', 'name=Ann')).json.output).toEqual({
      get: { path: '/users/a%20b' },
      hello: { text: 'Hello, Ann!' },
    });
    expect((await json('list')).json).toHaveLength(10);
    expect(loadRegistry(root).problems).toEqual([]);
  });

  test('all of it lints clean, and ABILITY.md is up to date [R-000-88, R-002-49]', async () => {
    expect(await run('lint')).toMatchObject({ exitCode: 0 });
    expect(await run('docs', '--check')).toMatchObject({ exitCode: 0 });
    const page = readFileSync(join(root, 'ABILITY.md'), 'utf8');
    const rows = Object.fromEntries(
      [...page.matchAll(/^\| ([a-z][\w.]*) \| (\w+) \|/gm)].map(([, id, kind]) => [id, kind]),
    );
    expect(rows).toMatchObject({
      both: 'workflow',
      'log.write': 'script',
      say: 'mcp',
      'user.get': 'api',
      job2: 'script',
    });
  });

  test('an ABILITY.md that was already out of date is reported and left unchanged', async () => {
    const file = join(root, 'ABILITY.md');
    const text = readFileSync(file, 'utf8').replace(/\n\| both .*/, '');
    writeFileSync(file, text);
    const { json: answer } = await json('scaffold', 'low-level', 'one.more', '--kind', 'script');
    expect(answer.notes).toEqual([expect.stringMatching(/ABILITY\.md is out of step/)]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('a wrong request', () => {
  beforeAll(async () => {
    root = newFolder();
    await run('init', '--name', 'shop');
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test.each([
    ['a name that leads out of the folder', ['low-level', '../x', '--kind', 'script'], 'usage.invalid'],
    ['a name that every object has', ['low-level', '__proto__', '--kind', 'script'], 'usage.invalid'],
    ['a name that is taken', ['low-level', 'hello', '--kind', 'script'], 'scaffold.exists'],
    ['no kind', ['low-level', 'a'], 'usage.invalid'],
    ['no address', ['low-level', 'a', '--kind', 'api'], 'usage.invalid'],
    ['a flag of another kind', ['low-level', 'a', '--kind', 'script', '--tool', 'x'], 'usage.invalid'],
    [
      'an invalid path',
      ['low-level', 'a', '--kind', 'api', '--endpoint', 'http://a.test', '--path', '/?x'],
      'usage.invalid',
    ],
    ['an invalid address', ['low-level', 'a', '--kind', 'api', '--endpoint', 'ftp://a'], 'usage.invalid'],
    ['no calls', ['high-level', 'w', '--calls', ' , '], 'usage.invalid'],
    ['a call of an unknown ability', ['high-level', 'w', '--calls', 'helo'], 'ability.not_found'],
    ['a call of itself', ['high-level', 'w', '--calls', 'w'], 'ability.not_found'],
    [
      'an invalid expression',
      ['hook', 'h', '--phase', 'PreAbilityCall', '--handler', 'expression', '--deny-if', 'x =='],
      'expression.syntax',
    ],
    [
      'an unknown variable',
      ['hook', 'h', '--phase', 'PreAbilityCall', '--handler', 'expression', '--deny-if', 'inptu.x'],
      'expression.syntax',
    ],
  ])('%s is refused before anything is written', async (_, args, code) => {
    const before = all();
    const { exitCode, json: answer } = await json('scaffold', ...args);
    expect({ exitCode, code: answer.error.code }).toEqual({ exitCode: 2, code });
    expect(all()).toEqual(before);
  });
});

test('a workflow that calls an agent is planned where the agent is available', async () => {
  root = newFolder();
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const lines = [
    'format: 1',
    'project: p',
    'environments: { dev: {}, staging: {} }',
    'models: { default: { model: m } }',
  ];
  writeFileSync(join(root, 'ability.yaml'), lines.join('\n'));
  mkdirSync(join(root, 'registry/high-level'), { recursive: true });
  const agent = 'id: helper\ntype: agent\nsummary: s\ninstructions: i\nscope: { environments: [staging] }\n';
  writeFileSync(join(root, 'registry/high-level/helper.yaml'), agent);
  expect(await run('scaffold', 'high-level', 'w', '--calls', 'helper', '--summary', 's')).toMatchObject({
    exitCode: 0,
  });
});

describe('all files or none', () => {
  beforeEach(async () => {
    root = newFolder();
    await run('init', '--name', 'shop');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('what the policy forbids is undone, and the reason is reported [R-000-88]', async () => {
    const before = all();
    const policy = readFileSync(join(root, 'ability.yaml'), 'utf8').replace(
      'max_timeout: 1h',
      'allowed_hosts: [a.test]',
    );
    writeFileSync(join(root, 'ability.yaml'), policy);
    const args = ['low-level', 'a', '--kind', 'api', '--endpoint', 'https://b.test'];
    const { exitCode, json: answer } = await json('scaffold', ...args);
    expect(exitCode).toBe(1);
    expect(answer.error).toMatchObject({ code: 'denied.host', message: expect.stringMatching(/nothing was written$/) });
    expect(all()).toEqual(before);
  });

  test('several at once all succeed, even in one file; of two with the same name one does', LONG, async () => {
    const hooks = runAtOnce(
      ['a', 'b', 'c'].map((id) => ['scaffold', 'hook', id, '--phase', 'PreAbilityCall', '--handler', 'script']),
    );
    const twins = runAtOnce(
      ['node', 'python'].map((language) => [
        'scaffold',
        'low-level',
        'same',
        '--kind',
        'script',
        '--language',
        language,
      ]),
    );
    expect((await hooks).map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect((await twins).map(({ exitCode }) => exitCode).sort()).toEqual([0, 2]);
    const registry = loadRegistry(root);
    expect(registry.problems).toEqual([]);
    expect(
      registry.hooks
        .get('PreAbilityCall')
        ?.map(({ value }) => value.id)
        .sort(),
    ).toEqual(['a', 'b', 'c']);
    expect(readdirSync(join(root, 'scripts/tools')).filter((file) => file.startsWith('same'))).toHaveLength(1);
    expect(all().filter((path) => path.includes('ability-new'))).toEqual([]);
  });

  test('a disk that accepts no large file leaves none of them', async () => {
    const before = all();
    // The lock is small enough; a script is not.
    const command = `ulimit -f 1; exec "$0" "$@"`;
    const args = [
      '-c',
      command,
      process.execPath,
      CLI,
      'scaffold',
      'low-level',
      'a',
      '--kind',
      'script',
      '--summary',
      'x'.repeat(900),
      '--json',
    ];
    const error = await promisify(execFile)('bash', args, { cwd: root }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 7,
      stdout: expect.stringMatching(/scaffold\.write_failed[\s\S]*so nothing was/),
    });
    expect(all()).toEqual(before);
  });

  test('Ctrl-C while another command writes leaves nothing behind', LONG, async () => {
    const before = all();
    const lock = takeLock(join(root, '.system/authoring.lock'));
    if (!isHeld(lock)) throw new Error('another process holds the lock');
    const command = start(['scaffold', 'low-level', 'a', '--kind', 'script'], { cwd: root });
    for await (const chunk of command.stderr ?? []) if (String(chunk).includes('Waiting for process')) break;
    command.kill('SIGINT');
    expect(await command).toMatchObject({ exitCode: 130 });
    lock.release();
    expect(all()).toEqual(before);
  });
});

describe('a new project', () => {
  beforeEach(() => {
    root = newFolder();
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('is created once, however many commands create it', async () => {
    const ends = await runAtOnce([1, 2, 3].map(() => ['init', '--name', 'shop']));
    expect(ends.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2, 2]);
    expect(loadRegistry(root).problems).toEqual([]);
    expect(loadRegistry(root).operations.has('hello')).toBe(true);
  });

  test('is created in a new folder, or leaves no folder behind', async () => {
    expect((await run('init', 'a/b', '--name', 'No Name')).exitCode).toBe(2);
    expect(all()).toEqual([]);
    expect((await run('init', 'a/b')).exitCode).toBe(0);
    expect(loadRegistry(join(root, 'a/b')).project.project).toBe('b');
  });

  test('is not created over definitions that would break its example', async () => {
    await run('init', '--name', 'shop');
    rmSync(join(root, 'ability.yaml'));
    renameSync(join(root, 'registry/low-level/hello.yaml'), join(root, 'registry/low-level/x.yaml'));
    const before = all();
    const { exitCode, stderr } = await run('init', '--name', 'shop');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/hello is defined twice.*nothing was written\n.*\n.*--example none/);
    expect(all()).toEqual(before);
    expect((await run('init', '--name', 'shop', '--example', 'none')).exitCode).toBe(0);
  });
});

describe('at a terminal', () => {
  beforeEach(() => {
    root = newFolder();
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('init asks, and Enter accepts its proposals', async () => {
    const { exitCode, screen } = await atTerminal(['init', '--name', 'shop'], root, [
      ['Which environments', ',prod\r'],
      ['With an example', '\r'],
    ]);
    expect(screen).toContain('created');
    expect(exitCode).toBe(0);
    expect(Object.keys(loadRegistry(root).project.environments)).toEqual(['dev', 'prod']);
  });

  test('a question is repeated after an invalid answer', LONG, async () => {
    const { exitCode } = await atTerminal(['init', '--env-names', 'dev', '--example', 'none'], root, [
      ['What is the project called', '\x15My Shop\r'],
      ['at most 40 lowercase letters', '\x15shop\r'],
    ]);
    expect(exitCode).toBe(0);
    expect(loadRegistry(root).project.project).toBe('shop');
  });

  test('Ctrl-C at a question exits with 130, and nothing is written', async () => {
    const first = await atTerminal(['init'], root, [['What is the project called', CTRL_C]]);
    expect(first.exitCode).toBe(130);
    expect(first.screen).toContain('Nothing was written');
    expect(all()).toEqual([]);
    await run('init', '--name', 'shop');
    const before = all();
    const second = await atTerminal(['scaffold', 'low-level', 'a'], root, [
      ['What does it call', '\r'],
      ['In which language', CTRL_C],
    ]);
    expect(second.exitCode).toBe(130);
    expect(all()).toEqual(before);
  });
});

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { CLI, abilityJson as startAbilityJson } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';
import { MCP_PROGRAMS } from '../fixtures/servers/mcp-http-server.js';
import { startStatelessMcp } from '../fixtures/servers/stateless-mcp.js';

interface Tool {
  name: string;
  [key: string]: unknown;
}
interface Named {
  key: string;
  source: string;
}

const ANY = { type: 'object' };
const READ = {
  name: 'read',
  description: 'Reads it.',
  inputSchema: ANY,
  annotations: { readOnlyHint: true, openWorldHint: false },
};
const WRITE = { name: 'write', description: 'Writes it.', inputSchema: ANY };

let project: ProjectFolder;

beforeEach(() => {
  project = makeProject({ 'ability.yaml': projectFile('{ dev: {} }') });
});
afterEach(() => project.remove());

const describeTools = (...tools: Tool[]) => writeFileSync(join(project.root, 'tools.json'), JSON.stringify(tools));
const node = (...args: string[]) => [process.execPath, ...args].map((word) => `'${word}'`).join(' ');
const SERVER = node(MCP_PROGRAMS.changing, 'tools.json', 'calls.txt');
const run = (...args: string[]) => ability(['import', 'mcp', 'srv', ...args], { cwd: project.root });
const json = (...args: string[]) => abilityJson(['import', 'mcp', 'srv', ...args], { cwd: project.root });
const first = (...more: string[]) => json('--command', SERVER, ...more);
/** In a separate process, for two imports at once. */
const firstApart = () => startAbilityJson(['import', 'mcp', 'srv', '--command', SERVER], { cwd: project.root });
const files = () =>
  readdirSync(project.root, { recursive: true })
    .map(String)
    .filter((file) => /\.(yaml|json)$/.test(file) && file.startsWith('registry'))
    .sort();
const read = (file: string) => readFileSync(join(project.root, file), 'utf8');
const keys = (list: Named[]) => list.map(({ key }) => key).sort();

describe('ability import mcp', () => {
  test('with --dry-run reports what it would write, and writes nothing', async () => {
    describeTools(READ, WRITE);
    const { json: end, exitCode } = await first('--dry-run');
    expect(exitCode).toBe(0);
    expect(end).toMatchObject({
      status: 'planned',
      new: [
        { key: 'srv.read', definition: { effects: 'read', implementation: { mcp: { server: 'srv', tool: 'read' } } } },
        {},
      ],
      config: { file: 'registry/config/srv.yaml', status: 'new' },
    });
    expect(files()).toEqual([]);
    const { stdout } = await run('--command', SERVER, '--dry-run');
    expect(stdout).toContain('Would import from srv');
    expect(stdout).toContain('Nothing was written');
  });

  test('imports the selection under a prefix, and remembers both', async () => {
    describeTools(READ, WRITE);
    const { json: end } = await first('--select', 'rea*', '--prefix', 'team.x');
    expect(end).toMatchObject({ new: [{ key: 'team.x.read' }], not_selected: ['team.x.write'] });
    const { json: again } = await json();
    expect(again).toMatchObject({ unchanged: [{ key: 'team.x.read' }], not_selected: ['team.x.write'] });
    const { exitCode, json: other } = await json('--prefix', 'other');
    expect([exitCode, other.error.message]).toEqual([2, expect.stringContaining('imported with the prefix team.x')]);
  });

  test.each([
    ['task', [READ, WRITE], []],
    ['shared', [READ], []],
    ['shared', [READ, WRITE], ['--session', 'shared']],
  ])('proposes `session: %s` by what the tools of a server do', async (session, tools, flags) => {
    describeTools(...tools);
    await first(...flags);
    expect(loadRegistry(project.root).mcpServers.get('srv')?.value).toMatchObject({ session });
    expect((await first(...flags)).exitCode).toBe(0);
    const other = await first('--session', session === 'task' ? 'shared' : 'task');
    expect(other).toMatchObject({
      exitCode: 2,
      json: { error: { message: expect.stringContaining('other settings') } },
    });
  });

  test('notes that a server of the project does not say whose its session is', async () => {
    const [command, ...args] = [process.execPath, MCP_PROGRAMS.changing, 'tools.json', 'calls.txt'];
    project.write({ 'registry/config/own.yaml': JSON.stringify({ mcp_servers: { srv: { command, args } } }) });
    describeTools(READ, WRITE);
    expect((await run('--dry-run')).stdout).toContain('write `session: task` at its entry');
    describeTools(READ);
    expect((await run('--dry-run')).stdout).not.toContain('session:');
  });

  test('shows what changed, keeps edits, and reports what is gone', async () => {
    describeTools(READ, WRITE, { name: 'old', inputSchema: ANY });
    await first();
    const file = 'registry/low-level/srv.write.yaml';
    project.write({
      [file]: read(file).replace('effects: destructive', '# Looked at: it only adds.\neffects: write_additive'),
      'registry/low-level/srv.read.yaml': read('registry/low-level/srv.read.yaml').replace(
        'Reads it.',
        'Reads the thing.',
      ),
    });
    const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    describeTools(
      { ...READ, description: 'Reads all of it.' },
      { ...WRITE, inputSchema },
      { name: 'fresh', inputSchema: ANY },
    );
    const { stdout, exitCode } = await run();
    expect(exitCode).toBe(0);
    expect(stdout).toContain('1 new, 2 changed, 0 unchanged, 0 kept, 0 left out');
    expect(stdout).toContain('input_schema.required: nothing -> ["text"]');
    expect(stdout).toContain('both changed summary: here "Reads the thing.", at the source "Reads all of it."');
    expect(stdout).toMatch(/No longer at the source; the file stays\n {2}srv\.old /);
    expect(stdout).toMatch(
      /Notes\n {2}Without annotations, .*: srv\.write, srv\.fresh|Notes\n {2}Without annotations, .*: srv\.fresh, srv\.write/,
    );
    expect(read(file)).toContain('# Looked at: it only adds.\neffects: write_additive');
    expect(loadRegistry(project.root).operations.get('srv.write')?.value).toMatchObject({ input_schema: inputSchema });
    expect(read('registry/low-level/srv.read.yaml')).toContain('Reads the thing.');
    expect(files()).toContain('registry/low-level/srv.old.yaml');
    await run('--overwrite');
    expect(read('registry/low-level/srv.read.yaml')).toContain('Reads the thing.');
  });

  test('reaches a server by its address, and writes the address into the configuration', async () => {
    const http = await startStatelessMcp([{ name: 'read', inputSchema: ANY }]);
    try {
      const { json: end } = await json('--url', http.url);
      expect(end).toMatchObject({ new: [{ key: 'srv.read' }] });
      // It keeps no session, so no task can have one.
      expect(loadRegistry(project.root).mcpServers.get('srv')?.value).toMatchObject({
        url: http.url,
        session: 'shared',
      });
    } finally {
      http.close();
    }
  });

  test('prints one JSON value even for a server without tools', LONG, async () => {
    const silent =
      "process.stdin.on('data', (d) => { const { id, method, params } = JSON.parse(String(d).split('\\n')[0]); if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } } })); });";
    project.write({ 'silent.mjs': silent });
    const { json: end } = await json('--command', node('silent.mjs'));
    expect(end).toMatchObject({ status: 'imported', new: [], left_out: [] });
  });

  test('two imports at once both complete, one after the other', LONG, async () => {
    describeTools(...Array.from({ length: 40 }, (_, index) => ({ name: `t${index}`, inputSchema: ANY })));
    const ends = await Promise.all([firstApart(), first()]);
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const [one, other] = ends.map((end) => end.json);
    expect([one.new.length, other.new.length].sort()).toEqual([0, 40]);
    expect([one.unchanged.length, other.unchanged.length].sort()).toEqual([0, 40]);
    expect(loadRegistry(project.root).problems).toEqual([]);
  });

  test('writes nothing if the disk is full', LONG, async () => {
    describeTools(READ, ...Array.from({ length: 60 }, (_, index) => ({ name: `t${index}`, inputSchema: ANY })));
    const shell = `ulimit -f 8; exec ${node(CLI, 'import', 'mcp', 'srv', '--json', '--command')} "$0"`;
    const end = await promisify(execFile)('sh', ['-c', shell, SERVER], { cwd: project.root }).catch(
      (error: unknown) => error,
    );
    const { stdout, code } = end as { stdout: string; code: number };
    expect([code, JSON.parse(stdout).error.code]).toEqual([1, 'import.write_failed']);
    expect(stdout).toContain('nothing was written');
    expect(files()).toEqual([]);
    expect((await first()).json.new).toHaveLength(61);
  });
});

describe('a faulty server', () => {
  test.each([
    [
      'ends at once',
      node('-e', 'console.error(process.argv[1]); process.exit(3)', 'I am dead'),
      /did not start[\s\S]*I am dead/,
    ],
    [
      'is silent',
      node('-e', 'console.error(process.argv[1]); setInterval(() => {}, 1000)', 'still thinking'),
      /did not say within 3000 ms[\s\S]*still thinking/,
    ],
    ['does not speak MCP', node('-e', 'setInterval(() => console.log(1), 100)'), /did not say within 3000 ms/],
  ])('%s: reported with its output, and nothing is written', async (_, command, message) => {
    const { json: end, exitCode } = await json('--command', command, '--timeout', '3s');
    expect([exitCode, end.error.code]).toEqual([1, 'mcp.start_failed']);
    expect(end.error.message).toMatch(message);
    expect(end.error.suggestion).toMatch(/--command/);
    expect(files()).toEqual([]);
  });

  test('that does not exist is refused before it is started, and nothing is written', async () => {
    const { json: end, exitCode } = await json('--command', "'./no-such-program' x", '--timeout', '3s');
    expect([exitCode, end.error.code]).toEqual([3, 'config.missing_program']);
    expect(end.error.message).toMatch(/no-such-program/);
    expect(files()).toEqual([]);
  });

  test('has tools that cannot be abilities: each is excluded by name with the reason, the others are imported', async () => {
    const nested = (levels: number): object => (levels === 0 ? ANY : { ...ANY, properties: { a: nested(levels - 1) } });
    const property = (schema: object) => ({ ...ANY, properties: { a: schema } });
    describeTools(
      { name: '__proto__', inputSchema: ANY },
      {
        name: '../../x',
        inputSchema: ANY,
        description: 'a: b # c\n---\n- !!js/function "x"\n&a *a ${{ x }} \u0007\u001b[31m\u202e\u200b',
      },
      { name: 'redos', inputSchema: property({ type: 'string', pattern: '^(a+)+$' }) },
      { name: 'test', inputSchema: ANY },
      { name: 'n'.repeat(500), inputSchema: ANY },
      { name: '日本', inputSchema: ANY },
      { name: 'lookahead', inputSchema: property({ type: 'string', pattern: '^(?=a)b' }) },
      { name: 'big', inputSchema: { ...ANY, description: 'x'.repeat(5 * 1024 * 1024) } },
      { name: 'deep', inputSchema: nested(150) },
      { name: 'pollutes', inputSchema: { ...ANY, properties: { constructor: {} } } },
      { name: 'elsewhere', inputSchema: property({ $ref: 'https://schemas.test/x.json' }) },
      { name: 'twin', inputSchema: ANY },
      { name: 'TWIN', inputSchema: ANY },
      { name: 'task', inputSchema: ANY, execution: { taskSupport: 'required' } },
    );
    const { json: end, exitCode } = await first();
    expect(exitCode).toBe(0);
    expect(keys(end.new)).toEqual(['srv._._x', 'srv.__proto__', 'srv.redos', 'srv.test']);
    const reasons = Object.fromEntries(
      end.left_out.map(({ source, reason }: { source: string; reason: string }) => [source, reason]),
    );
    expect(reasons).toEqual({
      ['n'.repeat(500)]: expect.stringContaining('504 characters'),
      日本: expect.stringContaining('no letter or digit'),
      lookahead: expect.stringContaining('RE2'),
      big: expect.stringContaining('larger than 1 MiB'),
      deep: expect.stringContaining('nested more than'),
      pollutes: expect.stringContaining('"constructor" is not allowed'),
      elsewhere: expect.stringContaining('references to other documents are not followed'),
      twin: expect.stringContaining('TWIN would be srv.twin as well'),
      TWIN: expect.stringContaining('twin would be srv.twin as well'),
      task: expect.stringContaining('taskSupport: required'),
    });
    const registry = loadRegistry(project.root);
    expect(registry.problems).toEqual([]);
    const text = read('registry/low-level/srv._._x.yaml');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u200b\u202e]/);
    expect(registry.operations.get('srv._._x')?.value.notes).toContain('\u001b[31m\u202e\u200b');
    expect(keys((await json()).json.unchanged)).toHaveLength(4);
  });

  test('has 500 tools: all are imported', { ...LONG, timeout: 180_000 }, async () => {
    const inputSchema = { ...ANY, properties: { a: { type: 'string' } }, required: ['a'] };
    describeTools(
      ...Array.from({ length: 500 }, (_, index) => ({
        name: `t${index}`,
        description: `Does ${index}.`,
        inputSchema,
      })),
    );
    const { json: end } = await first();
    expect(end.new).toHaveLength(500);
    expect(loadRegistry(project.root).problems).toEqual([]);
  });
});

describe('refused, with advice', () => {
  beforeEach(() => {
    project.write({ 'registry/config/known.yaml': 'mcp_servers: { known: { command: node, args: [x.mjs] } }\n' });
  });

  test.each([
    ['an undefined server', ['knwon'], 'usage.invalid', /Did you mean known/],
    ['both a command and a URL', ['srv', '--command', 'x', '--url', 'http://localhost'], 'usage.invalid', /Pass one/],
    ['an unclosed quote', ['srv', '--command', 'node "x'], 'usage.invalid', /Quotes group words/],
    ['an invalid name', ['../x', '--command', 'node x'], 'usage.invalid', /Correct the name/],
    ['an invalid URL', ['srv', '--url', 'ftp://x'], 'usage.invalid', /Correct the name, --command or --url/],
    ['another command for a known server', ['known', '--command', 'node y.mjs'], 'usage.invalid', /edit its entry/],
    ['a prefix with which no key can begin', ['known', '--prefix', '_X'], 'usage.invalid', /lowercase letter first/],
    ['an invalid time', ['known', '--timeout', 'soon'], 'usage.invalid', /10m/],
    [
      'a profile with a URL',
      ['srv', '--url', 'http://localhost', '--env-profile', 'x'],
      'usage.invalid',
      /Leave it out/,
    ],
    [
      'an unknown profile',
      ['srv', '--command', 'node x', '--env-profile', 'x'],
      'definition.unknown_reference',
      /env_profiles/,
    ],
  ])('%s', async (_, args, code, suggestion) => {
    const { json: end } = await abilityJson(['import', 'mcp', ...args], { cwd: project.root });
    expect(end.error).toMatchObject({ code, suggestion: expect.stringMatching(suggestion) });
    expect(files()).toEqual(['registry/config/known.yaml']);
  });

  test('a secret of its profile that is not set', async () => {
    project.write({ 'registry/config/p.yaml': 'env_profiles: { p: { secrets: { TOKEN: "env:NOWHERE_TOKEN" } } }\n' });
    const { json: end, exitCode } = await first('--env-profile', 'p');
    expect([exitCode, end.error.code]).toEqual([3, 'config.missing_credential']);
    rmSync(join(project.root, 'registry/config/p.yaml'));
  });
});

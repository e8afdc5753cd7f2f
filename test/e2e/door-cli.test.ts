import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildProgram } from '../../src/doors/cli/program/program.js';
import { CHROMIUM, launchBrowser } from '../fixtures/browser.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';
import { type ServedDoor, serveDoor } from '../fixtures/served-door.js';
import { scriptAbility } from '../fixtures/servers/definitions.js';
import { SILENT_TERMINAL } from '../fixtures/silent-terminal.js';

let project: ProjectFolder;
let door: ServedDoor;
/** The cookie of alice on the page. */
let alice: string;
const AXE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');
/** The laptop of an approver: a folder without a project, and a home of its own. */
const laptop = mkdtempSync(join(tmpdir(), 'ability-laptop-'));
const home = mkdtempSync(join(tmpdir(), 'ability-home-'));
const kept = join(home, 'ability', 'doors.json');

const away = (env: Record<string, string | undefined> = {}) => ({
  cwd: laptop,
  env: { HOME: home, XDG_CONFIG_HOME: home, ABILITY_USER: undefined, ABILITY_DOOR: door.url, ...env },
});
const there = (args: string[], env?: Record<string, string | undefined>) => abilityJson(args, away(env));
const here = (args: string[]) => abilityJson(args, { cwd: project.root });
const tokenOf = async (person: string, ...more: string[]): Promise<string> =>
  (await here(['token', 'create', '--person', person, '--expires', '1h', ...more])).json.token;

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(door.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { status: answer.status, cookie, body: text === '' ? null : JSON.parse(text) };
}

const signIn = async (token: string) => (await post('/page/sign-in', { token })).cookie;
const confirm = (user_code: string, cookie: string, decision?: 'confirm' | 'deny') =>
  post('/v1/login/confirm', { user_code, ...(decision && { decision }) }, { cookie });

/** Runs `ability login` until it shows its code; `end` is its end. */
async function beginLogin(...args: string[]) {
  const child = start(['login', '--json', ...args], away());
  let said = '';
  child.stderr?.on('data', (text: Buffer) => {
    said += text;
  });
  const code = (): string => /code=([A-Z]{4}-[A-Z]{4})/.exec(said)?.[1] ?? '';
  await expect.poll(code, { timeout: 30_000 }).not.toBe('');
  const end = async () => {
    const { exitCode, stdout } = await child;
    return { exitCode, json: JSON.parse(String(stdout)) };
  };
  return { code: code(), end };
}

async function login(): Promise<void> {
  const { code, end } = await beginLogin();
  expect((await confirm(code, alice, 'confirm')).status).toBe(200);
  expect(await end()).toMatchObject({ exitCode: 0, json: { person: 'alice' } });
}

beforeAll(async () => {
  project = makeProject({
    'ability.yaml': projectFile(
      '{ dev: {}, prod: { protected: true, approve: [destructive], approvers: [alice], proof: required } }',
      'default_environment: dev\npolicy: { max_file: 1MB }',
    ),
    ...operation('util.echo', 'return input;'),
    ...operation('db.drop', 'return input;', { effects: 'destructive' }),
    ...workflow(
      'typed',
      'input_schema: { type: object, properties: { count: { type: integer } } }\nsteps: [{ id: a, call: util.echo, with: { n: "${{ input.count }}" } }]\noutput: "${{ steps.a.output.n }}"',
    ),
    ...scriptAbility(
      'report.make',
      'scripts/report.mjs',
      "import { writeFileSync } from 'node:fs'; console.error('line of the call'); writeFileSync(`${process.argv[2]}/report.txt`, 'the report');",
      { script: { args: ['{output_dir}'], output: 'none' }, more: { output_files: { report: '*.txt' } } },
    ),
    ...workflow('report', 'steps: [{ id: make, call: report.make }]'),
    ...workflow(
      'reads',
      `input_schema:
  type: object
  properties:
    note: { type: string }
    page: { type: object, format: file }
    more: { type: array, items: { type: object, format: file } }
steps: [{ id: a, let: { page: "\${{ input.page.name }}", more: "\${{ input.more.map(one, one.name) }}" } }]
output: { note: "\${{ input.note }}", page: "\${{ steps.a.output.page }}", more: "\${{ steps.a.output.more }}" }`,
    ),
    ...operation('slow', 'return 1;'),
    'registry/low-level/slow.yaml':
      'operation_key: slow\nversion: 1\nsummary: Takes its time.\nuse_cases: [a test]\nscope: { modules: [test] }\neffects: read\n',
    'registry/implementations/patient.yaml':
      'id: patient\noperation_key: slow\nsummary: The patient one.\nkind: script\nscript: { path: scripts/slow.mjs }\nlimitations: Not before noon.\n',
    ...operation('util.gone', 'return 1;', { yaml: 'scope: { environments: [prod] }' }),
    ...workflow('broken', 'steps: [{ id: only, call: util.gone }]'),
    ...workflow('asks', 'steps: [{ id: ask, approval: { title: "Go on?" } }]'),
    ...workflow(
      'pauses',
      'steps: [{ id: prepare, wait: { signal: ready } }, { id: wait, wait: { signal: go } }, { id: a, call: util.echo }]',
    ),
  });
  door = await serveDoor(project.root);
  alice = await signIn(await tokenOf('alice', '--can', 'read,run,approve'));
});
afterEach(() => rmSync(kept, { force: true }));
afterAll(async () => {
  await door.stop();
  await ability(['down'], { cwd: project.root });
  project.remove();
  for (const folder of [laptop, home]) rmSync(folder, { recursive: true, force: true });
});

describe('ability login', () => {
  test('a person confirms a code on the page, the approver decides with proof from an empty folder, and logs out', async () => {
    const { code, end } = await beginLogin('--expires', '30m');
    expect(await confirm(code.toLowerCase(), alice)).toMatchObject({
      status: 200,
      body: { user_code: code, client: expect.stringMatching(/^ability \S+ of \S+ on \S+/), address: '127.0.0.1' },
    });
    expect((await confirm(code, alice, 'confirm')).status).toBe(200);
    const { exitCode, json: signedIn } = await end();
    expect([exitCode, signedIn]).toMatchObject([0, { person: 'alice', can: ['read', 'run', 'approve'] }]);
    expect(Date.parse(signedIn.expires_at) - Date.now()).toBeLessThanOrEqual(1_800_000);
    expect(statSync(kept).mode & 0o777).toBe(0o600);

    expect((await there(['run', 'typed', '--set', 'count=3'])).json).toMatchObject({
      status: 'succeeded',
      output: 3,
      requested_by: { name: 'alice' },
    });
    expect((await there(['list'])).json.map(({ id }: { id: string }) => id)).toContain('db.drop');
    const bob = { ABILITY_TOKEN: await tokenOf('bob', '--can', 'read,run') };
    const waits = await there(['run', 'db.drop', '--env', 'prod', '--key', 'drop'], bob);
    expect([waits.exitCode, waits.json.status]).toEqual([5, 'waiting_approval']);
    expect((await there(['approvals'])).json).toMatchObject([{ task_key: 'drop', proof: 'required' }]);
    const watched = there(['task', 'watch', 'drop', '--wait-approval', '60s']);
    const said = await ability(['approve', 'drop', '--comment', 'seen it'], away());
    expect([said.exitCode, said.stderr]).toEqual([
      0,
      expect.stringContaining('Deciding as alice; which your token proves.'),
    ]);
    expect(await watched).toMatchObject({ exitCode: 0, json: { status: 'succeeded' } });
    expect((await there(['why', 'drop'])).json.approvals[0].decisions).toMatchObject([
      { by: { name: 'alice', source: 'token' }, comment: 'seen it' },
    ]);

    const { token } = JSON.parse(readFileSync(kept, 'utf8')).doors[door.url];
    const [, id] = token.split('_');
    expect((await here(['token', 'list'])).json).toContainEqual(expect.objectContaining({ id, person: 'alice' }));
    expect((await there(['logout'])).json).toMatchObject({ status: 'signed_out' });
    expect(JSON.parse(readFileSync(kept, 'utf8')).doors).toEqual({});
    const refused = await there(['task', 'list'], { ABILITY_TOKEN: token });
    expect([refused.exitCode, refused.json.error]).toMatchObject([
      4,
      { code: 'door.unauthenticated', suggestion: expect.stringContaining('ability login') },
    ]);
    expect((await there(['logout'])).json).toMatchObject({ status: 'not_signed_in' });
    expect(readdirSync(laptop)).toEqual([]);
  });

  test('a denied code ends the command, and answers no more', async () => {
    const { code, end } = await beginLogin();
    expect((await confirm(code, alice, 'deny')).status).toBe(200);
    expect(await end()).toMatchObject({ exitCode: 4, json: { error: { code: 'door.access_denied' } } });
    expect(await confirm(code, alice, 'confirm')).toMatchObject({ status: 404, body: { code: 'door.no_login' } });
    expect(existsSync(kept)).toBe(false);
  });

  test('a device code gives one token, and only a person on the page confirms', async () => {
    const asked = (await post('/v1/login/device', { client: 'a program' })).body;
    const take = () => post('/v1/login/token', { device_code: asked.device_code });
    const agent = await tokenOf('alice', '--agent', 'reviewer', '--can', 'read,run');
    const own = await tokenOf('alice', '--can', 'read,run,approve');
    expect(await confirm(asked.user_code, await signIn(agent), 'confirm')).toMatchObject({
      status: 403,
      body: { code: 'approval.by_agent' },
    });
    expect(
      await post(
        '/v1/login/confirm',
        { user_code: asked.user_code, decision: 'confirm' },
        { authorization: `Bearer ${own}` },
      ),
    ).toMatchObject({ status: 403, body: { code: 'door.forbidden' } });
    expect(await confirm(asked.user_code, '', 'confirm')).toMatchObject({ status: 401 });
    const cross = { cookie: alice, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' };
    expect(await post('/v1/login/confirm', { user_code: asked.user_code, decision: 'confirm' }, cross)).toMatchObject({
      status: 403,
      body: { code: 'door.cross_site' },
    });
    await confirm(asked.user_code, alice, 'confirm');
    await expect.poll(async () => (await take()).body.person, { timeout: 30_000, interval: 7500 }).toBe('alice');
    expect(await take()).toMatchObject({ status: 400, body: { code: 'door.expired_token' } });
    expect(await take()).toMatchObject({ status: 400, body: { code: 'door.expired_token' } });
  });

  test('is not for agents, whose commands do not use the login of a person either', async () => {
    const typed = await there(['login'], { ABILITY_CALLER: 'agent' });
    expect([typed.exitCode, typed.json.error.code]).toEqual([4, 'approval.by_agent']);
    await login();
    // On this machine the door lets in whoever asks, to read and run, but not as alice.
    const ran = await there(['run', 'util.echo'], { ABILITY_CALLER: 'agent' });
    expect(ran.json).toMatchObject({ status: 'succeeded', requested_by: { name: 'tester' } });
    const { token } = JSON.parse(readFileSync(kept, 'utf8')).doors[door.url];
    const taken = await there(['run', 'util.echo'], { ABILITY_CALLER: 'agent', ABILITY_TOKEN: token });
    expect([taken.exitCode, taken.json.error]).toMatchObject([4, { code: 'door.forbidden' }]);
  });

  test('tokens that others may read are not used', async () => {
    await login();
    chmodSync(kept, 0o644);
    expect((await there(['task', 'list'])).json.error.code).toBe('door.login_not_private');
    expect((await there(['login'])).json.error.code).toBe('door.login_not_private');
  });
});

describe.skipIf(!CHROMIUM)('the page that confirms a login (needs chromium: apt-get install chromium)', () => {
  test('signs the person in first, says who asks, and confirms by the keyboard alone; axe finds nothing', async () => {
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const { code, end } = await beginLogin();
    await page.goto(`${door.url}/device?code=${code}`);
    const look = async () => {
      await page.evaluate(AXE);
      for (const theme of ['light', 'dark']) {
        await page.getByLabel('Theme').selectOption(theme);
        expect(await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))')).toEqual([]);
      }
    };
    await page.getByLabel('Token').fill(await tokenOf('alice', '--can', 'read,run'));
    await page.keyboard.press('Enter');
    await page.getByText('A command line wants to act as alice').waitFor();
    await page.getByText(code, { exact: true }).waitFor();
    await page.getByText(/^ability \S+ of \S+ on/).waitFor();
    await look();
    await page.getByRole('button', { name: 'Confirm' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('It is signed in.').waitFor();
    expect(await end()).toMatchObject({ exitCode: 0, json: { person: 'alice', can: ['read', 'run'] } });
    await page.goto(`${door.url}/device`);
    await page.getByLabel('Code').fill(code);
    await look();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'door.no_login' }).waitFor();
  });
});

describe('a door in place of the project', () => {
  test.each([
    [['--door', 'http://ability.acme.test', 'list'], 'door.no_tls'],
    [['--door', 'ability.acme.test', 'list'], 'usage.invalid'],
    [['--door', 'https://a:b@ability.acme.test/x', 'list'], 'usage.invalid'],
    [['list', '--address', 'localhost:7233'], 'usage.invalid'],
    [['list', '--project', '.'], 'usage.invalid'],
    [['list', '--strict'], 'usage.invalid'],
    [['--door', 'http://127.0.0.1:1', 'list'], 'door.unreachable'],
    [['task', 'list', '--query', 'a = 1'], 'door.project_only'],
    [['run', 'util.echo', '--direct'], 'door.project_only'],
    [['run', 'util.echo', '--file', 'a=nowhere.txt'], 'input.invalid'],
    [['harvest', '--write', 'x'], 'door.project_only'],
    [['list', '--env', 'nowhere'], 'environment.not_found'],
    [['show', 'util.eco'], 'ability.not_found'],
  ])('%j is refused: %s', async (args, code) => {
    const { json } = await there(args);
    expect(json.code ?? json.error?.code).toBe(code);
  });

  test('agents with a token of their own stay agents, and decide nothing', async () => {
    const token = await tokenOf('alice', '--agent', 'reviewer', '--can', 'read,run');
    const env = { ABILITY_TOKEN: token, ABILITY_CALLER: 'agent' };
    expect((await there(['run', 'asks', '--key', 'by-agent'], env)).exitCode).toBe(5);
    const [{ requested_by }] = (await there(['approvals', 'by-agent'], env)).json;
    expect(requested_by).toMatchObject({ name: 'alice', agent: 'reviewer' });
    expect((await there(['approve', 'by-agent'], env)).json.error.code).toBe('approval.by_agent');
    expect((await there(['approve', 'by-agent'], { ABILITY_TOKEN: token })).json.error.code).toBe('approval.by_agent');
  });

  test('texts for people name the door where it was given by a flag, and lead to its page', async () => {
    const token = await tokenOf('alice', '--can', 'read,run');
    const { stderr } = await ability(
      ['--door', door.url, 'run', 'asks', '--key', 'told'],
      away({ ABILITY_DOOR: undefined, ABILITY_TOKEN: token }),
    );
    expect(stderr).toContain(`ability --door ${door.url} task watch told`);
    expect(stderr).toContain(`Page:   ${door.url}/tasks/told`);
    const said = await there(['approve', 'told', '--as', 'bob'], { ABILITY_TOKEN: token });
    expect(said.json.error.code).toBe('approval.unproved');
    expect((await there(['approve', 'told'], { ABILITY_TOKEN: token })).json.error.code).toBe('door.forbidden');
  });

  test('the routing documents of the project are read through it', async () => {
    project.write({ 'modules/a/ABILITY.md': '# Of a\n' });
    const { json } = await there(['list', '--pages'], { ABILITY_TOKEN: await tokenOf('alice', '--can', 'read') });
    expect(json).toEqual({ pages: [{ path: 'modules/a/ABILITY.md', text: '# Of a\n' }] });
    for (const what of ['--packs', '--capabilities', '--usage']) {
      const token = { ABILITY_TOKEN: await tokenOf('alice', '--can', 'read') };
      const seen = await there(['list', what], token);
      expect(seen.json).toEqual((await here(['list', what])).json);
      expect(seen.json.length).toBeGreaterThan(0);
    }
  });

  test('what calls write is shown as it comes, and files are copied', async () => {
    const env = { ABILITY_TOKEN: await tokenOf('alice', '--can', 'read,run') };
    const ran = await ability(['run', 'report', '--key', 'reported', '--verbose'], away(env));
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringMatching(/^.* \| line of the call$/m)]);
    const followed = await ability(['task', 'logs', 'reported', '-f'], away(env));
    expect(followed.stdout).toMatch(/stderr: line of the call$/);
    const missing = await there(['task', 'logs', 'reported', 'mak'], env);
    expect(missing.json.error.message).toContain('No call of the step mak');
    const out = mkdtempSync(join(tmpdir(), 'ability-files-'));
    onTestFinished(() => rmSync(out, { recursive: true, force: true }));
    const { json: files } = await there(['task', 'files', 'reported', '--out', out], env);
    expect(files).toMatchObject([{ name: 'report', wasThere: false }]);
    expect(readFileSync(join(out, 'report.txt'), 'utf8')).toBe('the report');
  });

  test('files of an input go to the door, which refuses those that are too large', async () => {
    const env = { ABILITY_TOKEN: await tokenOf('alice', '--can', 'read,run') };
    const given = mkdtempSync(join(tmpdir(), 'ability-given-'));
    onTestFinished(() => rmSync(given, { recursive: true, force: true }));
    const write = (name: string, text: string): string => {
      writeFileSync(join(given, name), text);
      return join(given, name);
    };
    const page = ['--file', `page=${write('page.html', '<p>hello</p>')}`];
    const more = ['--file', `more=${write('empty.txt', '')}`, '--file', `more=${write('b.txt', 'b')}`];
    const ran = await there(['run', 'reads', ...page, ...more, '--set', 'note=x', '--key', 'given'], env);
    expect(ran).toMatchObject({
      exitCode: 0,
      json: { output: { note: 'x', page: 'page.html', more: ['empty.txt', 'b.txt'] } },
    });
    expect((await there(['task', 'files', 'given'], env)).json).toContainEqual(
      expect.objectContaining({ name: 'page', file: expect.objectContaining({ bytes: 12, media_type: 'text/html' }) }),
    );
    const made = await there(['task', 'create', 'reads', ...page, '--key', 'given-later'], env);
    expect(made.json).toMatchObject({ status: 'available', task_key: 'given-later' });
    const large = await there(['run', 'reads', '--file', `page=${write('large.bin', 'x'.repeat(4_000_000))}`], env);
    expect([large.exitCode, large.json.error?.code ?? large.json.code]).toEqual([3, 'file.too_large']);
  });

  test('a request in plain words is only considered with --dry-run: nothing runs, and no session opens', async () => {
    const before = (await there(['task', 'list'])).json.length;
    const { exitCode, json } = await there(['ask', '--dry-run', 'util.echo']);
    expect([exitCode, json]).toMatchObject([0, { outcome: 'planned', run: null, session_id: null, tasks: [] }]);
    expect(json.plan).toMatchObject([{ ability_id: 'util.echo' }]);
    expect((await there(['task', 'list'])).json.length).toBe(before);
  });

  test('show says all that it says in the project, also of what cannot run there', async () => {
    for (const args of [['slow'], ['typed'], ['broken']]) {
      const [far, near] = [
        await ability(['show', ...args], away()),
        await ability(['show', ...args], { cwd: project.root }),
      ];
      expect([args, far.exitCode, far.stdout]).toEqual([args, 0, near.stdout]);
    }
    expect((await ability(['show', 'slow'], away())).stdout).toContain('limitations: Not before noon.');
    expect((await ability(['show', 'broken'], away())).stdout).toMatch(/^ +only +call +util\.gone$/m);
  });

  test('a watch goes on when the door is started again', LONG, async () => {
    const token = await tokenOf('alice', '--can', 'read,run');
    const other = await serveDoor(project.root);
    const { port } = new URL(other.url);
    const env = { ABILITY_TOKEN: token, ABILITY_DOOR: other.url };
    await there(['run', 'pauses', '--key', 'long', '--detach'], env);
    const watched = start(['task', 'watch', 'long', '--json'], away(env));
    let said = '';
    watched.stderr?.on('data', (text: Buffer) => {
      said += text;
    });
    await there(['task', 'signal', 'long', 'ready'], env);
    await expect.poll(() => said, { timeout: 20_000 }).toContain('prepare');
    await other.stop();
    const again = await serveDoor(project.root, '--port', port);
    expect((await there(['task', 'signal', 'long', 'go'], env)).exitCode).toBe(0);
    const { exitCode, stdout } = await watched;
    expect([exitCode, JSON.parse(String(stdout)).status]).toEqual([0, 'succeeded']);
    await again.stop();
  });
});

/** Commands that work through a door, in an order in which each finds what it needs, with their exit codes. */
const WORK: [command: string, args: string[], exit?: number][] = [
  ['list', []],
  ['show', ['typed']],
  ['graph', ['typed']],
  ['plan', ['typed', '--set', 'count=2']],
  ['route', ['echo', 'something']],
  ['ask', ['sing a song']],
  ['harvest', []],
  ['explain', ['door.project_only']],
  ['run', ['util.echo', '--input', '{"x": "one"}', '--key', 'one']],
  ['why', ['one']],
  ['task create', ['typed', '--key', 'made']],
  ['task set', ['made', 'count=4']],
  ['task get', ['made', 'count']],
  ['task run', ['made']],
  ['task result', ['made']],
  ['task show', ['made']],
  ['task record', ['made']],
  ['task logs', ['made']],
  ['task files', ['made']],
  ['task watch', ['made']],
  ['task list', ['--ability', 'typed']],
  ['task open', ['made']],
  ['task retry', ['made']],
  ['task delete', ['made']],
  ['open', ['one']],
  ['approvals', []],
  ['approve', ['one'], 4],
  ['deny', ['one'], 4],
  ['grants list', []],
  ['grants revoke', ['0123456789abcdef'], 2],
  ['audit export', []],
  ['audit verify', []],
  ['session start', ['--id', 'talk']],
  ['session prompt', ['talk', 'hello']],
  ['session show', ['talk']],
  ['session stop', ['talk']],
  ['schedule create', ['util.echo', '--name', 'yearly', '--cron', '@yearly']],
  ['schedule list', []],
  ['schedule pause', ['yearly']],
  ['schedule resume', ['yearly']],
  ['schedule show', ['yearly']],
  ['schedule run', ['yearly']],
  ['schedule delete', ['yearly']],
  ['task pause', ['paused']],
  ['task resume', ['paused']],
  ['task signal', ['paused', 'go']],
  ['task cancel', ['paused']],
  ['task reconcile', ['one'], 2],
];
/** Of no project, or tested above. */
const APART = ['login', 'logout', 'completion'];
/** What only the project has. */
const PROJECT_ONLY = [
  ...[
    'init',
    'up',
    'down',
    'doctor',
    'worker',
    'lint',
    'test',
    'docs',
    'serve',
    'mcp',
    'guard',
    'agent',
    'prune',
    'replay',
  ],
  ...['low-level', 'scripts', 'high-level', 'implementation', 'hook', 'schemas'].map((name) => `scaffold ${name}`),
  ...['agent', 'cases', 'config', 'module', 'capabilities', 'packs'].map((name) => `scaffold ${name}`),
  ...['mcp', 'openapi', 'hooks'].map((name) => `import ${name}`),
  ...['list', 'test', 'export'].map((name) => `hooks ${name}`),
  ...['create', 'list', 'revoke'].map((name) => `token ${name}`),
  ...['keys create', 'keys rotate', 'schedule sync', 'harvest promote'],
];

describe('every command through a door', () => {
  test('is decided: it works, or needs the project', () => {
    const named = [...WORK.map(([name]) => name), ...APART, ...PROJECT_ONLY];
    expect(
      commandsOf()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(named.sort());
  });

  test.each(commandsOf().filter(({ name }) => PROJECT_ONLY.includes(name)))(
    '$name is refused, and says where to run it',
    async ({ name, args }) => {
      const { exitCode, json } = await there([...name.split(' '), ...args]);
      expect([exitCode, json.error]).toMatchObject([
        2,
        {
          code: 'door.project_only',
          message: expect.stringContaining(`\`ability ${name}\``),
          suggestion: expect.stringContaining('Run it in the project'),
        },
      ]);
    },
  );

  test('works from an empty folder, as alice', async () => {
    const token = await tokenOf('alice', '--can', 'read,run,approve');
    const env = { ABILITY_TOKEN: token };
    await there(['run', 'pauses', '--key', 'paused', '--detach'], env);
    const ends: unknown[] = [];
    for (const [name, args] of WORK) {
      const { exitCode, json } = await there([...name.split(' '), ...args, '--yes'], env);
      ends.push([name, exitCode, json?.error?.code ?? json?.code ?? null].slice(0, exitCode === 0 ? 2 : 3));
    }
    expect(ends.map((end) => (end as unknown[]).slice(0, 2))).toEqual(WORK.map(([name, , exit = 0]) => [name, exit]));
    expect(JSON.stringify(ends)).not.toContain('door.project_only');
    expect(readdirSync(laptop)).toEqual([]);
  }, 240_000);
});

/** All commands that do something, each with arguments and flags that it requires. */
function commandsOf(): { name: string; args: string[] }[] {
  const program = buildProgram({ terminal: SILENT_TERMINAL, cwd: '/', env: {}, began: 0 }, { exit: 0 });
  const below = (command: typeof program, before: string): { name: string; args: string[] }[] =>
    command.commands.flatMap((child) => {
      const name = `${before}${child.name()}`;
      const required = child.registeredArguments
        .filter((argument) => argument.required)
        .map(({ argChoices }) => argChoices?.[0] ?? 'x');
      const flags = child.options
        .filter(({ mandatory }) => mandatory)
        .flatMap(({ long = '', argChoices }) => [long, argChoices?.[0] ?? 'x']);
      const isGroup = child.commands.length > 0 && name !== 'harvest';
      return [...(isGroup ? [] : [{ name, args: [...required, ...flags] }]), ...below(child, `${name} `)];
    });
  return below(program, '');
}

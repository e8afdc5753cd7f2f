import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';
import { serveDoor } from '../fixtures/served-door.js';

let project: ProjectFolder;
const ME = userInfo().username;

beforeAll(() => {
  project = makeProject({
    'ability.yaml': projectFile(
      '{ dev: {}, prod: { protected: true, approve: [destructive], approvers: [alice], proof: required } }',
      'default_environment: dev',
    ),
    ...operation('util.echo', 'return input;'),
    ...operation('db.drop', 'return input;', { effects: 'destructive' }),
  });
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', join(project.root, 'key.pem'), '-out', join(project.root, 'cert.pem')];
  execFileSync('openssl', [...args, ...names, ...files], { stdio: 'ignore' });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const json = (args: string[], env: Record<string, string> = {}) => abilityJson(args, { cwd: project.root, env });

const serve = (...args: string[]) => serveDoor(project.root, ...args);

/** The ids of the events of a stream, up to the first event of a type. */
async function readEvents(url: string, last: string, headers: Record<string, string> = {}): Promise<string[]> {
  const stop = new AbortController();
  const answer = await fetch(url, { headers, signal: stop.signal });
  let text = '';
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes(`event: ${last}\n`) && text.endsWith('\n\n')) break;
  }
  stop.abort();
  return [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id as string);
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, never> };
}

describe('ability serve', () => {
  test('accepts requests on this machine, with the runtime of the project, until SIGTERM', async () => {
    const door = await serve();
    expect(door.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const got = await post(`${door.url}/v1/runs`, { ability: 'util.echo', input: { a: 1 }, wait: '60s' });
    expect(got).toMatchObject({
      status: 200,
      body: { status: 'succeeded', output: { a: 1 }, requested_by: { name: 'tester' } },
    });
    const waits = await post(`${door.url}/v1/runs`, { ability: 'db.drop', environment: 'prod' });
    const stream = await fetch(`${door.url}/v1/tasks/${waits.body.task_key}/events`);
    const reader = stream.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('event: task.created');
    const { exitCode, stderr } = await door.stop();
    expect([exitCode, stderr.match(/at .*:\d+:\d+/)]).toEqual([0, null]);
    await expect(fetch(door.url)).rejects.toThrow();
    expect(await json(['task', 'show', String(waits.body.task_key)])).toMatchObject({
      json: { status: 'waiting_approval' },
    });
  });

  test('a new token works at once, decides with proof, and opens nothing once it is revoked', LONG, async () => {
    const door = await serve();
    const { json: made } = await json([
      'token',
      'create',
      '--person',
      'alice',
      '--can',
      'read,run,approve',
      '--expires',
      '1h',
    ]);
    expect(made).toMatchObject({ person: 'alice', can: ['read', 'run', 'approve'], created_by: 'tester' });
    const headers = { authorization: `Bearer ${made.token}` };
    const run = { ability: 'db.drop', environment: 'prod', wait: '60s' };
    const waits = await post(`${door.url}/v1/runs`, run);
    const { task_key: key, waiting } = waits.body as never as { task_key: string; waiting: { approvals: string[] } };
    const path = `${door.url}/v1/tasks/${key}/approvals/${waiting.approvals[0]}`;
    expect(await post(path, { decision: 'approve' })).toMatchObject({ status: 401 });
    expect(await post(path, { decision: 'approve' }, headers)).toMatchObject({
      status: 200,
      body: { status: 'approved' },
    });
    expect(await json(['task', 'watch', key])).toMatchObject({
      exitCode: 0,
      json: { approvals: [{ decisions: [{ by: { name: 'alice', source: 'token' } }] }] },
    });
    const { json: listed } = await json(['token', 'list']);
    expect(listed).toMatchObject([{ id: made.id, person: 'alice' }]);
    expect(JSON.stringify(listed)).not.toContain(made.token.replace(/^abt_[0-9a-f]{16}_/, ''));
    expect(await json(['token', 'revoke', made.id])).toMatchObject({ exitCode: 0, json: { id: made.id } });
    expect(await post(`${door.url}/v1/tasks`, { ability: 'util.echo' }, headers)).toMatchObject({ status: 401 });
    expect(await door.stop('SIGINT')).toMatchObject({ exitCode: 0 });
  });

  test(
    'after a kill and a restart a client continues behind its last event; the door also continues after `ability down`',
    LONG,
    async () => {
      const killed = await serve();
      const waits = await post(`${killed.url}/v1/runs`, { ability: 'db.drop', environment: 'prod' });
      const key = String(waits.body.task_key);
      const first = (await readEvents(`${killed.url}/v1/tasks/${key}/events`, 'task.status')).at(-1) ?? '';
      killed.kill();
      const door = await serve();
      const rest = readEvents(`${door.url}/v1/tasks/${key}/events`, 'task.ended', { 'last-event-id': first });
      await fetch(`${door.url}/v1/tasks/${key}/cancel`, { method: 'POST' });
      expect(await rest).not.toContain(first);
      expect(await rest).not.toEqual([]);
      await ability(['down'], { cwd: project.root });
      const statuses: number[] = [];
      await expect
        .poll(
          async () => {
            const { status } = await fetch(`${door.url}/v1/tasks/${key}/result`);
            statuses.push(status);
            return status;
          },
          { timeout: 60_000 },
        )
        .toBe(200);
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(await door.stop()).toMatchObject({ exitCode: 0 });
    },
  );

  test('listens with TLS, and every request then needs a token', LONG, async () => {
    const { json: made } = await json(['token', 'create', '--person', 'alice']);
    const door = await serve('--host', 'localhost', '--tls-cert', 'cert.pem', '--tls-key', 'key.pem');
    const status = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const ca = readFileSync(join(project.root, 'cert.pem'));
        get(`${door.url}/v1/abilities`, { ca, headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        }).on('error', reject);
      });
    expect(door.url).toMatch(/^https:/);
    expect(await status({ authorization: `Bearer ${made.token}` })).toBe(200);
    expect(await status({ authorization: 'Bearer abt_no' })).toBe(401);
    expect(await door.stop()).toMatchObject({ exitCode: 0 });
  });

  test('refuses to be reachable from other machines without TLS or without a token', async () => {
    const bare = makeProject({ ...operation('util.echo', 'return 1;') });
    const refused = async (...args: string[]) =>
      (await abilityJson(['serve', '--port', '0', ...args], { cwd: bare.root })).json;
    const tls = ['--tls-cert', join(project.root, 'cert.pem'), '--tls-key', join(project.root, 'key.pem')];
    expect(await refused('--host', '0.0.0.0')).toMatchObject({ error: { code: 'door.no_tls' } });
    expect(await refused('--host', '0.0.0.0', ...tls)).toMatchObject({ error: { code: 'door.no_token' } });
    expect(await refused('--behind-proxy', 'a.test')).toMatchObject({ error: { code: 'door.no_token' } });
    expect(await refused('--host', '0.0.0.0', ...tls, '--trust-proxy-user', 'X-User')).toMatchObject({
      error: { code: 'usage.invalid' },
    });
    bare.remove();
  });

  test('reports why it cannot listen', LONG, async () => {
    const door = await serve();
    const end = await json(['serve', '--port', new URL(door.url).port]);
    expect(end).toMatchObject({ exitCode: 7, json: { error: { code: 'door.not_listening' } } });
    await door.stop();
  });
});

describe('ability token', () => {
  test.each([
    [['--person', 'alice', '--can', 'read,fly']],
    [['--person', 'alice', '--can', '']],
    [['--person', 'alice', '--agent', 'bot', '--can', 'read,approve']],
    [['--person', 'alice', '--expires', '367d']],
    [['--person', 'alice', '--expires', '0s']],
    [['--person', 'alice', '--expires', 'never']],
    [['--person', ' ']],
    [['--person', 'alice', '--environments', '']],
    [['--person', 'alice', '--environments', 'nowhere']],
    [['--person', 'alice', '--abilities', 'a,,b']],
    [['--person', 'alice', '--abilities', 'report.(a|b)']],
    [['--person', 'a\nb']],
    [[]],
  ])('create %j is refused', async (args) => {
    const end = await json(['token', 'create', ...args]);
    expect(end).toMatchObject({ exitCode: 2, json: { error: { code: 'usage.invalid' } } });
  });

  test('has limits, which are shown with it', async () => {
    const limits = ['--environments', 'dev', '--abilities', 'report.*, db.read'];
    const { json: made } = await json(['token', 'create', '--person', 'alice', ...limits]);
    expect(made.within).toEqual({ environments: ['dev'], abilities: ['report.*', 'db.read'] });
    const { stdout } = await ability(['token', 'list'], { cwd: project.root });
    expect(stdout).toContain('read, limited to report.*, db.read in dev');
    const { stderr } = await ability(['token', 'create', '--person', 'alice', ...limits], { cwd: project.root });
    expect(stderr).toMatch(
      /may read, limited to report\.\*, db\.read in dev, and is valid until .*No ability is called report\.\* so far/s,
    );
  });

  test('is not created by an agent, and prints nothing but itself', async () => {
    const end = await json(['token', 'create', '--person', 'alice'], { CLAUDECODE: '1' });
    expect(end).toMatchObject({ exitCode: 4, json: { error: { code: 'approval.by_agent' } } });
    const { stdout, stderr } = await ability(['token', 'create', '--person', 'alice'], { cwd: project.root });
    expect(stdout).toMatch(/^abt_[0-9a-f]{16}_[\w-]{43}$/);
    expect(stderr).toMatch(/may read, and is valid until/);
    const table = await ability(['token', 'list'], { cwd: project.root });
    expect(table.stdout).toContain(stdout.split('_')[1]);
    expect(await json(['token', 'revoke', 'none'])).toMatchObject({ exitCode: 2 });
  });

  test('decides on the command line if proof is required, as its person and not as the owner of the runtime', async () => {
    const { json: made } = await json(['token', 'create', '--person', 'alice', '--can', 'approve']);
    const { json: waits } = await json(['run', 'db.drop', '--env', 'prod']);
    const owner = await json(['approve', waits.task_key]);
    expect(owner.exitCode).toBe(ME === 'alice' ? 0 : 4);
    const env = { ABILITY_TOKEN: made.token };
    expect(await json(['approve', waits.task_key, '--comment', 'seen'], env)).toMatchObject({ exitCode: 0 });
    const { json: result } = await json(['task', 'watch', waits.task_key]);
    expect(result.approvals[0].decisions).toMatchObject([{ by: { name: 'alice', source: 'token' }, comment: 'seen' }]);
    const alike = [await json(['run', 'db.drop', '--env', 'prod']), await json(['run', 'db.drop', '--env', 'prod'])];
    const open = async () =>
      (await json(['approvals', '--env', 'prod'])).json.map(({ task_key: key }: { task_key: string }) => key);
    const keys = alike.map(({ json: { task_key } }) => task_key);
    await expect.poll(open, { timeout: 20_000 }).toEqual(expect.arrayContaining(keys));
    const { json: outcomes } = await json(['approve', '--like', alike[0]?.json.waiting.approvals[0]], env);
    expect(outcomes).toEqual(
      expect.arrayContaining(keys.map((key) => expect.objectContaining({ task_key: key, counted: true }))),
    );
  });
});

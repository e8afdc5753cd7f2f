import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, listTasks, readApprovals, type ShownApproval, withProof } from '../../src/client/index.js';
import { RegistryLoader } from '../../src/definitions/load-registry.js';
import { USUAL_LIMITS } from '../../src/doors/http/http-door.js';
import { type OpenDoor, openDoor, sendRaw } from '../fixtures/http-door.js';
import { NO_PROVIDER } from '../fixtures/no-provider.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;
let door: OpenDoor;

const ENVIRONMENTS = `
  dev: {}
  strict: { self_approval: false, approve: [destructive], approvers: [alice] }
  proven: { protected: true, approve: [destructive], approvers: [alice], proof: required }`;

beforeAll(async () => {
  const effects = { effects: 'destructive' };
  project = await runProject(
    {
      'ability.yaml': projectFile(ENVIRONMENTS, 'default_environment: dev'),
      ...operation('db.drop', "appendFileSync('dropped.log', 'x'); return input;", effects),
      ...workflow(
        'twice',
        `
steps:
  - id: again
    retry: { attempts: 2, first: 10ms }
    steps: [{ id: ask, approval: { title: Go on? } }, { id: stop, fail: { code: once_more, message: Once more } }]`,
      ),
    },
    { proves: true },
  );
  door = await openDoor(project.connection);
});
afterAll(async () => {
  await door.close();
  await project.stop();
});

const dropped = (): string => {
  const file = join(project.root, 'dropped.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const tasks = async (): Promise<number> => (await listTasks(project.connection, { limit: 1000 })).length;
const post = (path: string, body: unknown, token?: string, headers = {}) =>
  door.call('POST', path, { body, headers, ...(token !== undefined && { token }) });

async function waitingTask(environment: string): Promise<{ key: string; path: string; approval: ShownApproval }> {
  const { body } = await post('/v1/runs', { ability: 'db.drop', environment, wait: '30s' });
  const key = body.task_key as string;
  const [approval] = await readApprovals(project.connection, key);
  if (!approval) throw new Error('no approval is open');
  return { key, path: `/v1/tasks/${key}/approvals/${approval.id}`, approval };
}

describe('a decision is not accepted', () => {
  test.each(['strict', 'proven'])(
    'in %s from another person, an agent or a reader, or with a revoked token or none',
    async (environment) => {
      const { key, path } = await waitingTask(environment);
      const revoked = door.token('alice');
      door.tokens.revoke(revoked.split('_')[1] ?? '');
      const expired = door.tokens.create(
        { person: 'alice', can: ['approve'], expiresMs: 1000, createdBy: { name: 'x', source: 'claimed' } },
        Date.now() - 2000,
      ).text;
      const tries: [string | undefined, number][] = [
        [door.token('bob'), 409],
        [door.token('alice', ['read', 'run'], { agent: 'bot' }), 403],
        [door.token('alice', ['read', 'run']), 403],
        [revoked, 401],
        [expired, 401],
        [door.token('alice').replace(/.$/, '!'), 401],
        ['', 401],
        [undefined, 401],
      ];
      for (const decision of ['approve', 'deny', 'request_changes']) {
        for (const [token, status] of tries) {
          expect((await post(path, { decision, comment: 'x' }, token)).status).toBe(status);
        }
      }
      const bob = door.token('bob');
      for (const more of [
        { by: 'alice' },
        { as: 'alice' },
        { proof: { nonce: '0'.repeat(32), mac: '0'.repeat(64) } },
      ]) {
        expect((await post(path, { decision: 'approve', ...more }, bob)).status).toBe(400);
      }
      expect(await readApprovals(project.connection, key)).toMatchObject([{ decisions: [] }]);
      expect(dropped()).toBe('');
      await post(`/v1/tasks/${key}/cancel`, {});
    },
  );

  test('from a person named by a header, if no proxy is trusted or proof is required', async () => {
    const { key, path } = await waitingTask('proven');
    const named = { 'x-forwarded-user': 'alice' };
    expect((await post(path, { decision: 'approve' }, undefined, named)).status).toBe(401);
    const proxied = await openDoor(project.connection, {
      authentication: { ...NO_PROVIDER, findToken: () => undefined, proxyHeader: 'x-forwarded-user' },
    });
    const got = await proxied.call('POST', path, { body: { decision: 'approve' }, headers: named });
    expect(got).toMatchObject({ status: 403, body: { code: 'approval.unproved' } });
    expect((await proxied.call('GET', '/v1/tasks')).status).toBe(401);
    await proxied.close();
    await post(`/v1/tasks/${key}/cancel`, {});
  });

  test('for an approval other than the open one', async () => {
    const one = await waitingTask('proven');
    const other = await waitingTask('proven');
    const alice = door.token('alice');
    const crossed = `/v1/tasks/${one.key}/approvals/${other.approval.id}`;
    expect((await post(crossed, { decision: 'approve' }, alice)).status).toBe(404);
    for (const { key } of [one, other]) await post(`/v1/tasks/${key}/cancel`, {});
  });

  test('when its request or its proof is sent a second time', async () => {
    const { id: key } = await project.create('twice', {}, { environment: 'proven' });
    const open = async (): Promise<ShownApproval> => {
      await expect.poll(async () => (await readApprovals(project.connection, key)).length, { timeout: 20_000 }).toBe(1);
      return (await readApprovals(project.connection, key))[0] as ShownApproval;
    };
    const first = await open();
    const token = door.tokens.create({
      person: 'alice',
      can: ['approve'],
      expiresMs: 600_000,
      createdBy: { name: 'x', source: 'claimed' },
    });
    const decision = withProof(
      project.connection,
      first,
      'approve',
      { by: 'alice', approval_id: first.id },
      { token: token.text, door: null },
    );
    await decide(project.connection, key, 'approve', decision);
    await expect.poll(async () => (await open()).raised_at, { timeout: 20_000 }).not.toBe(first.raised_at);
    const replayed = decide(project.connection, key, 'approve', decision);
    await expect(replayed).rejects.toMatchObject({ code: 'approval.ignored' });
    // Nor does a decision count that was signed before its token was revoked.
    const again = await open();
    const late = withProof(
      project.connection,
      again,
      'approve',
      { by: 'alice', approval_id: again.id },
      { token: token.text, door: null },
    );
    door.tokens.revoke(token.id);
    await expect(decide(project.connection, key, 'approve', late)).rejects.toMatchObject({ code: 'approval.ignored' });
    expect(await readApprovals(project.connection, key)).toMatchObject([{ status: 'open', decisions: [] }]);
    await post(`/v1/tasks/${key}/cancel`, {});
  });
});

describe('the door refuses', () => {
  const body = JSON.stringify({ ability: 'db.drop' });
  const json = { 'content-type': 'application/json' };

  test.each([
    ['a page of another site', { ...json, origin: 'https://evil.test' }, 403],
    ['a page that hides its origin', { ...json, origin: 'null' }, 403],
    ['a page of another port', { ...json, origin: 'http://127.0.0.1:1' }, 403],
    ['a page that the browser marks as cross-site', { ...json, 'sec-fetch-site': 'cross-site' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a form of plain text', { 'content-type': 'text/plain' }, 415],
    ['a body without a type', {}, 415],
    ['a foreign host', { ...json, host: 'evil.test' }, 421],
    ['a foreign host that begins like ours', { ...json, host: '127.0.0.1.evil.test' }, 421],
    ['an invalid host', { ...json, host: '/' }, 421],
  ])('%s', async (_, headers, status) => {
    const before = await tasks();
    const got = await sendRaw(door.url, { method: 'POST', path: '/v1/runs', headers, pieces: [body] });
    expect(got.status).toBe(status);
    expect(JSON.parse(got.text)).toMatchObject({ status, code: expect.stringMatching(/^door\./) });
    expect(await tasks()).toBe(before);
  });

  test('a foreign page that only reads, or asks for permission', async () => {
    for (const method of ['GET', 'OPTIONS', 'HEAD', 'DELETE']) {
      const headers = { origin: 'https://evil.test', 'access-control-request-method': 'POST' };
      expect((await sendRaw(door.url, { method, path: '/v1/tasks', headers })).status).toBe(403);
    }
    const answer = await fetch(`${door.url}/v1/tasks`);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test.each(['with a declared length', 'in pieces'])(
    'a body of 100 MB, %s, without reading it to its end',
    async (how) => {
      const size = 100 * 1024 * 1024;
      const piece = Buffer.alloc(64 * 1024, 0x20);
      function* pieces() {
        for (let sent = 0; sent < size; sent += piece.length) yield piece;
      }
      const headers = { ...json, ...(how === 'in pieces' ? {} : { 'content-length': String(size) }) };
      const before = process.memoryUsage().rss;
      const got = await sendRaw(door.url, { method: 'POST', path: '/v1/runs', headers, pieces: pieces() });
      expect([0, 413]).toContain(got.status);
      expect(got.written).toBeLessThan(size / 2);
      expect(process.memoryUsage().rss - before).toBeLessThan(size);
      expect((await door.call('GET', '/v1/health')).status).toBe(200);
    },
  );

  test.each([
    '{"ability":"db.drop","__proto__":{"x":1}}',
    '{"ability":"db.drop","input":{"__proto__":{"x":1}}}',
    '{"ability":"db.drop","input":{"a":[{"constructor":{"prototype":{"x":1}}}]}}',
    '{"ability":"db.drop","input":{"prototype":1}}',
    `{"ability":"db.drop","input":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
    '{"ability":"db.drop","input":{"a":1e999}}',
    '{"ability":"db.drop"',
    '[]',
    'null',
    '"db.drop"',
  ])('a malformed or malicious body, number %#', async (text) => {
    const before = await tasks();
    const got = await sendRaw(door.url, { method: 'POST', path: '/v1/runs', headers: json, pieces: [text] });
    expect(got.status).toBe(400);
    expect(await tasks()).toBe(before);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test.each([
    '/v1/tasks/..%2f..%2f..%2fetc%2fpasswd',
    '/v1/tasks/..%2fkeys%2fproof/logs',
    '/v1/tasks/..%2ftokens/logs',
    '/v1/tasks/%00',
    '/v1/tasks/session:x',
    '/v1/tasks/preflight:x/result',
    "/v1/tasks?ability=a'%20OR%20'1'='1",
    '/v1/tasks?session=%27',
    '/v1/abilities/..%2f..%2fability',
    '/v1/abilities/__proto__',
    '/v1/sessions/..%2fx',
    '/v1/%ff',
  ])('a malicious path: %s', async (path) => {
    const got = await sendRaw(door.url, { method: 'GET', path });
    expect([400, 404]).toContain(got.status);
    expect(JSON.parse(got.text)).toMatchObject({ status: got.status, code: expect.any(String) });
    expect(got.text).not.toMatch(/root:|\n\s+at /);
  });
});

describe('a connection is closed after', () => {
  /** Everything that is received on a connection until it closes. */
  const talk = (url: string, text: string): Promise<string> =>
    new Promise((resolve) => {
      let got = '';
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
      socket.on('data', (more) => {
        got += String(more);
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(got));
    });

  test.each([
    ['a head that does not end', 'POST /v1/runs HTTP/1.1\r\nhost: localhost\r\n', '408'],
    [
      'a body that never arrives',
      'POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
      '408',
    ],
    ['text that is not a request', 'hello\r\n\r\n', '400'],
    ['a head that is too long', `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(100_000)}`, '400'],
  ])('%s', async (_, text, status) => {
    const hasty = await openDoor(project.connection, { limits: { ...USUAL_LIMITS, requestMs: 300 } });
    const got = await talk(hasty.url, text);
    expect(got).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(got).toContain('application/problem+json');
    await hasty.close();
  });
});

/** The definitions of the project, with a small maximum for files. */
function withSmallFiles() {
  const loaded = new RegistryLoader(project.root).load();
  return { ...loaded, project: { ...loaded.project, policy: { ...loaded.project.policy, max_file: '1KiB' } } };
}

test.each([
  ['/v1/files?name=large', 'application/octet-stream', 'file.too_large'],
  ['/v1/runs', 'application/json', 'door.too_large'],
])('who still sends to %s what is too large gets to read why, and is cut off soon', async (path, type, code) => {
  const small = await openDoor(project.connection, {
    registry: withSmallFiles,
    limits: { ...USUAL_LIMITS, bytes: 1000 },
  });
  // Sends all that it announces before it reads, as many clients do, and then without an end.
  const client = [
    'import socket, sys',
    's = socket.create_connection(("127.0.0.1", int(sys.argv[1])))',
    's.sendall(sys.argv[2].encode() + b"x" * 12000000)',
    'print(s.recv(9000).decode())',
    'try:',
    '  while True: s.sendall(b"x" * 100000)',
    'except OSError: print("cut off")',
  ];
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\ncontent-length: ${10 ** 10}\r\n\r\n`;
  const { stdout } = await execa('python3', ['-c', client.join('\n'), new URL(small.url).port, head], {
    timeout: 20_000,
  });
  expect(stdout).toMatch(/^HTTP\/1.1 413 /);
  expect(stdout).toContain(code);
  expect(stdout).toMatch(/cut off$/);
  await small.close();
});

test('who stops in the middle of a file that is too large gets the answer at once', async () => {
  const small = await openDoor(project.connection, { registry: withSmallFiles });
  const head = 'POST /v1/files?name=x HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/octet-stream';
  const socket = connect(Number(new URL(small.url).port), '127.0.0.1');
  socket.write(`${head}\r\ncontent-length: ${10 ** 10}\r\n\r\n${'x'.repeat(1500)}`);
  const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(5000) });
  expect(String(answer)).toMatch(/^HTTP\/1.1 413 /);
  socket.destroy();
  await small.close();
});

test.each([
  ['/v1/files?name=x', 'application/octet-stream'],
  ['/v1/runs', 'application/json'],
])('who has sent to %s all of what is too large keeps the connection', async (path, type) => {
  const small = await openDoor(project.connection, {
    registry: withSmallFiles,
    limits: { ...USUAL_LIMITS, bytes: 1000 },
  });
  const socket = connect(Number(new URL(small.url).port), '127.0.0.1');
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\ncontent-length: 1500\r\n\r\n`;
  socket.write(head + 'x'.repeat(1500));
  await once(socket, 'data', { signal: AbortSignal.timeout(5000) });
  // It is read on for a second.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  socket.write('GET /v1/abilities HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(5000) });
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
  socket.destroy();
  await small.close();
});

test('a failure shows no internals to the caller, and its cause to the operator', async () => {
  const broken = await openDoor(project.connection, {
    registry: () => {
      throw new TypeError('secret /home/alice/x.ts');
    },
  });
  const got = await broken.call('GET', '/v1/abilities');
  expect(got).toMatchObject({ status: 500, body: { code: 'internal.error' } });
  expect(JSON.stringify(got.body)).not.toMatch(/secret|alice|TypeError|\.ts/);
  expect(broken.notes.join()).toMatch(/GET \/v1\/abilities failed: TypeError: secret/);
  await broken.close();
});

test('the door does not serve a task of another project', async () => {
  const other = await runProject({ ...operation('util.echo', 'return 1;') });
  const { task_key: key } = await other.run('util.echo', {}, { key: `theirs-${Date.now()}` });
  for (const [method, rest] of [
    ['GET', ''],
    ['GET', '/result'],
    ['GET', '/logs'],
    ['GET', '/events'],
    ['GET', '/approvals'],
    ['POST', '/run'],
    ['POST', '/cancel'],
    ['DELETE', ''],
  ] as const) {
    const got = await door.call(method, `/v1/tasks/${key}${rest}`);
    expect(got).toMatchObject({ status: 404, body: { code: 'task.other_project' } });
  }
  await other.stop();
});

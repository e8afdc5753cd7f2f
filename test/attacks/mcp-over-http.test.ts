import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listTasks, readApprovals } from '../../src/client/index.js';
import type { Right } from '../../src/contracts/access.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { USUAL_LIMITS } from '../../src/doors/http/http-door.js';
import { type OpenDoor, openDoor, sendRaw } from '../fixtures/http-door.js';
import { connectOverHttp, messageOf } from '../fixtures/mcp-agent.js';
import { NO_PROVIDER } from '../fixtures/no-provider.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;
let door: OpenDoor;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: { self_approval: false, approve: [destructive] } }'),
    ...operation('util.write', "appendFileSync('written.log', 'x'); return 1;", { effects: 'write_additive' }),
    ...operation('db.drop', "appendFileSync('written.log', 'x'); return 1;", { effects: 'destructive' }),
    ...workflow('nothing', 'steps: [{ id: one, let: { n: "1" } }]\noutput: done'),
  });
  door = await openDoor(project.connection);
});
afterAll(async () => {
  await connections.close();
  await door.close();
  await project.stop();
});

const written = (): string => {
  const file = join(project.root, 'written.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const tasks = async (): Promise<number> => (await listTasks(project.connection, { limit: 1000 })).length;
const agentToken = (name: string, can: Right[] = ['read', 'run']) => door.token('ada', can, { agent: name });
const callOf = (id: string, more: JsonObject = {}) =>
  messageOf('tools/call', { params: { name: 'ability_run', arguments: { id, ...more } }, tasks: false });

/** 1,000 connections at once would be more than a busy machine accepts. */
const connections = new Agent({ connections: 100 });

/** The answer to a request that is sent without the SDK. */
async function send(url: string, { body, headers }: ReturnType<typeof messageOf>, token?: string) {
  const answer = await fetch(`${url}/mcp`, {
    dispatcher: connections,
    method: 'POST',
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  // biome-ignore lint/suspicious/noExplicitAny: what the door answers is what the tests look at
  return { status: answer.status, headers: answer.headers, body: JSON.parse(text) as any };
}

describe('the door refuses', () => {
  test.each<[string, Record<string, string>, number]>([
    ['a page of another site', { origin: 'https://evil.test' }, 403],
    ['a page that hides its origin', { origin: 'null' }, 403],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['a page that the browser marks as cross-site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a foreign host', { host: 'evil.test' }, 421],
    ['a host that begins like ours', { host: '127.0.0.1.evil.test' }, 421],
    ['a form', { 'content-type': 'text/plain' }, 415],
    ['a caller with an unknown token', { authorization: 'Bearer ability_x_y' }, 401],
    ['a caller with a password instead of a token', { authorization: 'Basic YTpi' }, 401],
    ['headers that name another method', { 'mcp-method': 'tools/list' }, 400],
    ['headers that name another tool', { 'mcp-name': 'ability_search' }, 400],
  ])('%s', async (_, wrong, status) => {
    const before = await tasks();
    const { body, headers } = callOf('util.write');
    for (const isModern of [true, false]) {
      // Before 2026-07-28 no header has to match the body.
      if (!isModern && status === 400) continue;
      const { params: _params, ...rest } = body;
      const params = { name: 'ability_run', arguments: { id: 'util.write' } };
      const { 'mcp-protocol-version': _version, 'mcp-method': _method, 'mcp-name': _name, ...early } = headers;
      const message = isModern ? body : { ...rest, params };
      const got = await sendRaw(door.url, {
        method: 'POST',
        path: '/mcp',
        headers: { ...(isModern ? headers : early), ...wrong },
        pieces: [JSON.stringify(message)],
      });
      expect(got.status).toBe(status);
    }
    expect([await tasks(), written()]).toEqual([before, '']);
  });

  test('a request without a token, if the door requires one', async () => {
    const { tokens } = door;
    const strict = await openDoor(project.connection, {
      authentication: { ...NO_PROVIDER, findToken: (text) => tokens.authenticate(text) },
    });
    const got = await send(strict.url, callOf('util.write'));
    expect(got).toMatchObject({ status: 401, body: { code: 'door.unauthenticated' } });
    expect(got.headers.get('www-authenticate')).toBe('Bearer');
    expect(written()).toBe('');
    await strict.close();
  });

  test('a token that may only read or only decide', async () => {
    const before = await tasks();
    const reading = agentToken('reader', ['read']);
    const { status, body } = await send(door.url, callOf('util.write'), reading);
    expect([status, body.error.code]).toEqual([200, -32602]);
    const deciding = door.token('ada', ['approve']);
    expect(await send(door.url, callOf('util.write'), deciding)).toMatchObject({
      status: 403,
      body: { code: 'door.forbidden' },
    });
    expect([await tasks(), written()]).toEqual([before, '']);
  });

  test.each(['with a declared length', 'in pieces'])(
    'a body of 100 MB, %s, without reading it to its end',
    async (how) => {
      const size = 100 * 1024 * 1024;
      const piece = Buffer.alloc(64 * 1024, 0x20);
      function* pieces() {
        for (let sent = 0; sent < size; sent += piece.length) yield piece;
      }
      const { headers } = callOf('util.write');
      const length: Record<string, string> = how === 'in pieces' ? {} : { 'content-length': String(size) };
      const got = await sendRaw(door.url, {
        method: 'POST',
        path: '/mcp',
        headers: { ...headers, ...length },
        pieces: pieces(),
      });
      expect([0, 413]).toContain(got.status);
      expect(got.written).toBeLessThan(size / 2);
    },
  );

  test.each(['', 'null', '[]', '{', '{"jsonrpc":"2.0","id":1}', `${'['.repeat(50_000)}${']'.repeat(50_000)}`])(
    'a body that is not a message, number %#',
    async (text) => {
      const { headers } = callOf('util.write');
      const got = await sendRaw(door.url, { method: 'POST', path: '/mcp', headers, pieces: [text] });
      expect(got.status).toBe(400);
      expect(got.text).not.toMatch(/\n\s+at |node_modules/);
    },
  );

  test.each(['GET', 'DELETE'])('%s, as there is no stream to open and no session to end', async (method) => {
    const got = await sendRaw(door.url, { method, path: '/mcp', headers: { accept: 'text/event-stream' } });
    expect(got.status).toBe(405);
  });
});

describe('an agent', () => {
  test('does not approve its own request in any way', async () => {
    const token = agentToken('own');
    const elicited: unknown[] = [];
    const client = { capabilities: { elicitation: { form: {}, url: {} } } };
    const agent = await connectOverHttp(door.url, { token, client });
    agent.client.setRequestHandler('elicitation/create', (request) => {
      elicited.push(request);
      return { action: 'accept', content: { approve: true } };
    });
    const reply = await agent.call('ability_run', { id: 'db.drop' });
    expect(reply.told).toMatchObject({ status: 'waiting_approval' });
    const key = Buffer.from(reply.told.task.split('.')[1], 'base64url').toString();
    const [approval] = await readApprovals(project.connection, key);
    const path = `/v1/tasks/${key}/approvals/${approval?.id}`;
    const decide = { body: { decision: 'approve' }, isForeign: true };
    // With its own token, without one, and with that of the person on whose behalf it acts.
    for (const shown of [{ token }, {}, { token: door.token('ada') }]) {
      const { status } = await door.call('POST', path, { ...decide, ...shown });
      expect([401, 403, 409]).toContain(status);
    }
    const update = messageOf('tasks/update', {
      params: { taskId: reply.told.task, inputResponses: { approve: { action: 'accept', content: {} } } },
    });
    await send(door.url, update, token);
    expect((await agent.call('task_result', { task: reply.told.task, wait: 0 })).told.status).toBe('waiting_approval');
    expect([elicited, written()]).toEqual([[], '']);
    await agent.call('task_cancel', { task: reply.told.task });
    await agent.close();
  });

  test('that sends 1,000 calls at once gets an answer to each, loses nothing, and blocks no other agent', async () => {
    const hasty = await openDoor(project.connection, {
      limits: { ...USUAL_LIMITS, rate: { burst: 40, perSecond: 1 }, listeners: 20 },
    });
    const [token, other] = [agentToken('hasty'), agentToken('patient')];
    const calls = Array.from({ length: 1000 }, () => send(hasty.url, callOf('nothing'), token));
    const [meanwhile, ...answers] = await Promise.all([send(hasty.url, callOf('nothing'), other), ...calls]);
    expect(meanwhile.body.result.structuredContent).toMatchObject({ task: expect.any(String) });
    const accepted = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1000 - accepted.length);
    expect(accepted.length).toBeGreaterThanOrEqual(20);
    const session = accepted[0]?.body.result._meta['ability-runtime/session_id'] as string;
    const started = accepted.filter(({ body }) => !body.result.isError);
    await expect
      .poll(async () => (await listTasks(project.connection, { session, limit: 1000 })).length, { timeout: 20_000 })
      .toBe(started.length);
    await hasty.close();
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallLog } from '../../../../../src/activities/call/call-log.js';
import type { PlanMcpServer } from '../../../../../src/contracts/plan.js';
import { connectMcp } from '../../../../../src/kinds/mcp/call/connection.js';
import { SecretSource } from '../../../../../src/planning/secrets/secret-source.js';
import { markOf } from '../../../../../src/server/processes/processes.js';
import { listTools } from '../../../../../src/worker/list-tools.js';
import { RunningGroups } from '../../../../../src/worker/running-groups.js';
import { makeProject, type ProjectFolder } from '../../../../fixtures/project-folder.js';
import { MCP_PROGRAMS } from '../../../../fixtures/servers/mcp-http-server.js';
import { closedPort } from '../../../../fixtures/servers/recording-service.js';
import { httpTools, INITIALIZED } from './http-tools.js';

const VALID = { name: 'do', inputSchema: { type: 'object' } };

let folder: ProjectFolder;
const cleanups: (() => unknown)[] = [];

beforeEach(() => {
  folder = makeProject({ 'tools.json': JSON.stringify([VALID]) });
});
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp();
  folder.remove();
});

interface Worker {
  /** What its environment has in addition to ours. */
  env?: Record<string, string>;
  /** How long it waits for each answer while it connects. */
  patienceMs?: number;
}

/** Connects as a call with `timeoutMs` would; the version query gets a quarter of that time. */
async function connect(server: PlanMcpServer, timeoutMs = 20_000, { env = {}, patienceMs = 20_000 }: Worker = {}) {
  const { signal } = new AbortController();
  const environment = { name: 'dev' };
  const log = new CallLog(undefined, '', 1);
  const user = {
    environment,
    secrets: new SecretSource(folder.root, 'dev', { ...process.env, ...env }),
    log,
    stop: signal,
    timeoutMs,
  };
  const connection = await connectMcp(
    server,
    user,
    { root: folder.root, groups: new RunningGroups(inFolder('running')) },
    signal,
    patienceMs,
  );
  cleanups.push(() => connection.close());
  return connection;
}
const stdio = (...args: string[]): PlanMcpServer => ({
  name: 'tools',
  transport: 'stdio',
  command: process.execPath,
  args,
  env: { pass: ['PATH'], set: {}, secrets: {} },
});
const inFolder = (name: string) => join(folder.root, name);
const files = () => [inFolder('tools.json'), inFolder('calls.txt')];

/** A handwritten server with these answers; each start adds a line to `starts.txt`. */
function rawServer(answers: string): PlanMcpServer {
  const initialize = `({ protocolVersion }) => ({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } })`;
  const code = `
    require('node:fs').appendFileSync('starts.txt', 'x');
    const answers = { initialize: ${initialize}, 'tools/list': () => ({ result: { tools: [${JSON.stringify(VALID)}] } }), ${answers} };
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const answer = id === undefined ? undefined : answers[method]?.(params);
      if (answer) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
    });`;
  return stdio('-e', code);
}
const starts = () => readFileSync(inFolder('starts.txt'), 'utf8').length;

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a connection speaks the newest protocol that both sides know', () => {
  test('with a server that knows only 2026-07-28', async () => {
    const { client } = await connect(stdio(MCP_PROGRAMS.modern, ...files()));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  });

  test('even if that server starts too slowly to answer the version query in time', async () => {
    const slow = `setTimeout(() => import(${JSON.stringify(MCP_PROGRAMS.modern)}), 400);`;
    // With `-e` there is no file, so the first argument is omitted.
    const { client } = await connect(stdio('-e', slow, '--', MCP_PROGRAMS.modern, ...files()), 200);
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  });

  test('with a server that does not know the version query, in the first process', async () => {
    const server = rawServer(`'server/discover': () => ({ error: { code: -32601, message: 'Method not found' } })`);
    expect((await connect(server)).client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(starts()).toBe(1);
  });

  test('with a server that does not answer the version query, in the first process', async () => {
    expect((await connect(rawServer(''), 400)).client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(starts()).toBe(1);
  });

  test('with a server that ends at the version query, in a second process', async () => {
    const { client } = await connect(rawServer(`'server/discover': () => process.exit(1)`));
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(starts()).toBe(2);
  });

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['500', (response) => void response.writeHead(500).end('oops')],
    ['404', (response) => void response.writeHead(404).end()],
    ['an HTML page', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['nothing', () => undefined],
    ['a broken connection', (response) => void response.socket?.resetAndDestroy()],
  ])('with a server over HTTP that answers the version query with %s', async (_, respond) => {
    const server = await httpTools(({ method }, response) => {
      if (method === 'server/discover') return respond(response) as undefined;
      return method === 'initialize' ? INITIALIZED : { result: { tools: [VALID] } };
    });
    const connection = await connect(server, 1000);
    expect(connection.client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    const user = { stop: new AbortController().signal, timeoutMs: 5000 };
    expect((await connection.askTools(user)).names()).toEqual(['do']);
  });
});

const DISCOVERED = {
  result: {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: 'private',
  },
};
const listed = (tools: object[]) => ({ result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools } });
const user = (timeoutMs = 5000) => ({ stop: new AbortController().signal, timeoutMs });
const isRunning = (pid: number) => markOf(pid) !== undefined;

describe('a server over HTTP that first fails at the version query and then refuses the handshake', () => {
  /** Connects to such a server. @param body its answer to the handshake. */
  async function refusing(body: string, status = 400) {
    let queries = 0;
    const server = await httpTools(({ method }, response) => {
      if (method === 'initialize') return void response.writeHead(status).end(body) as undefined;
      queries += 1;
      return queries > 1 ? DISCOVERED : (void response.writeHead(500).end() as undefined);
    });
    return connect(server, 1000);
  }

  test.each(['{"error":{"code":-32022}}', '{"error":{"code":-32601,"message":"no"}}'])(
    'because it has none is queried once more: %s',
    async (body) => {
      expect((await refusing(body)).protocol).toBe('2026-07-28');
    },
  );

  test.each([
    '{"error":{"code":-32603}}',
    '{"error":null}',
    '{"error":"x"}',
    '{"error":{}}',
    '{}',
    'null',
    '7',
    'oops',
  ])('for another reason is not queried again: %s', async (body) => {
    await expect(refusing(body)).rejects.toMatchObject({ code: 'mcp.start_failed' });
  });
});

describe('parameters that are sent as headers', () => {
  const INVALID = {
    ...VALID,
    name: 'invalid',
    inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': '' } } },
  };
  const findInvalid = async (server: PlanMcpServer) => (await (await connect(server)).askTools(user())).find('invalid');

  test('must be valid over HTTP since 2026-07-28', async () => {
    const server = await httpTools(({ method }) => (method === 'server/discover' ? DISCOVERED : listed([INVALID])));
    expect(await findInvalid(server)).toHaveProperty('fault');
  });

  test('are not checked before that version', async () => {
    const unknown = { error: { code: -32601, message: 'Method not found' } };
    const server = await httpTools(({ method }) => {
      if (method === 'server/discover') return unknown;
      return method === 'initialize' ? INITIALIZED : listed([INVALID]);
    });
    expect(await findInvalid(server)).toHaveProperty('tool');
  });

  test('are not checked for a server that runs as a process', async () => {
    writeFileSync(inFolder('tools.json'), JSON.stringify([INVALID]));
    expect(await findInvalid(stdio(MCP_PROGRAMS.modern, ...files()))).toHaveProperty('tool');
  });
});

describe('a request over HTTP', () => {
  const answering = (request: { method: string }) =>
    request.method === 'server/discover' ? DISCOVERED : listed([VALID]);

  test('has the headers of its configuration, with credentials filled in', async () => {
    const keys: unknown[] = [];
    const server = await httpTools((message, _, { headers }) => {
      keys.push(headers['x-key']);
      return answering(message);
    });
    const withKey = { ...server, headers: { 'x-key': 'Bearer {credential:key}' }, credentials: { key: 'env:KEY' } };
    await connect(withKey, 20_000, { env: { KEY: 'the-secret-key' } });
    expect(keys).toEqual(['Bearer the-secret-key']);
  });

  test('goes to no host that the policy does not allow', async () => {
    let requests = 0;
    const server = await httpTools((message) => {
      requests += 1;
      return answering(message);
    });
    await expect(connect({ ...server, allowed_hosts: [] } as PlanMcpServer)).rejects.toMatchObject({
      code: 'denied.host',
    });
    expect(requests).toBe(0);
  });

  test('follows no redirect', async () => {
    let requests = 0;
    const target = await httpTools((message) => {
      requests += 1;
      return answering(message);
    });
    const server = await httpTools(
      (_, response) => void response.writeHead(307, { location: target.url }).end() as undefined,
    );
    const allowed_hosts = [...server.allowed_hosts, ...target.allowed_hosts];
    await expect(connect({ ...server, allowed_hosts }, 400)).rejects.toMatchObject({ code: 'mcp.start_failed' });
    expect(requests).toBe(0);
  });

  test('to a server that is not there had no effect, and names its address', async () => {
    const port = await closedPort();
    const host = `127.0.0.1:${port}`;
    const server = { ...(await httpTools(answering)), url: `http://${host}/mcp`, allowed_hosts: [host] };
    await expect(connect(server)).rejects.toMatchObject({
      code: 'unavailable.connection',
      message: expect.stringContaining(`tools at ${host} cannot be reached`),
      unclear: false,
    });
  });

  test('that breaks off after it was sent may have had an effect', async () => {
    const server = await httpTools((message, response) => {
      if (message.method === 'server/discover') return DISCOVERED;
      response.socket?.resetAndDestroy();
      return undefined;
    });
    const connection = await connect(server);
    const error = await failure(connection.askTools(user()));
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toMatchObject({ code: 'unavailable.connection' });
  });
});

describe('the tools', () => {
  test('of a closed connection are unknown, not empty', async () => {
    const server = await httpTools(({ method }) => (method === 'server/discover' ? DISCOVERED : listed([VALID])));
    const connection = await connect(server);
    await connection.client.close();
    await expect(connection.askTools(user())).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });

  test('of a server that offers none are empty, and are not requested', async () => {
    const without = { result: { ...DISCOVERED.result, capabilities: {} } };
    const methods: string[] = [];
    const server = await httpTools(({ method }) => {
      methods.push(method);
      return without;
    });
    expect((await (await connect(server)).askTools(user())).names()).toEqual([]);
    expect(methods).not.toContain('tools/list');
  });

  test('come from all pages', async () => {
    const server = await httpTools(({ method, params }) => {
      if (method === 'server/discover') return DISCOVERED;
      const page = listed([{ ...VALID, name: `page-${params.cursor ?? 0}` }]);
      return params.cursor === undefined ? { result: { ...page.result, nextCursor: '1' } } : page;
    });
    expect((await (await connect(server)).askTools(user())).names()).toEqual(['page-0', 'page-1']);
  });
});

describe('a server that runs as a process', () => {
  const LEGACY = `'server/discover': () => ({ error: { code: -32601, message: '' } })`;

  test('counts as ended even if a child holds its pipes, and the child is ended too', async () => {
    const child = `require('node:child_process').spawn('sleep', ['60'], { stdio: 'inherit' })`;
    const listing = `() => { require('node:fs').writeFileSync('child', String(${child}.pid)); process.exit(0); }`;
    const connection = await connect(rawServer(`${LEGACY}, 'tools/list': ${listing}`));
    const error = await failure(connection.askTools(user(20_000)));
    expect(error).toMatchObject({ code: 'CONNECTION_CLOSED' });
    const pid = Number(readFileSync(inFolder('child'), 'utf8'));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test('ends with its connection, as does a child that left its group', async () => {
    const child = `require('node:child_process').spawn('sleep', ['60'], { stdio: 'ignore', detached: true })`;
    const listing = `() => { require('node:fs').writeFileSync('child', String(${child}.pid)); return { result: { tools: [] } }; }`;
    const connection = await connect(rawServer(`${LEGACY}, 'tools/list': ${listing}`));
    await connection.askTools(user());
    const pid = Number(readFileSync(inFolder('child'), 'utf8'));
    expect(isRunning(pid)).toBe(true);
    await connection.close();
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test('that sends more than the limit of an output overflows its connection', async () => {
    const listing = `() => { process.stdout.write('x'.repeat(33 * 1024 * 1024)); }`;
    const connection = await connect(rawServer(`${LEGACY}, 'tools/list': ${listing}`));
    expect(connection.overflowed()).toBe(false);
    await failure(connection.askTools(user(20_000)));
    expect(connection.overflowed()).toBe(true);
  });

  test('has the end of its stderr in the log of a call, without secrets', async () => {
    const written = `${'x'.repeat(9000)} the-secret-key ${'y'.repeat(3900)}`;
    const listing = `() => { process.stderr.write('${written}'); return { result: { tools: [] } }; }`;
    const connection = await connect(rawServer(`${LEGACY}, 'tools/list': ${listing}`));
    await connection.askTools(user());
    const log = new CallLog(undefined, '', 1);
    log.hide('the-secret-key');
    await expect.poll(() => connection.stderr(log)).toMatch(/^x+ \*\*\* y{3900}$/);
    expect(connection.stderr(log)).toHaveLength(4000);
  });
});

describe('a failed connection has a readable reason', () => {
  test('if a secret of its profile is not set, as everywhere else', async () => {
    const env = { pass: ['PATH'], set: {}, secrets: { TOKEN: 'env:NOWHERE_TOKEN' } };
    const server = { ...stdio('-e', ''), env } as PlanMcpServer;
    await expect(connect(server)).rejects.toMatchObject({ code: 'config.missing_credential' });
  });

  test('if a program crashed, with the end of what it wrote', async () => {
    const error = await failure(connect(stdio('-e', 'console.error("no database here"); process.exit(3);')));
    expect(error).toMatchObject({ code: 'mcp.start_failed', message: expect.stringContaining('no database here') });
  });

  test('if a server over HTTP is silent, which differs from one that is not there', async () => {
    const server = await httpTools(() => undefined);
    await expect(connect(server, 100, { patienceMs: 100 })).rejects.toMatchObject({
      code: 'mcp.start_failed',
      message: expect.stringContaining('tools did not start'),
    });
  });

  test('if the handshake is invalid', async () => {
    const error = await failure(connect(rawServer(`initialize: () => ({ result: { protocolVersion: 7 } })`), 400));
    expect(error).toMatchObject({ code: 'mcp.start_failed', message: expect.stringMatching(/protocolVersion/) });
    expect((error as Error).message).not.toMatch(/"code"|\[\s*\{/);
  });

  test('if an answer over HTTP is invalid', async () => {
    const server = await httpTools((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc": "1"}');
      return undefined;
    });
    const error = await failure(connect(server));
    expect(error).toMatchObject({ code: 'mcp.start_failed', message: expect.stringContaining('cannot be reached') });
    expect((error as Error).message).not.toMatch(/"code"|\[\s*\{/);
  });
});

describe('tools are listed for an import', () => {
  const list = async (server: PlanMcpServer) => {
    const { signal } = new AbortController();
    return (await listTools(server, { root: folder.root, environment: 'dev', timeoutMs: 20_000, signal })).tools;
  };

  test.each(['changing', 'modern'] as const)('without the invalid ones, which are named (%s)', async (program) => {
    const invalid = [{ name: 'invalid' }, { name: 7 }, { ...VALID, name: 'odd', annotations: { title: 7 } }];
    writeFileSync(inFolder('tools.json'), JSON.stringify([invalid[0], VALID, ...invalid.slice(1)]));
    expect(await list(stdio(MCP_PROGRAMS[program], ...files()))).toMatchObject([
      { name: 'invalid', fault: '`inputSchema` is missing' },
      { name: 'do', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { name: 'odd', fault: '`annotations.title`: expected string, received number' },
      { name: 'tool 3 of the listing', fault: expect.stringContaining('`name`') },
    ]);
  });

  test.each([
    ['is invalid', '({ result: { tools: "all" } })', 'mcp.output_invalid', /returned an invalid result/],
    ['never ends', '({ result: { tools: [], nextCursor: "again" } })', 'mcp.output_invalid', /more than 64 pages/],
    ['is refused', '({ error: { code: -32603, message: "no luck" } })', 'mcp.tool_error', /no luck/],
  ])('or not at all if the listing %s', async (_, answer, code, message) => {
    const error = await failure(
      list(
        rawServer(`'server/discover': () => ({ error: { code: -32601, message: '' } }), 'tools/list': () => ${answer}`),
      ),
    );
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((error as Error).message).not.toMatch(/"code"|\[\s*\{/);
  });
});

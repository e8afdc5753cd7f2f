import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CallLog } from '../../../../../src/activities/call/call-log.js';
import type { ProcessGroups } from '../../../../../src/activities/processes/run-process.js';
import type { PlanMcpServer } from '../../../../../src/contracts/plan.js';
import { type McpConnection, SessionLost } from '../../../../../src/kinds/mcp/call/connection.js';
import { McpPool } from '../../../../../src/kinds/mcp/call/pool.js';
import { SecretSource } from '../../../../../src/planning/secrets/secret-source.js';
import { RunningGroups } from '../../../../../src/worker/running-groups.js';
import { temporaryProject } from '../../../temporary-project.js';
import { httpTools, INITIALIZED, type McpMessage } from './http-tools.js';

const TOOLS = { result: { tools: [{ name: 'do', inputSchema: { type: 'object' } }] } };

/** A pool that is closed with the test. */
function newPool() {
  const { root } = temporaryProject();
  const pool = new McpPool({ root, groups: new RunningGroups(join(root, 'running')) });
  onTestFinished(() => pool.close());
  return pool;
}

/** A server over HTTP, with the number of connections opened to it. */
async function countedServer(more: (message: McpMessage) => object | undefined = () => undefined) {
  const seen = { handshakes: 0 };
  const server = await httpTools((message) => {
    const special = more(message);
    if (special) return special;
    if (message.method === 'server/discover') return { error: { code: -32601, message: 'Method not found' } };
    if (message.method !== 'initialize') return TOOLS;
    seen.handshakes += 1;
    return INITIALIZED;
  });
  return { server, seen };
}

const VERSION =
  "initialize: ({ protocolVersion }) => ({ result: { protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } } })";
/** A server process that only answers the handshake. */
const PROCESS = `const answers = { ${VERSION} };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = answers[method]?.(params) ?? { error: { code: -32601, message: '' } };
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
});`;

function stdioServer(...more: string[]): PlanMcpServer {
  const env = { pass: ['PATH'], set: {}, secrets: {} };
  return { name: 'local', transport: 'stdio', command: process.execPath, args: ['-e', PROCESS, ...more], env };
}

interface Use {
  environment?: string;
  secrets?: Record<string, string>;
  stop?: AbortSignal;
  log?: CallLog;
  timeoutMs?: number;
}

/** The use of a server by one call. */
function user(more: Use = {}) {
  const { environment = 'dev', secrets = {}, stop = new AbortController().signal, timeoutMs = 20_000 } = more;
  return {
    environment: { name: environment },
    secrets: new SecretSource('/nowhere', environment, secrets),
    log: more.log ?? new CallLog(undefined, '', 1),
    stop,
    timeoutMs,
  };
}
const same = async (connection: McpConnection) => connection;
/** Whether a connection still has a transport. */
const isOpen = ({ client }: McpConnection) => client.transport !== undefined;
/** A promise, and the function that resolves it. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test('processes that cannot be ended are reported, and do not end the worker', async () => {
  const { root } = temporaryProject();
  const left: unknown[] = [];
  const running = new RunningGroups(join(root, 'running'));
  const full = new Error('too many open files');
  const groups: ProcessGroups = {
    turn: () => running.turn(),
    begin: () => Object.assign(running.begin(), { end: () => Promise.reject(full) }),
  };
  const pool = new McpPool({ root, groups, onLeft: (error) => left.push(error) });
  const first = await pool.use(stdioServer(), user(), same);
  // Another configuration of the server replaces the connection, which is then closed without a caller.
  await pool.use(stdioServer('other'), user(), same);
  await expect.poll(() => left.length, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(new Set(left)).toEqual(new Set([full]));
  expect(isOpen(first)).toBe(false);
  await pool.close().catch(() => {});
});

describe('a connection', () => {
  test('is shared by concurrent calls and by later ones', async () => {
    const pool = newPool();
    const { server, seen } = await countedServer();
    const [first, second] = await Promise.all([pool.use(server, user(), same), pool.use(server, user(), same)]);
    expect(second).toBe(first);
    expect(await pool.use(server, user(), same)).toBe(first);
    expect(isOpen(first)).toBe(true);
    expect(seen.handshakes).toBe(1);
  });

  test('differs in another environment, and both stay open', async () => {
    const pool = newPool();
    const { server } = await countedServer();
    const dev = await pool.use(server, user(), same);
    const prod = await pool.use(server, user({ environment: 'prod' }), same);
    expect(prod).not.toBe(dev);
    expect(await pool.use(server, user(), same)).toBe(dev);
  });

  test('survives a call that fails for another reason than a lost session', async () => {
    const pool = newPool();
    const { server } = await countedServer();
    const first = await pool.use(server, user(), same);
    const failed = new Error('refused');
    await expect(pool.use(server, user(), () => Promise.reject(failed))).rejects.toBe(failed);
    expect(await pool.use(server, user(), same)).toBe(first);
  });

  test('that broke is reopened by the next call', async () => {
    const pool = newPool();
    const { server, seen } = await countedServer();
    const first = await pool.use(server, user(), same);
    await first.client.close();
    expect(await pool.use(server, user(), same)).not.toBe(first);
    expect(seen.handshakes).toBe(2);
  });

  test('that could not be opened is retried by the next call', async () => {
    const pool = newPool();
    let isUp = false;
    const { server } = await countedServer(() => (isUp ? undefined : { error: { code: -32603, message: 'not yet' } }));
    await expect(pool.use(server, user(), same)).rejects.toMatchObject({ code: 'mcp.start_failed' });
    isUp = true;
    expect(isOpen(await pool.use(server, user(), same))).toBe(true);
  });

  test('is closed with the pool', async () => {
    const pool = newPool();
    const { server } = await countedServer();
    const connection = await pool.use(server, user(), same);
    await pool.close();
    expect(isOpen(connection)).toBe(false);
    expect(await pool.use(server, user(), same)).not.toBe(connection);
  });
});

describe('a server whose configuration or secret changed', () => {
  const withKey = (server: Extract<PlanMcpServer, { transport: 'http' }>): PlanMcpServer => ({
    ...server,
    headers: { 'x-key': '{credential:key}' },
    credentials: { key: 'env:KEY' },
  });

  test.each<[string, (server: PlanMcpServer) => PlanMcpServer, string]>([
    ['secret', (server) => server, 'another-key'],
    ['configuration', (server) => ({ ...server, headers: {} }) as PlanMcpServer, 'a-first-key'],
  ])('gets a new connection after a change of its %s, and the unused one is closed', async (_, change, key) => {
    const pool = newPool();
    const server = withKey((await countedServer()).server);
    const first = await pool.use(server, user({ secrets: { KEY: 'a-first-key' } }), same);
    const second = await pool.use(change(server), user({ secrets: { KEY: key } }), same);
    expect(second).not.toBe(first);
    await expect.poll(() => isOpen(first)).toBe(false);
    expect(isOpen(second)).toBe(true);
  });

  test('keeps the old connection until its last call has ended', async () => {
    const pool = newPool();
    const server = withKey((await countedServer()).server);
    const { opened, open } = gate();
    const used = gate();
    const inUse = pool.use(server, user({ secrets: { KEY: 'a-first-key' } }), async (connection) => {
      used.open();
      await opened;
      return [connection, isOpen(connection)] as const;
    });
    await used.opened;
    await pool.use(server, user({ secrets: { KEY: 'another-key' } }), same);
    open();
    const [connection, wasOpen] = await inUse;
    expect(wasOpen).toBe(true);
    await expect.poll(() => isOpen(connection)).toBe(false);
  });

  test('has its secret masked in the log of each call, including one that reuses a connection', async () => {
    const pool = newPool();
    const server = withKey((await countedServer()).server);
    for (const log of [new CallLog(undefined, '', 1), new CallLog(undefined, '', 1)]) {
      await pool.use(server, user({ secrets: { KEY: 'a-first-key' }, log }), same);
      expect(log.mask('the a-first-key')).toBe('the ***');
    }
  });
});

describe('a session that the server has lost', () => {
  const lost = () => new SessionLost({ code: 'unavailable.connection', message: 'no such session' });

  test('is reopened, and the call repeated, if the server has answered before', async () => {
    const pool = newPool();
    const { server } = await countedServer();
    const first = await pool.use(server, user(), same);
    const tried: McpConnection[] = [];
    const answer = await pool.use(server, user(), async (connection) => {
      tried.push(connection);
      if (tried.length === 1) throw lost();
      return 'done';
    });
    expect(answer).toBe('done');
    expect(tried[0]).toBe(first);
    expect(tried[1]).not.toBe(first);
    await expect.poll(() => isOpen(first)).toBe(false);
  });

  test('fails the call if the server never answered one, and the next call gets a new session', async () => {
    const pool = newPool();
    const { server, seen } = await countedServer();
    let tries = 0;
    const losing = pool.use(server, user(), async () => {
      tries += 1;
      throw lost();
    });
    await expect(losing).rejects.toBeInstanceOf(SessionLost);
    expect(tries).toBe(1);
    await pool.use(server, user(), same);
    expect(seen.handshakes).toBe(2);
  });
});

describe('a server that does not start', () => {
  /** A server that answers nothing until `state.answer` is set; `gone` resolves when a client leaves. */
  async function silentServer() {
    const requested = gate();
    const gone = gate();
    const state = { answer: false };
    const server = await httpTools((message, response) => {
      if (state.answer) return message.method === 'initialize' ? INITIALIZED : { error: { code: -32601, message: '' } };
      response.on('close', gone.open);
      requested.open();
      return undefined;
    });
    return { server, requested: requested.opened, gone: gone.opened, state };
  }

  test('ends the call when its time is up, and is abandoned if no other call waits', async () => {
    const pool = newPool();
    const { server, requested, gone } = await silentServer();
    const stop = new AbortController();
    const waiting = pool.use(server, user({ stop: stop.signal }), same);
    await requested;
    stop.abort();
    await expect(waiting).rejects.toMatchObject({
      code: 'timeout.call',
      message: expect.stringContaining('tools did not start within 20000 ms'),
      unclear: false,
    });
    await gone;
  });

  test('is still awaited by another call', async () => {
    const pool = newPool();
    const { server, requested, state } = await silentServer();
    const stop = new AbortController();
    // The version query gets a quarter of the time-out.
    const hasty = pool.use(server, user({ stop: stop.signal, timeoutMs: 400 }), same);
    const patient = pool.use(server, user(), same);
    await requested;
    state.answer = true;
    stop.abort();
    await expect(hasty).rejects.toMatchObject({ code: 'timeout.call' });
    expect(isOpen(await patient)).toBe(true);
  });

  test('is not awaited by a call that has already ended', async () => {
    const pool = newPool();
    const { server } = await silentServer();
    await expect(pool.use(server, user({ stop: AbortSignal.abort() }), same)).rejects.toMatchObject({
      code: 'timeout.call',
    });
  });

  test('is abandoned when the pool closes', async () => {
    const pool = newPool();
    const { server, requested, gone } = await silentServer();
    const waiting = pool.use(server, user(), same).catch((error: unknown) => error);
    await requested;
    await pool.close();
    await gone;
    expect(await waiting).toMatchObject({
      code: 'mcp.start_failed',
      message: expect.not.stringContaining('undefined'),
    });
  });
});

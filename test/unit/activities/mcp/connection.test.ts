import { readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallLog } from '../../../../src/activities/call/call-log.js';
import { connectMcp } from '../../../../src/activities/mcp/connection.js';
import type { PlanMcpServer } from '../../../../src/contracts/plan.js';
import { SecretSource } from '../../../../src/planning/secrets/secret-source.js';
import { listTools } from '../../../../src/worker/list-tools.js';
import { RunningGroups } from '../../../../src/worker/running-groups.js';
import { makeProject, type ProjectFolder } from '../../../fixtures/project-folder.js';
import { MCP_PROGRAMS } from '../../../fixtures/servers/mcp-http-server.js';
import { httpTools, INITIALIZED } from './http-tools.js';

const WELL = { name: 'do', inputSchema: { type: 'object' } };

let folder: ProjectFolder;
const ends: (() => unknown)[] = [];

beforeEach(() => {
  folder = makeProject({ 'tools.json': JSON.stringify([WELL]) });
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  folder.remove();
});

/** Connects as a call would that waits for `timeoutMs`; the question for the version is given a quarter of it. */
async function connect(server: PlanMcpServer, timeoutMs = 20_000) {
  const { signal } = new AbortController();
  const environment = { name: 'dev' };
  const log = new CallLog(undefined, '', 1);
  const user = { environment, secrets: new SecretSource(folder.root, 'dev'), log, stop: signal, timeoutMs };
  const connection = await connectMcp(
    server,
    user,
    { root: folder.root, groups: new RunningGroups(inFolder('running')) },
    signal,
  );
  ends.push(() => connection.close());
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

/** A program that serves a list of answers by hand; each start adds a line to `starts.txt`. */
function byHand(answers: string): PlanMcpServer {
  const initialize = `({ protocolVersion }) => ({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } })`;
  const code = `
    require('node:fs').appendFileSync('starts.txt', 'x');
    const answers = { initialize: ${initialize}, 'tools/list': () => ({ result: { tools: [${JSON.stringify(WELL)}] } }), ${answers} };
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
  test('with a server that knows no other than 2026-07-28', async () => {
    const { client } = await connect(stdio(MCP_PROGRAMS.modern, ...files()));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  });

  test('also where that server starts too slowly to answer the question in time', async () => {
    const slow = `setTimeout(() => import(${JSON.stringify(MCP_PROGRAMS.modern)}), 400);`;
    // With \`-e\` the first argument is left out, as there is no file.
    const { client } = await connect(stdio('-e', slow, '--', MCP_PROGRAMS.modern, ...files()), 200);
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  });

  test('with one that does not know the question, in the process that was started first', async () => {
    const server = byHand(`'server/discover': () => ({ error: { code: -32601, message: 'Method not found' } })`);
    expect((await connect(server)).client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(starts()).toBe(1);
  });

  test('with one that does not answer the question, in the process that was started first', async () => {
    expect((await connect(byHand(''), 400)).client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(starts()).toBe(1);
  });

  test('with one that ends at the question, in a second process', async () => {
    const { client } = await connect(byHand(`'server/discover': () => process.exit(1)`));
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(starts()).toBe(2);
  });

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['500', (response) => void response.writeHead(500).end('oops')],
    ['404', (response) => void response.writeHead(404).end()],
    ['a page', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['nothing', () => undefined],
    ['a broken connection', (response) => void response.socket?.resetAndDestroy()],
  ])('with one over HTTP that answers the question with %s', async (_, odd) => {
    const server = await httpTools(({ method }, response) => {
      if (method === 'server/discover') return odd(response) as undefined;
      return method === 'initialize' ? INITIALIZED : { result: { tools: [WELL] } };
    });
    const connection = await connect(server, 1000);
    expect(connection.client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    const user = { stop: new AbortController().signal, timeoutMs: 5000 };
    expect((await connection.askTools(user)).names()).toEqual(['do']);
  });
});

describe('why there is no connection is said in words', () => {
  test('that a secret of its profile is not set, as everywhere else', async () => {
    const env = { pass: ['PATH'], set: {}, secrets: { TOKEN: 'env:NOWHERE_TOKEN' } };
    const server = { ...stdio('-e', ''), env } as PlanMcpServer;
    await expect(connect(server)).rejects.toMatchObject({ code: 'config.missing_credential' });
  });

  test('that a program crashed, with the end of what it wrote', async () => {
    const error = await failure(connect(stdio('-e', 'console.error("no database here"); process.exit(3);')));
    expect(error).toMatchObject({ code: 'mcp.start_failed', message: expect.stringContaining('no database here') });
  });

  test('that a handshake is none', async () => {
    const error = await failure(connect(byHand(`initialize: () => ({ result: { protocolVersion: 7 } })`), 400));
    expect(error).toMatchObject({ code: 'mcp.start_failed', message: expect.stringMatching(/protocolVersion/) });
    expect((error as Error).message).not.toMatch(/"code"|\[\s*\{/);
  });

  test('that an answer over HTTP is none', async () => {
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
  const list = (server: PlanMcpServer) => {
    const { signal } = new AbortController();
    return listTools(server, { root: folder.root, environment: 'dev', timeoutMs: 20_000, signal });
  };

  test.each(['changing', 'modern'] as const)('without the ill ones, which are named (%s)', async (program) => {
    const ill = [{ name: 'ill' }, { name: 7 }, { ...WELL, name: 'odd', annotations: { title: 7 } }];
    writeFileSync(inFolder('tools.json'), JSON.stringify([ill[0], WELL, ...ill.slice(1)]));
    expect(await list(stdio(MCP_PROGRAMS[program], ...files()))).toMatchObject([
      { name: 'ill', fault: '`inputSchema` is missing' },
      { name: 'do', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { name: 'odd', fault: '`annotations.title`: expected string, received number' },
      { name: 'tool 3 of the listing', fault: expect.stringContaining('`name`') },
    ]);
  });

  test.each([
    ['is none', '({ result: { tools: "all" } })', 'mcp.output_invalid', /returned an invalid result/],
    ['has no end', '({ result: { tools: [], nextCursor: "again" } })', 'mcp.output_invalid', /more than 64 pages/],
    ['is refused', '({ error: { code: -32603, message: "no luck" } })', 'mcp.tool_error', /no luck/],
  ])('or not at all where the listing %s', async (_, answer, code, message) => {
    const error = await failure(
      list(
        byHand(`'server/discover': () => ({ error: { code: -32601, message: '' } }), 'tools/list': () => ${answer}`),
      ),
    );
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((error as Error).message).not.toMatch(/"code"|\[\s*\{/);
  });
});

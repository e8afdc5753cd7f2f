import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { CallFailure } from '../../../../../src/activities/call/call-failure.js';
import { CallLog } from '../../../../../src/activities/call/call-log.js';
import { callMcp } from '../../../../../src/kinds/mcp/call/call-mcp.js';
import { PinnedTools } from '../../../../../src/kinds/mcp/call/pinned-tools.js';
import { McpPool } from '../../../../../src/kinds/mcp/call/pool.js';
import { SecretSource } from '../../../../../src/planning/secrets/secret-source.js';
import { RunningGroups } from '../../../../../src/worker/running-groups.js';
import { makeProject, type ProjectFolder } from '../../../../fixtures/project-folder.js';

/** The answer of a server with a validator to a wrong input. */
const DUMP = 'Invalid arguments: [\n  {"code": "invalid_type", "path": ["a"], "message": "Required"}\n]';
const VERSIONS = `{ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' }`;

let folder: ProjectFolder;
let pool: McpPool;

beforeAll(() => {
  folder = makeProject();
  pool = new McpPool({ root: folder.root, groups: new RunningGroups(join(folder.root, 'running')) });
});
afterEach(() => pool.close());
afterAll(() => folder.remove());

/** Calls a tool of a server that gives this answer, in a version of the protocol. */
function call(isModern: boolean, answer: object, begin = () => Promise.resolve(), more: object = {}): Promise<unknown> {
  const code = `
    const listing = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [{ name: 'do', inputSchema: { type: 'object' }, ...${JSON.stringify(more)} }] };
    const answers = {
      'server/discover': () => ${isModern ? `({ result: ${VERSIONS} })` : `({ error: { code: -32601, message: '' } })`},
      initialize: ({ protocolVersion }) => ({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } }),
      'tools/list': () => ({ result: listing }),
      'tools/call': () => (${JSON.stringify(answer)}),
    };
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const reply = id === undefined ? undefined : answers[method]?.(params);
      if (reply) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...reply }) + '\\n');
    });`;
  const env = { pass: ['PATH'], set: {}, secrets: {} };
  const server = { name: 'files', transport: 'stdio', command: process.execPath, args: ['-e', code], env } as const;
  const tools = new PinnedTools(
    pool,
    { put: async () => '', holds: () => Promise.resolve(false), get: () => Promise.reject(new Error('empty')) },
    folder.root,
  );
  const implementation = { id: 'i', kind: 'mcp', mcp: { server, tool: 'do', output: 'structured' } } as const;
  const user = {
    environment: { name: 'dev' },
    secrets: new SecretSource(folder.root, 'dev'),
    log: new CallLog(undefined, '', 1),
    stop: new AbortController().signal,
    timeoutMs: 20_000,
    input: {},
    begin,
    idempotencyKey: 'key',
    outputBytes: 1_000_000,
  };
  return callMcp(implementation as never, user as never, { pool, tools }).catch((error: unknown) => error);
}

describe.each([
  ['2025-11-25', false],
  ['2026-07-28', true],
])('a failed call has a readable reason (%s)', (_, isModern) => {
  const complete = isModern ? { resultType: 'complete' } : {};

  test.each<[string, object, string, string]>([
    [
      'a result without content',
      { result: { ...complete, content: 'x' } },
      'mcp.output_invalid',
      'files do returned an invalid result: Invalid result for tools/call: `content`: expected array, received string',
    ],
    [
      'a refusal by a validator',
      { error: { code: -32602, message: DUMP } },
      'mcp.tool_error',
      'files do refused the call: Invalid arguments: `a`: Required',
    ],
    [
      'a failure by a validator',
      { result: { ...complete, isError: true, content: [{ type: 'text', text: DUMP }] } },
      'mcp.tool_error',
      'files do failed: Invalid arguments: `a`: Required',
    ],
  ])('%s', async (_, answer, code, message) => {
    expect(await call(isModern, answer)).toMatchObject({ code, message });
  });
});

test('a call whose mark cannot be written is not made', async () => {
  const full = new Error('no room for a mark');
  expect(await call(true, { result: { resultType: 'complete', content: [] } }, () => Promise.reject(full))).toBe(full);
});

describe('a server that requires more than a durable call offers', () => {
  const CAPABILITY = -32021;
  const missing = (requiredCapabilities: object) => ({
    error: { code: CAPABILITY, message: 'Missing', data: { requiredCapabilities } },
  });

  test.each<[string, object, string, string, boolean]>([
    [
      'a task',
      { result: { resultType: 'task', taskId: '1' } },
      'mcp.task_required',
      'answered with a task of MCP',
      true,
    ],
    [
      'a question',
      { result: { resultType: 'input_required', requestState: '1' } },
      'mcp.input_required',
      'asked for input before it goes on',
      true,
    ],
    [
      'that it answers with tasks only',
      missing({ extensions: { 'io.modelcontextprotocol/tasks': {} } }),
      'mcp.task_required',
      'answers with tasks of MCP only',
      false,
    ],
    [
      'that it needs a client that answers questions',
      missing({ elicitation: { form: {} } }),
      'mcp.input_required',
      'needs a client that answers questions (elicitation)',
      false,
    ],
  ])('that answers %s gets a specific error', async (_, answer, code, message, unclear) => {
    const error = await call(true, answer);
    expect(error).toMatchObject({ code, message: `files do ${message}`, suggestion: expect.any(String) });
    expect((error as CallFailure).unclear).toBe(unclear);
  });

  test('that asks to open a page gets the same error before 2026-07-28', async () => {
    const error = await call(false, { error: { code: -32042, message: 'Open', data: { elicitations: [] } } });
    expect(error).toMatchObject({ code: 'mcp.input_required', message: expect.stringContaining('open a page first') });
  });

  test('that runs the tool only as a task is not called', async () => {
    const begun: string[] = [];
    const begin = async (): Promise<void> => void begun.push('x');
    const error = await call(false, { result: { content: [] } }, begin, { execution: { taskSupport: 'required' } });
    expect(error).toMatchObject({ code: 'mcp.task_required', message: expect.stringContaining('was not called') });
    expect(begun).toEqual([]);
  });
});

test('a result of an unknown type leaves open whether something was done', async () => {
  expect(await call(true, { result: { resultType: 'later', content: [] } })).toMatchObject({
    code: 'mcp.output_invalid',
    message: 'files do answered with a result of the type `later`, which is not supported',
    unclear: true,
  });
});

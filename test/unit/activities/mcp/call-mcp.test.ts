import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CallLog } from '../../../../src/activities/call-log.js';
import { callMcp } from '../../../../src/activities/mcp/call-mcp.js';
import { PinnedTools } from '../../../../src/activities/mcp/pinned-tools.js';
import { McpPool } from '../../../../src/activities/mcp/pool.js';
import { SecretSource } from '../../../../src/activities/secrets.js';
import { ENGINE } from '../../../../src/contracts/names.js';
import { RunningGroups } from '../../../../src/worker/running-groups.js';
import { makeProject, type ProjectFolder } from '../../../fixtures/project-folder.js';

/** What a server that uses a validator answers when the input is wrong. */
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

/** Calls a tool of a server that gives one answer, in a version of the protocol. */
function call(isModern: boolean, answer: object, begin = () => Promise.resolve()): Promise<unknown> {
  const code = `
    const listing = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [{ name: 'do', inputSchema: { type: 'object' } }] };
    const answers = {
      'server/discover': () => ${isModern ? `({ result: ${VERSIONS} })` : `({ error: { code: -32601, message: '' } })`},
      initialize: ({ protocolVersion }) => ({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } }),
      'tools/list': () => ({ result: listing }),
      'tools/call': () => (${JSON.stringify(answer)}),
    };
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const said = id === undefined ? undefined : answers[method]?.(params);
      if (said) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...said }) + '\\n');
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
    engine: ENGINE,
  };
  return callMcp(implementation as never, user as never, { pool, tools }).catch((error: unknown) => error);
}

describe.each([
  ['2025-11-25', false],
  ['2026-07-28', true],
])('why a call failed is said in words (%s)', (_, isModern) => {
  const whole = isModern ? { resultType: 'complete' } : {};

  test.each<[string, object, string, string]>([
    [
      'a result without content',
      { result: { ...whole, content: 'x' } },
      'mcp.output_invalid',
      'files do gave a result that is none: Invalid result for tools/call: `content`: expected array, received string',
    ],
    [
      'a refusal by a validator',
      { error: { code: -32602, message: DUMP } },
      'mcp.tool_error',
      'files do refused the call: Invalid arguments: `a`: Required',
    ],
    [
      'a failure by a validator',
      { result: { ...whole, isError: true, content: [{ type: 'text', text: DUMP }] } },
      'mcp.tool_error',
      'files do failed: Invalid arguments: `a`: Required',
    ],
  ])('%s', async (_, answer, code, message) => {
    expect(await call(isModern, answer)).toMatchObject({ code, message });
  });
});

test('a call whose mark cannot be left is not made', async () => {
  const full = new Error('no room for a mark');
  expect(await call(true, { result: { resultType: 'complete', content: [] } }, () => Promise.reject(full))).toBe(full);
});

test.each(['task', 'input_required'])(
  'an answer of the type %s leaves it open whether something was done',
  async (type) => {
    expect(await call(true, { result: { resultType: type, taskId: '1', requestState: '1' } })).toMatchObject({
      code: 'mcp.output_invalid',
      message: `files do answered with a result of the type \`${type}\`, which is not supported`,
      unclear: true,
    });
  },
);

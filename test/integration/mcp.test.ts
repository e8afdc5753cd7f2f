import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { isWhole, LONG, LONGER } from '../fixtures/extent.js';
import { type RunningProject, runProject, type TestTask } from '../fixtures/running-project.js';
import { config, mcpAbility, readLog } from '../fixtures/servers/definitions.js';
import { MCP_PROGRAMS, type McpHttpServer, startMcpHttp } from '../fixtures/servers/mcp-http-server.js';

let project: RunningProject;
let http: McpHttpServer;
let counter = 0;

/** A server that answers every call of its tool `do` as the test defines. */
const raw = (answer: JsonObject, tool: JsonObject = {}) => ({
  command: process.execPath,
  args: [
    MCP_PROGRAMS.raw,
    JSON.stringify([{ name: 'do', inputSchema: { type: 'object' }, ...tool }]),
    JSON.stringify(answer),
  ],
});
const TEXT = { content: [{ type: 'text', text: 'x' }] };
const TYPED = { outputSchema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } };

beforeAll(async () => {
  project = await runProject({});
  http = await startMcpHttp(join(project.root, 'sessions.txt'));
  project.write(
    config('servers', {
      mcp_servers: {
        local: { command: process.execPath, args: [MCP_PROGRAMS.stdio] },
        remote: { url: http.url },
        wrong_output: raw({ result: { ...TEXT, structuredContent: { n: 'one' } } }, TYPED),
        no_output: raw({ result: TEXT }, TYPED),
        proto: raw({ result: { content: [{ type: 'text', text: '{"__proto__": {"a": 1}}' }] } }),
        not_mcp: raw({ result: { content: 'what?' } }),
        refuses: raw({ error: { code: -32602, message: 'Not with these arguments' } }),
      },
    }),
  );
});
afterAll(async () => {
  await project.stop();
  await http.kill();
});

/** Calls a tool through a new ability. */
function call(
  server: string,
  tool: string,
  input: JsonObject = {},
  mcp: JsonObject = {},
  more: JsonObject = {},
  wanted: TestTask = {},
) {
  counter += 1;
  const key = `mcp.case_${counter}`;
  project.write(mcpAbility(key, { server, tool, ...mcp }, { more: { effects: 'write_additive', ...more } }));
  return project.run(key, input, wanted);
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );
test('a server that is a bash script of the project runs by its first line, without its run bit', async () => {
  const { command, args } = raw({ result: { content: [{ type: 'text', text: 'bash' }] } });
  project.write({
    'servers/own.sh': `#!/bin/bash -e\n[[ $- == *e* ]] && exec '${command}' "$@"\n`,
    ...config('own', { mcp_servers: { own: { command: 'servers/own.sh', args } } }),
  });
  chmodSync(join(project.root, 'servers/own.sh'), 0o644);
  expect(await call('own', 'do')).toMatchObject({ status: 'succeeded', output: { text: 'bash' } });
});

const failed = (code: string) => ({ status: 'failed', error: { code }, steps: [{ status: 'failed', attempts: 1 }] });

describe.each(isWhole('LONG') ? ['local', 'remote'] : ['remote'])('a tool of a %s server', LONGER, (server) => {
  test('returns its structured content if it has any', async () => {
    expect(await call(server, 'add', { a: 1, b: 2 })).toMatchObject({ status: 'succeeded', output: { sum: 3 } });
  });

  test('returns {text} if all its blocks are text', async () => {
    expect((await call(server, 'say', { text: '{"n": 1}' })).output).toEqual({ text: '{"n": 1}' });
    expect((await call(server, 'say_twice', { text: 'a' })).output).toEqual({ text: 'a\na again' });
    expect((await call(server, 'nothing')).output).toEqual({ text: '' });
  });

  test('returns {text, content} if a block is not text', async () => {
    expect((await call(server, 'show')).output).toMatchObject({
      text: 'a pixel',
      content: [
        { type: 'text', text: 'a pixel' },
        { type: 'image', mimeType: 'image/png' },
      ],
    });
  });

  test('returns its text as JSON only if the definition says so', async () => {
    const json = { output: 'json' };
    expect((await call(server, 'say', { text: '{"n": [1]}' }, json)).output).toEqual({ n: [1] });
    expect(await call(server, 'say', { text: 'no JSON' }, json)).toMatchObject(failed('mcp.output_invalid'));
  });

  test('fails as mcp.tool_error with its message, and may be tried again', async () => {
    const once = await call(server, 'refuse', { text: 'the disk is full' });
    expect(once).toMatchObject(failed('mcp.tool_error'));
    expect(once.error).toMatchObject({
      message: expect.stringMatching(/refuse failed: the disk is full/),
      details: { text: 'the disk is full' },
    });
    const again = await call(server, 'refuse', { text: 'x' }, {}, { effects: 'read' });
    expect(again).toMatchObject({ status: 'failed', error: { code: 'mcp.tool_error' }, steps: [{ attempts: 3 }] });
  });

  test('that does not exist is mcp.tool_missing with a suggestion, and is not tried again', async () => {
    const result = await call(server, 'ad', {}, {}, { effects: 'read' });
    expect(result).toMatchObject(failed('mcp.tool_missing'));
    expect(result.error?.suggestion).toMatch(/`?add`?/);
    expect((await call(server, 'something_else')).error?.suggestion).toMatch(/add, say/);
  });

  test('receives the input as its arguments, and the idempotency key and the trace of the request in _meta', async () => {
    const input = { text: 'ä', list: [1, { a: null }], n: 1.5 };
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const result = await call(server, 'get_meta', input, { output: 'json' }, {}, { trace: traceparent });
    const meta = { 'idempotency-key': `${result.task_key}/run`, traceparent };
    expect(result.output).toMatchObject({ input, meta });
  });

  test('that is slow is timeout.call if it may be repeated, otherwise an unknown outcome', LONG, async () => {
    const limit = { timeout_sec: 0.5 };
    const [again, once] = await Promise.all([
      call(server, 'never', {}, limit, { effects: 'write_idempotent' }),
      call(server, 'never', {}, limit),
    ]);
    expect(again).toMatchObject({ status: 'failed', error: { code: 'timeout.call' }, steps: [{ attempts: 3 }] });
    expect(once).toMatchObject({ status: 'unknown', error: { details: { seen: { code: 'timeout.call' } } } });
  });

  test('that returns more than the output limit is output.too_large, and is not tried again', async () => {
    const large = await call(server, 'large', { bytes: 8 * 1024 * 1024 + 1 }, {}, { effects: 'read' });
    expect(large).toMatchObject(failed('output.too_large'));
    const huge = await call(server, 'large', { bytes: 12 * 1024 * 1024 }, {}, { effects: 'read' });
    expect(huge).toMatchObject(failed('output.too_large'));
  });

  test('adds a line to the log, and `why` names the protocol that was used', async () => {
    const protocol = server === 'local' ? '2026-07-28' : '2025-11-25';
    const { task_key } = await call(server, 'say', { text: 'x' });
    expect(await explainTask(project.connection, task_key as string)).toMatchObject({
      steps: [{ path: 'run', protocol }],
    });
    expect(readLog(project.root, task_key as string)).toMatchObject([
      {
        stream: 'tool',
        step: 'run',
        attempt: 1,
        text: expect.stringMatching(new RegExp(`^MCP ${protocol}: ${server} say -> ok \\(\\d+ ms\\)$`)),
      },
    ]);
  });

  test('that breaks the contract of its ability is mcp.output_invalid', async () => {
    const schema = { output_schema: { type: 'object', required: ['sum'], properties: { sum: { type: 'string' } } } };
    const result = await call(server, 'add', { a: 1, b: 2 }, {}, schema);
    expect(result).toMatchObject(failed('mcp.output_invalid'));
    expect(result.error?.message).toMatch(/`sum` must be string/);
  });
});

describe('a misbehaving server', () => {
  test.each([
    ['gives structured content that its own schema does not allow', 'wrong_output'],
    ['gives no structured content though it promised some', 'no_output'],
    ['gives a result that is none', 'not_mcp'],
  ])('that %s is mcp.output_invalid', async (_, server) => {
    expect(await call(server, 'do')).toMatchObject(failed('mcp.output_invalid'));
  });

  test('that returns a key __proto__ is mcp.output_invalid', async () => {
    expect(await call('proto', 'do', {}, { output: 'json' })).toMatchObject(failed('mcp.output_invalid'));
  });

  test('that refuses a call at the protocol level is mcp.tool_error', async () => {
    const result = await call('refuses', 'do');
    expect(result).toMatchObject(failed('mcp.tool_error'));
    expect(result.error?.message).toMatch(/Not with these arguments/);
  });
});

test('a server that is not configured is reported at preflight, with a suggestion', async () => {
  const error = await failure(call('locl', 'say'));
  expect(error).toMatchObject({ code: 'definition.unknown_reference', suggestion: expect.stringMatching(/local/) });
});

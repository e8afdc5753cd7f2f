import { type CallToolResult, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Json } from '../../contracts/json.js';
import type { McpImplementation } from '../../contracts/plan.js';
import { didYouMean } from '../../rules/nearest.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { CallFailure } from '../call-failure.js';
import type { CallInput } from '../call-input.js';
import { isTimeout, type McpConnection } from './connection.js';
import type { McpPool } from './pool.js';

/**
 * Calls a tool of an MCP server.
 *
 * @throws CallFailure `mcp.*`, `timeout.call`, `unavailable.connection`. Source: design, section 4; answers, 27.
 */
export async function callMcp({ mcp }: McpImplementation, call: CallInput, { pool }: { pool: McpPool }): Promise<Json> {
  return pool.use(mcp.server, call, async (connection) => {
    for (const secret of connection.secrets) call.log.hide(secret);
    refuseMissingTool(mcp.tool, mcp.server.name, connection);
    const result = await callTool(mcp.tool, mcp.server.name, connection, call);
    return outputOf(result, mcp, call);
  });
}

function refuseMissingTool(tool: string, server: string, { tools }: McpConnection): void {
  if (tools.has(tool)) return;
  const names = [...tools.keys()];
  throw new CallFailure({
    code: 'mcp.tool_missing',
    message: `The MCP server ${server} has no tool ${tool}`,
    suggestion: didYouMean(tool, names) ?? `Its tools: ${names.slice(0, 20).join(', ')}.`,
  });
}

async function callTool(
  tool: string,
  server: string,
  { client, stderr }: McpConnection,
  call: CallInput,
): Promise<CallToolResult> {
  const started = performance.now();
  try {
    const result = await client.callTool(
      { name: tool, arguments: call.input, _meta: { 'idempotency-key': call.idempotencyKey } },
      { timeout: call.timeoutMs, maxTotalTimeout: call.timeoutMs, signal: call.signal },
    );
    const ms = Math.round(performance.now() - started);
    call.log.add('tool', `${server} ${tool} -> ${result.isError ? 'error' : 'ok'} (${ms} ms)`);
    return result;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    call.log.add('tool', `${server} ${tool} -> ${reason}`);
    throw failureOf(error, `${server} ${tool}`, call, call.log.mask(stderr()));
  }
}

function failureOf(error: unknown, what: string, call: CallInput, tail: string): CallFailure {
  const reason = error instanceof Error ? error.message : String(error);
  const said = tail ? `\n${tail}` : '';
  if (call.signal.aborted || (error instanceof SdkError && isTimeout(error))) {
    const message = `${what} did not answer within ${call.timeoutMs} ms${said}`;
    return new CallFailure({ code: 'timeout.call', message }, { unclear: true, cause: error });
  }
  if (error instanceof ProtocolError) {
    return new CallFailure(
      { code: 'mcp.tool_error', message: `${what} refused the call: ${reason}` },
      { cause: error },
    );
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return new CallFailure({ code: 'mcp.output_invalid', message: `${what}: ${reason}` }, { cause: error });
  }
  return new CallFailure(
    { code: 'unavailable.connection', message: `The connection to ${what} broke off: ${reason}${said}` },
    { unclear: true, cause: error },
  );
}

/** The shape of an output never depends on the data. Source: answers, 27. */
function outputOf(result: CallToolResult, mcp: McpImplementation['mcp'], call: CallInput): Json {
  const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (result.isError) {
    throw new CallFailure({
      code: 'mcp.tool_error',
      message: `${mcp.server.name} ${mcp.tool} failed: ${call.log.mask(text.slice(0, 1000)) || 'it does not say why'}`,
      details: { text: call.log.mask(text.slice(0, 4000)) },
    });
  }
  const output = shapeOf(result, mcp, text);
  refuseUnsafeKeys(output, 'mcp.output_invalid');
  return output;
}

function shapeOf(result: CallToolResult, mcp: McpImplementation['mcp'], text: string): Json {
  if (mcp.output === 'json') return parseText(text, mcp);
  if (result.structuredContent !== undefined) return result.structuredContent as Json;
  if (result.content.every((block) => block.type === 'text')) return { text };
  return { text, content: result.content as unknown as Json };
}

function parseText(text: string, { server, tool }: McpImplementation['mcp']): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new CallFailure(
      {
        code: 'mcp.output_invalid',
        message: `${server.name} ${tool} answered with text that is no JSON: ${text.slice(0, 200)}`,
        suggestion: 'Leave out `output: json` to get the text as {text}.',
      },
      { cause: error },
    );
  }
}

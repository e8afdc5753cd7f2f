import {
  type CallToolResult,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Tool,
} from '@modelcontextprotocol/client';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { McpImplementation } from '../../contracts/plan.js';
import { checkAgainst } from '../../planning/schemas.js';
import { didYouMean } from '../../rules/nearest.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { CallFailure } from '../call-failure.js';
import type { CallInput } from '../call-input.js';
import { isTimeout, type McpConnection, SessionLost } from './connection.js';
import type { McpPool } from './pool.js';

/** What servers answer when they do not know a session; the first is in the specification. */
const NO_SUCH_SESSION: ReadonlySet<number> = new Set([404, 400]);

/**
 * Calls a tool of an MCP server.
 *
 * @throws CallFailure `mcp.*`, `timeout.call`, `unavailable.connection`. Source: design, section 4; answers, 27.
 */
export async function callMcp({ mcp }: McpImplementation, call: CallInput, { pool }: { pool: McpPool }): Promise<Json> {
  return pool.use(mcp.server, call, async (connection) => {
    const tool = findTool(mcp.tool, mcp.server.name, connection);
    const result = await callTool(tool, mcp.server.name, connection, call);
    return outputOf(result, tool, mcp, call);
  });
}

function findTool(name: string, server: string, { tools }: McpConnection): Tool {
  const tool = tools.get(name);
  if (tool) return tool;
  const names = [...tools.keys()];
  throw new CallFailure({
    code: 'mcp.tool_missing',
    message: `The MCP server ${server} has no tool ${name}`,
    suggestion: didYouMean(name, names) ?? `Its tools: ${names.slice(0, 20).join(', ')}.`,
  });
}

async function callTool(
  tool: Tool,
  server: string,
  connection: McpConnection,
  call: CallInput,
): Promise<CallToolResult> {
  const started = performance.now();
  const what = `${server} ${tool.name}`;
  // What the tool says of its output is checked by us, to tell an answer that breaks its word from a refusal.
  const { outputSchema: _, ...toolDefinition } = tool;
  try {
    const result = await connection.client.callTool(
      { name: tool.name, arguments: call.input, _meta: { 'idempotency-key': call.idempotencyKey } },
      { timeout: call.timeoutMs, maxTotalTimeout: call.timeoutMs, signal: call.stop, toolDefinition },
    );
    const ms = Math.round(performance.now() - started);
    call.log.add('tool', `${what} -> ${result.isError ? 'error' : 'ok'} (${ms} ms)`);
    return result;
  } catch (error) {
    call.log.add('tool', `${what} -> ${reasonOf(error)}`);
    throw failureOf(error, what, connection, call);
  }
}

function failureOf(error: unknown, what: string, connection: McpConnection, call: CallInput): CallFailure {
  if (error instanceof CallFailure) return error;
  const failure = (code: string, message: string, unclear: boolean): CallFailure =>
    new CallFailure({ code, message: `${what} ${message}` }, { unclear, cause: error });
  const reason = reasonOf(error);
  if (call.stop.aborted || (error instanceof SdkError && isTimeout(error))) {
    return failure('timeout.call', `did not answer within ${call.timeoutMs} ms${tailOf(connection)}`, true);
  }
  if (error instanceof ProtocolError) return failure('mcp.tool_error', `refused the call: ${reason}`, false);
  if (error instanceof SdkHttpError && NO_SUCH_SESSION.has(error.status)) {
    return new SessionLost({ code: 'unavailable.connection', message: `${what} was not called: ${reason}` });
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return failure('mcp.output_invalid', `gave a result that is none: ${reason}`, false);
  }
  if (connection.overflowed()) return failure('output.too_large', 'said more than an output may be', false);
  return failure('unavailable.connection', `lost its connection: ${reason}${tailOf(connection)}`, true);
}

function tailOf(connection: McpConnection): string {
  const tail = connection.stderr();
  return tail ? `\n${tail}` : '';
}

/** The shape of an output never depends on the data. Source: answers, 27. */
function outputOf(result: CallToolResult, tool: Tool, mcp: McpImplementation['mcp'], call: CallInput): Json {
  const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const what = `${mcp.server.name} ${mcp.tool}`;
  if (result.isError) {
    throw new CallFailure({
      code: 'mcp.tool_error',
      message: `${what} failed: ${call.log.excerpt(text, 1000) || 'it does not say why'}`,
      details: { text: call.log.excerpt(text, 4000) },
    });
  }
  if (tool.outputSchema) refuseBrokenPromise(result.structuredContent as Json | undefined, tool, what);
  const output = shapeOf(result, mcp, text, call);
  refuseUnsafeKeys(output, 'mcp.output_invalid');
  return output;
}

/** Source: the MCP specification, "Output schema": a tool that has one gives structured content that conforms. */
function refuseBrokenPromise(content: Json | undefined, { outputSchema }: Tool, what: string): void {
  const code = 'mcp.output_invalid';
  if (content !== undefined) checkAgainst(outputSchema as JsonObject, content, { code, what: `The answer of ${what}` });
  else throw new CallFailure({ code, message: `${what} promises structured content and gave none` });
}

function shapeOf(result: CallToolResult, mcp: McpImplementation['mcp'], text: string, call: CallInput): Json {
  if (mcp.output === 'json') return parseText(text, mcp, call);
  if (result.structuredContent !== undefined) return result.structuredContent as Json;
  if (result.content.every((block) => block.type === 'text')) return { text };
  return { text, content: result.content as unknown as Json };
}

function parseText(text: string, { server, tool }: McpImplementation['mcp'], call: CallInput): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new CallFailure(
      {
        code: 'mcp.output_invalid',
        message: `${server.name} ${tool} answered with text that is no JSON: ${call.log.excerpt(text, 200)}`,
        suggestion: 'Leave out `output: json` to get the text as {text}.',
      },
      { cause: error },
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { McpImplementation } from '../../contracts/plan.js';
import { checkAgainst, compileSchema } from '../../planning/schemas.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { CallFailure } from '../call-failure.js';
import type { CallInput } from '../call-input.js';
import type { McpConnection } from './connection.js';
import { findTool } from './find-tool.js';
import { failureOf } from './mcp-failure.js';
import type { PinnedTools } from './pinned-tools.js';
import type { McpPool } from './pool.js';
import { reasonOf, withoutDump } from './reason-of.js';

/** Where servers are, and what their tools were when plans were made. */
export interface McpDependencies {
  pool: McpPool;
  tools: PinnedTools;
}

/**
 * Calls a tool of an MCP server, if it is still the one that was planned: the server is asked before each call, on
 * every transport. Between its answer and the call it could still change its mind, and nothing here can see that.
 *
 * @throws CallFailure `mcp.*`, `timeout.call`, `unavailable.connection`. Source: design, section 4; answers, 27.
 */
export async function callMcp(
  implementation: McpImplementation,
  call: CallInput,
  { pool, tools }: McpDependencies,
): Promise<Json> {
  const { mcp } = implementation;
  return pool.use(mcp.server, call, async (connection) => {
    const tool = await findTool(mcp, connection, call);
    await tools.compare(implementation, tool);
    // What cannot be checked afterwards is refused while nothing has been done.
    if (tool.outputSchema) compileSchema(tool.outputSchema as JsonObject, promiseOf(mcp), call.engine);
    const result = await callTool(tool, mcp.server.name, connection, call);
    return outputOf(result, tool, mcp, call);
  });
}

async function callTool(
  tool: Tool,
  server: string,
  connection: McpConnection,
  call: CallInput,
): Promise<CallToolResult> {
  await call.begin();
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
    call.log.add('tool', `${what} -> ${reasonOf(error, (text) => call.log.mask(text))}`);
    throw failureOf(error, { what, connection, user: call, called: true });
  }
}

/** The shape of an output never depends on the data. Source: answers, 27. */
function outputOf(result: CallToolResult, tool: Tool, mcp: McpImplementation['mcp'], call: CallInput): Json {
  const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const what = `${mcp.server.name} ${mcp.tool}`;
  if (result.isError) {
    throw new CallFailure({
      code: 'mcp.tool_error',
      message: `${what} failed: ${call.log.excerpt(withoutDump(text), 1000) || 'it does not say why'}`,
      details: { text: call.log.excerpt(text, 4000) },
    });
  }
  if (tool.outputSchema) refuseBrokenPromise(result.structuredContent as Json | undefined, tool, what, call);
  const output = shapeOf(result, mcp, text, call);
  refuseUnsafeKeys(output, 'mcp.output_invalid');
  return output;
}

function promiseOf({ server, tool }: McpImplementation['mcp']): string {
  return `The output schema of ${server.name} ${tool}`;
}

/** Source: the MCP specification, "Output schema": a tool that has one gives structured content that conforms. */
function refuseBrokenPromise(
  content: Json | undefined,
  { outputSchema }: Tool,
  what: string,
  { engine }: CallInput,
): void {
  const code = 'mcp.output_invalid';
  const schema = outputSchema as JsonObject;
  if (content !== undefined) checkAgainst(schema, content, { code, what: `The answer of ${what}`, engine });
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

import { Readable } from 'node:stream';
import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { CallInput } from '../../../activities/call/call-input.js';
import type { CallFiles } from '../../../activities/files/call-files.js';
import { type Entry, takeChosen } from '../../../activities/files/choose-files.js';
import type { FileValue, PlanOutputFile } from '../../../contracts/files.js';
import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import type { McpImplementation } from '../../../contracts/plan.js';
import { AbilityError } from '../../../contracts/problem.js';
import { ATTRIBUTES } from '../../../contracts/traces.js';
import { checkAgainst, compileSchema } from '../../../planning/input/schemas.js';
import { holdsSession, toolLine } from '../../../rules/calls/tools-used.js';
import { refuseUnsafeKeys } from '../../../rules/unsafe-keys.js';
import { attempt } from '../../../text/attempt.js';
import { defined } from '../../../text/defined.js';
import { endingOf, safeFileName } from '../../../text/file-name.js';
import { type Reading, withoutMarks } from '../../../text/lossless-json/marked-json.js';
import { integersOf, readJson } from '../../../text/lossless-json/read-json.js';
import { addToSpan } from '../../../tracing/current-span.js';
import type { McpConnection } from './connection.js';
import { failureOf, findTool, refuseTaskOnly } from './mcp-failure.js';
import type { PinnedTools } from './pinned-tools.js';
import type { McpPool } from './pool.js';
import { maskedReason, withoutDump } from './reason-of.js';

export interface McpDependencies {
  pool: McpPool;
  tools: PinnedTools;
}

/**
 * Before each call, queries whether the tool is still the planned one; a change after the query cannot be
 * detected. @throws CallFailure `mcp.*`, `timeout.call`, `unavailable.connection`. Source: docs/definitions.md;
 * docs/guide.md#mcp.
 */
export async function callMcp(
  implementation: McpImplementation,
  call: CallInput,
  { pool, tools }: McpDependencies,
): Promise<Json> {
  const { mcp } = implementation;
  const connections = holdsSession({ implementation }) ? pool.sessions : pool;
  return connections.use(mcp.server, call, async (connection) => {
    const tool = await findTool(mcp, connection, call);
    refuseTaskOnly(tool, `${mcp.server.name} ${mcp.tool}`);
    await tools.compare(implementation, tool);
    // Refuses a schema that cannot be checked before any effect.
    if (tool.outputSchema)
      compileSchema(tool.outputSchema as JsonObject, `The output schema of ${mcp.server.name} ${mcp.tool}`);
    const result = await callTool(tool, mcp.server.name, connection, call);
    const output = outputOf(result, tool, mcp, call);
    if (!call.outputFiles) return output;
    const content = await takeResources(result.content, call.outputFiles, call.files);
    // Otherwise the output is the server's structure, without content.
    const isContent = mcp.output !== 'json' && result.structuredContent === undefined;
    // What was kept as files is not repeated in the output.
    return isContent && isJsonObject(output) && Object.hasOwn(output, 'content') ? { ...output, content } : output;
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
  addToSpan({ [ATTRIBUTES.mcpProtocol]: connection.protocol });
  // Without the schema, the SDK does not check it: we do, to tell an invalid answer from a refusal.
  const { outputSchema: _, ...toolDefinition } = tool;
  const _meta = { 'idempotency-key': call.idempotencyKey, ...defined({ traceparent: call.trace }) };
  try {
    const result = await connection.client.callTool(
      { name: tool.name, arguments: call.input, _meta },
      { timeout: call.timeoutMs, maxTotalTimeout: call.timeoutMs, signal: call.stop, toolDefinition },
    );
    const ms = Math.round(performance.now() - started);
    call.log.add('tool', toolLine(connection.protocol, what, `${result.isError ? 'error' : 'ok'} (${ms} ms)`));
    return result;
  } catch (error) {
    call.log.add('tool', toolLine(connection.protocol, what, maskedReason(error, call.log)));
    throw failureOf(error, { what, connection, user: call, called: true });
  }
}

/** Returns an output whose shape never depends on the data. Source: docs/guide.md#mcp. */
function outputOf(result: CallToolResult, tool: Tool, mcp: McpImplementation['mcp'], call: CallInput): Json {
  const what = `${mcp.server.name} ${mcp.tool}`;
  const reading: Reading = {
    integers: integersOf(mcp.big_integers),
    code: 'mcp.output_invalid',
    what: `The answer of ${what}`,
  };
  if (result.isError) {
    const text = textOf(contentOf(result, { ...reading, integers: 'round' }));
    throw new CallFailure({
      code: 'mcp.tool_error',
      message: `${what} failed: ${call.log.excerpt(withoutDump(text), 1000) || 'it does not say why'}`,
      details: { text: call.log.excerpt(text, 4000) },
    });
  }
  // A tool with such a schema must conform to it. Source: the MCP specification, "Output schema".
  if (tool.outputSchema) {
    const { code } = reading;
    // The schema describes numbers, even where they are passed on as text.
    const promised = structureOf(result, { ...reading, integers: 'round' });
    if (promised === undefined)
      throw new CallFailure({ code, message: `${what} promises structured content but returned none` });
    checkAgainst(tool.outputSchema as JsonObject, promised, { code, what: reading.what });
  }
  const output = shapeOf(result, mcp, reading, call);
  refuseUnsafeKeys(output, 'mcp.output_invalid');
  return output;
}

function contentOf({ content }: CallToolResult, reading: Reading): CallToolResult['content'] {
  return withoutMarks(content as unknown as Json, reading, ['content']) as unknown as CallToolResult['content'];
}

function structureOf({ structuredContent }: CallToolResult, reading: Reading): Json | undefined {
  return structuredContent === undefined ? undefined : withoutMarks(structuredContent as Json, reading);
}

function textOf(content: CallToolResult['content']): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function shapeOf(result: CallToolResult, mcp: McpImplementation['mcp'], reading: Reading, call: CallInput): Json {
  if (mcp.output === 'json') return parseText(textOf(contentOf(result, reading)), mcp, reading, call);
  const structure = structureOf(result, reading);
  if (structure !== undefined) return structure;
  const content = contentOf(result, reading);
  const text = textOf(content);
  return content.every((block) => block.type === 'text') ? { text } : { text, content: content as unknown as Json };
}

function parseText(text: string, { server, tool }: McpImplementation['mcp'], reading: Reading, call: CallInput): Json {
  try {
    return readJson(text, reading);
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    throw new CallFailure(
      {
        code: 'mcp.output_invalid',
        message: `${server.name} ${tool} answered with text that is not JSON: ${call.log.excerpt(text, 200)}`,
        suggestion: 'Leave out `output: json` to get the text as {text}.',
      },
      { cause: error },
    );
  }
}

type Content = CallToolResult['content'];
type Block = Content[number];

interface Left extends Entry {
  at: number;
  bytes: Buffer;
  mediaType: string | undefined;
}

/**
 * Keeps resources, images and sounds as files, as the contract names them: resources by the last part of their
 * address, the others as `image-1.png`, `audio-1.wav`. Links are not followed. @returns the content with `file`
 * for the bytes of each kept block. @throws CallFailure `file.missing`, `file.too_large`.
 */
export async function takeResources(
  content: Content,
  contract: Readonly<Record<string, PlanOutputFile>>,
  files: CallFiles,
): Promise<Json[]> {
  const counts = new Map<string, number>();
  const left = content.flatMap((block, at): Left[] => leftBy(block, at, counts));
  const kept = new Map<number, FileValue>();
  await takeChosen(contract, left, files, async ({ path, at, bytes, mediaType }) => {
    const earlier = kept.get(at);
    const file = earlier ?? (await files.keep(async () => Readable.from([bytes]), { name: path, mediaType }));
    kept.set(at, file);
    return file;
  });
  return content.map((block, at) => {
    const file = kept.get(at);
    return file ? withFile(block, file) : (block as unknown as Json);
  });
}

function leftBy(block: Block, at: number, counts: Map<string, number>): Left[] {
  if (block.type === 'resource') {
    const { uri, mimeType: mediaType } = block.resource;
    const bytes =
      'blob' in block.resource ? Buffer.from(block.resource.blob, 'base64') : Buffer.from(block.resource.text);
    return [{ path: nameOf(uri), isFile: true, at, bytes, mediaType }];
  }
  if (block.type !== 'image' && block.type !== 'audio') return [];
  const number = (counts.get(block.type) ?? 0) + 1;
  counts.set(block.type, number);
  const path = `${block.type}-${number}${endingOf(block.mimeType)}`;
  return [{ path, isFile: true, at, bytes: Buffer.from(block.data, 'base64'), mediaType: block.mimeType }];
}

function nameOf(uri: string): string {
  const [path = ''] = uri.split(/[?#]/);
  const last = path.slice(path.lastIndexOf('/') + 1);
  return attempt(() => safeFileName(decodeURIComponent(last)), safeFileName(last));
}

function withFile(block: Block, file: FileValue): Json {
  if (block.type !== 'resource') {
    const { data: _, ...rest } = block as Extract<Block, { type: 'image' | 'audio' }>;
    return { ...(rest as unknown as { [key: string]: Json }), file };
  }
  const { uri, mimeType } = block.resource;
  return { type: 'resource', resource: { uri, ...(mimeType !== undefined && { mimeType }), file } };
}

import { isJsonObject, type JsonObject } from '../../../contracts/json.js';
import type { ListedTool, UnreadableTool } from '../../../worker/list-tools.js';
import type { Imported, ImportedOperation, LeftOut } from '../imported.js';
import { nameOperation } from '../name-operation.js';
import { plainSchema } from '../plain-schema.js';
import { effectOfTool } from './tool-effect.js';
import { summaryOf } from './tool-summary.js';

/** The server whose tools are taken over. */
export interface ToolSource {
  /** Its name under `mcp_servers`. */
  server: string;
  /** What operation keys begin with. */
  prefix: string;
}

/** The note of each operation whose effect is only assumed. */
const NOT_ANNOTATED =
  'Without annotations, so taken to be destructive as the MCP specification says; correct `effects`';

/**
 * The tools of an MCP server as low-level abilities, each pinned to what its server says of it now.
 *
 * Left out are tools that must be called as tasks of MCP, and those of which no operation key can be made.
 * Source: docs/guide.md#mcp; docs/imports.md#an-mcp-server.
 */
export function importTools(tools: readonly (ListedTool | UnreadableTool)[], source: ToolSource): Imported {
  const operations: ImportedOperation[] = [];
  const leftOut: LeftOut[] = [];
  const pinned: Record<string, JsonObject> = {};
  for (const tool of tools) {
    const read = importTool(tool, source);
    if ('reason' in read) leftOut.push(read);
    else {
      operations.push(read.operation);
      pinned[read.tool.digest] = read.tool.definition;
    }
  }
  return { operations, leftOut, notes: [], pinned };
}

function importTool(
  tool: ListedTool | UnreadableTool,
  { server, prefix }: ToolSource,
): { operation: ImportedOperation; tool: ListedTool } | LeftOut {
  const source = tool.name;
  if ('fault' in tool) return { source, reason: tool.fault };
  if (tool.taskSupport === 'required') {
    return {
      source,
      reason: 'it must be called as a task of MCP (`execution.taskSupport: required`), which is not supported',
    };
  }
  const named = nameOperation(prefix, source);
  if ('reason' in named) return { source, reason: named.reason };
  const { key } = named;
  const { description, annotations, inputSchema, outputSchema } = tool.definition;
  const { effect, isStated } = effectOfTool(annotations);
  const { summary, notes } = summaryOf(tool.definition);
  const definition: JsonObject = {
    operation_key: key,
    version: 1,
    summary,
    effects: effect,
    ...(notes && typeof description === 'string' && { notes: description }),
    input_schema: isJsonObject(inputSchema) ? plainSchema(inputSchema) : { type: 'object' },
    output_schema: isJsonObject(outputSchema) ? plainSchema(outputSchema) : UNPROMISED_OUTPUT,
    implementation: { kind: 'mcp', mcp: { server, tool: source, pinned: `sha256:${tool.digest}` } },
  };
  return { operation: { key, source, definition, notes: isStated ? [] : [NOT_ANNOTATED] }, tool };
}

/**
 * What a tool gives that says nothing of it: `text`, and `content` where not all of that is text.
 *
 * Neither is required, since such a tool may give structured content all the same. Source: docs/guide.md#mcp.
 */
const UNPROMISED_OUTPUT: JsonObject = {
  type: 'object',
  properties: { text: { type: 'string' }, content: { type: 'array', items: { type: 'object' } } },
};

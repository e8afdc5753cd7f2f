import type { Effect } from '../../../contracts/effects.js';
import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import { NESTED_SCHEMAS, SCHEMA_KEYWORDS, SCHEMA_MAPS } from '../../../definitions/json-schema-keywords.js';
import type { ListedTool, UnreadableTool } from '../../../worker/list-tools.js';
import type { Imported, ImportedOperation, LeftOut } from '../imported.js';
import { nameOperation } from '../name-operation.js';

/** The server whose tools are taken over. */
export interface ToolSource {
  /** Its name under `mcp_servers`. */
  server: string;
  /** The prefix of operation keys. */
  prefix: string;
}

/** The note of each operation whose effect is only assumed. */
const NOT_ANNOTATED =
  'Without annotations, so taken to be destructive as the MCP specification says; correct `effects`';

/**
 * The tools of an MCP server as low-level abilities, each pinned to its server's present description.
 *
 * Left out are tools that must be called as tasks of MCP, and those whose names give no operation key. Source: docs/guide.md#mcp;
 * docs/imports.md#an-mcp-server.
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
 * The output of a tool that does not describe it: `text`, and `content` where not all of that is text.
 *
 * Neither is required, since such a tool may give structured content all the same. Source: docs/guide.md#mcp.
 */
const UNPROMISED_OUTPUT: JsonObject = {
  type: 'object',
  properties: { text: { type: 'string' }, content: { type: 'array', items: { type: 'object' } } },
};

/** The annotations that say what a tool changes. */
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/**
 * The effect of a tool by its annotations, with the MCP specification's defaults for missing ones.
 *
 * `isStated`: whether the server says anything of it. Source: docs/imports.md#an-mcp-server.
 */
function effectOfTool(annotations: unknown): { effect: Effect; isStated: boolean } {
  const stated = isJsonObject(annotations) ? annotations : {};
  const hint = (name: (typeof HINTS)[number], otherwise: boolean): boolean => {
    const value = stated[name];
    return typeof value === 'boolean' ? value : otherwise;
  };
  const isStated = HINTS.some((name) => typeof stated[name] === 'boolean');
  if (hint('readOnlyHint', false)) return { effect: hint('openWorldHint', true) ? 'external_read' : 'read', isStated };
  if (hint('destructiveHint', true)) return { effect: 'destructive', isStated };
  return { effect: hint('idempotentHint', false) ? 'write_idempotent' : 'write_additive', isStated };
}

/** A summary is shown in lists and routing documents. */
const MAX_CHARACTERS = 200;

/** Characters that are not seen or break a line. */
const NOT_PLAIN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\s]+/gu;

/**
 * One line about a tool: the first sentence of its description, else its title, else its name.
 *
 * `notes`: whether its description says more than that.
 */
function summaryOf(tool: JsonObject): { summary: string; notes: boolean } {
  const { name, title, description, annotations } = tool;
  const shown = isJsonObject(annotations) ? annotations.title : '';
  const whole = plain(description);
  const summary = firstSentence(whole) || plain(title) || plain(shown) || `The tool ${plain(name)}.`;
  return {
    summary: cut(summary),
    notes: typeof description === 'string' && whole !== '' && description !== cut(summary),
  };
}

function plain(text: unknown): string {
  return typeof text === 'string' ? text.replaceAll(NOT_PLAIN, ' ').trim() : '';
}

/** Up to the first stop that a new sentence follows. */
function firstSentence(text: string): string {
  const end = text.slice(0, MAX_CHARACTERS * 2).search(/(?<!\b(?:e\.g|i\.e|etc|vs))[.!?] +[\p{Lu}\p{Nd}`"'*-]/u);
  return end < 0 ? text : text.slice(0, end + 1);
}

function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const words = Array.from(text)
    .slice(0, MAX_CHARACTERS - 3)
    .join('')
    .replace(/ \S*$/, '');
  return `${words}...`;
}

const MAPS: ReadonlySet<string> = new Set(SCHEMA_MAPS);
const NESTED: ReadonlySet<string> = new Set(NESTED_SCHEMAS);

/**
 * A schema in which every keyword that JSON Schema does not know begins with `x-`.
 *
 * It means the same, since such keywords say nothing; but people see that, and lint has no reason to take them for slips.
 */
export function plainSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, Json] => {
      if (MAPS.has(key) && isJsonObject(value)) {
        return [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainPart(inner)]))];
      }
      if (NESTED.has(key)) return [key, Array.isArray(value) ? value.map(plainPart) : plainPart(value)];
      return [SCHEMA_KEYWORDS.has(key) || key.startsWith('x-') || key === '$async' ? key : `x-${key}`, value];
    }),
  );
}

function plainPart(part: Json): Json {
  return isJsonObject(part) ? plainSchema(part) : part;
}

import type { Effect } from '../../../contracts/effects.js';
import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import { NESTED_SCHEMAS, SCHEMA_KEYWORDS, SCHEMA_MAPS } from '../../../definitions/json-schema-keywords.js';
import type { ListedTool, UnreadableTool } from '../../../worker/list-tools.js';
import type { Imported, ImportedOperation, LeftOut } from '../imported.js';
import { nameOperation } from '../name-operation.js';

export interface ToolSource {
  /** Its name under `mcp_servers`. */
  server: string;
  /** The prefix of operation keys. */
  prefix: string;
}

const NOT_ANNOTATED =
  'Without annotations, so taken to be destructive as the MCP specification says; correct `effects`';

/**
 * MCP tools as low-level abilities, pinned to their present descriptions, without those that run only as MCP tasks
 * or whose names give no operation key. Source: docs/guide.md#mcp; docs/imports.md#an-mcp-server.
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

/** Nothing is required: such a tool may still give structured content. Source: docs/guide.md#mcp. */
const UNPROMISED_OUTPUT: JsonObject = {
  type: 'object',
  properties: { text: { type: 'string' }, content: { type: 'array', items: { type: 'object' } } },
};

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** MCP's defaults for missing annotations. `isStated`: any given. Source: docs/imports.md#an-mcp-server. */
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

/** Maximum characters of a summary, which lists and routing documents show. */
const MAX_CHARACTERS = 200;

/** Characters that are invisible or break a line. */
const NOT_PLAIN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\s]+/gu;

/** First sentence of the description, else title, else name. `notes`: the description says more than that. */
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

/** The text up to the first full stop that a new sentence follows. */
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

/** Prefixes unknown keywords with `x-`, so that people see them and lint does not take them for typos. */
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

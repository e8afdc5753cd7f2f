import {
  type Client,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  specTypeSchemas,
  type Tool,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { CallFailure } from '../../../activities/call/call-failure.js';
import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import { digestOf } from '../../../rules/canonical.js';
import { memoize } from '../../../text/memoize.js';
import {
  findDifferences,
  type ShownDifference,
  showDifference,
  type ValueDifference,
} from '../../../text/value-differences.js';
import { LISTED } from './filtering-transport.js';
import { describeIssues } from './reason-of.js';

/** A readable tool, or why the tool cannot be used. */
export type ReadTool = { name: string; tool: Tool } | { name: string; fault: string };

/** Maximum characters of a tool's definition as JSON. */
const MAX_CHARACTERS = 1024 * 1024;
/** Maximum pages of a listing; a server with more would never end it. */
const MAX_PAGES = 64;

const page = z.object({ [LISTED]: z.array(z.unknown()), nextCursor: z.string().optional() });

/**
 * Lists all pages, never from a cache. @param sendsHeaders whether the transport can send parameters as headers.
 * @throws errors of the SDK; CallFailure `mcp.output_invalid` for an endless listing.
 */
export async function listTools(client: Client, options: RequestOptions, sendsHeaders: boolean): Promise<ListedTools> {
  const found: unknown[] = [];
  const capabilities = client.getServerCapabilities();
  // The SDK forgets them when the connection ends; an empty list would say that the server has no such tool.
  if (!capabilities) throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
  if (!capabilities.tools) return new ListedTools(found, sendsHeaders);
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, page, options);
    found.push(...answer[LISTED]);
    if (answer.nextCursor === undefined) return new ListedTools(found, sendsHeaders);
    cursor = answer.nextCursor;
  }
  const message = `The server lists its tools on more than ${MAX_PAGES} pages`;
  throw new CallFailure({ code: 'mcp.output_invalid', message });
}

/** The tools that a server lists, each read by itself, so that a malformed one does not affect the others. */
export class ListedTools {
  constructor(
    private readonly found: readonly unknown[],
    private readonly sendsHeaders = false,
  ) {}

  names(): string[] {
    return [...new Set(this.found.map(nameOf).filter((name) => name !== undefined))];
  }

  /** The tool with this name; a fault if definitions differ: it is unknown which a call would reach. */
  find(name: string): ReadTool | undefined {
    const [first, ...others] = this.found.filter((tool) => nameOf(tool) === name).map((tool) => this.read(tool, name));
    const digestIn = (read?: ReadTool) => (read && 'tool' in read ? toolDigest(read.tool) : undefined);
    if (others.every((other) => digestIn(other) === digestIn(first))) return first;
    return { name, fault: `it is listed ${others.length + 1} times, and not each time as the same` };
  }

  /** All tools in order, each name once; a nameless tool is identified by its position. */
  all(): ReadTool[] {
    const named = this.names().map((name) => this.find(name));
    const nameless = this.found.flatMap((tool, index) =>
      nameOf(tool) === undefined ? [this.read(tool, `tool ${index + 1} of the listing`)] : [],
    );
    return [...named.filter((tool) => tool !== undefined), ...nameless];
  }

  private read(given: unknown, name: string): ReadTool {
    return readTool(given, name, this.sendsHeaders);
  }
}

function nameOf(tool: unknown): string | undefined {
  const name = tool !== null && typeof tool === 'object' && 'name' in tool ? tool.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

function readTool(given: unknown, name: string, sendsHeaders: boolean): ReadTool {
  try {
    if (JSON.stringify(given).length > MAX_CHARACTERS) {
      return { name, fault: `its definition is larger than ${MAX_CHARACTERS / 1024 / 1024} MiB` };
    }
    // Pins are digests of the definition as this schema of the SDK returns it.
    const read = specTypeSchemas.Tool['~standard'].validate(given);
    if (!read.issues) {
      const fault = sendsHeaders ? headerFaultOf(read.value.inputSchema as Json) : undefined;
      return fault === undefined ? { name, tool: read.value } : { name, fault };
    }
    const issues = read.issues.map(({ message, path = [] }) => ({ message, path: path.map(keyOf) }));
    return { name, fault: describeIssues(issues) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { name, fault: 'its definition is nested too deeply' };
  }
}

function keyOf(segment: PropertyKey | { key: PropertyKey }): string {
  return String(typeof segment === 'object' ? segment.key : segment);
}

const KEY = 'x-mcp-header';
/** A header name. Source: RFC 9110, section 5.1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords of JSON Schema that contain schemas under names chosen by the author. */
const BY_NAME: ReadonlySet<string> = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties']);
/** Keywords of JSON Schema that contain values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required']);

/**
 * Why a tool's parameter headers cannot be sent, so that it must not be called over HTTP; undefined: they can.
 * Source: MCP 2026-07-28, Streamable HTTP, "Schema Extension". @param schema of its input, or a part of it.
 */
export function headerFaultOf(
  schema: Json,
  path: string[] = [],
  isReachable = true,
  seen = new Set<string>(),
): string | undefined {
  if (Array.isArray(schema)) return first(schema, (each) => headerFaultOf(each, path, false, seen));
  if (!isJsonObject(schema)) return undefined;
  const own = Object.hasOwn(schema, KEY) ? faultOf(schema, path, isReachable && path.length > 0, seen) : undefined;
  if (own !== undefined) return own;
  return first(Object.entries(schema), ([word, part]) => {
    if (word === KEY || VALUES.has(word)) return undefined;
    if (word !== 'properties' && !BY_NAME.has(word)) return headerFaultOf(part, [...path, word], false, seen);
    if (!isJsonObject(part)) return undefined;
    const goesOn = isReachable && word === 'properties';
    return first(Object.entries(part), ([name, each]) => headerFaultOf(each, [...path, name], goesOn, seen));
  });
}

function faultOf(
  { type, [KEY]: header }: { [key: string]: Json },
  path: string[],
  isReachable: boolean,
  seen: Set<string>,
): string | undefined {
  const at = `\`${path.join('.') || 'its input'}\``;
  if (!isReachable) return `${at} is sent as a header, but only a property that is always at the same place can be`;
  if (typeof header !== 'string' || !TOKEN.test(header)) return `${at} is sent as a header whose name is not valid`;
  if (!TYPES.has(type)) return `${at} is sent as a header, but is not a string, integer or boolean`;
  const name = header.toLowerCase();
  if (seen.has(name)) return `${at} is sent as the header ${header}, and so is another property`;
  seen.add(name);
  return undefined;
}

function first<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Maximum changes in an error: a server may change everything, and the history keeps the error. */
const MAX_CHANGES = 20;

/**
 * The pinned parts of a tool: all that a person, a model or a contract may rely on. A description instructs the
 * model that reads it, so a new one is as much a change as a new parameter. Icons, `_meta` and execution hints
 * change neither request nor effect. Source: docs/operations.md#safety; docs/imports.md#an-mcp-server.
 */
export function definitionOf({ name, title, description, inputSchema, outputSchema, annotations }: Tool): JsonObject {
  const parts = { name, title, description, inputSchema, outputSchema, annotations };
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as JsonObject;
}

/** SHA-256 of the canonical JSON of a tool's pinned parts; computed once per tool of a listing. */
export const toolDigest = memoize((tool: Tool): string => digestOf(definitionOf(tool)));

/** Cut to fit into an error. @returns the first changes, and the number of further ones. */
export function compareTools(before: JsonObject, after: JsonObject): { changes: ShownDifference[]; more: number } {
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  const found = [...keys].flatMap((key): ValueDifference[] => {
    const [expected, actual] = [before[key], after[key]];
    return expected === undefined ? [{ at: key, expected, actual }] : findDifferences(key, expected, actual);
  });
  return { changes: found.slice(0, MAX_CHANGES).map(showDifference), more: Math.max(0, found.length - MAX_CHANGES) };
}

import { isJsonObject, type Json } from '../../contracts/json.js';

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
 * Source: MCP 2026-07-28, Streamable HTTP, "Schema Extension".
 */
export function headerFaultOf(inputSchema: Json): string | undefined {
  return findFault(inputSchema, [], true, new Set());
}

function findFault(schema: Json, path: string[], isReachable: boolean, seen: Set<string>): string | undefined {
  if (Array.isArray(schema)) return first(schema, (each) => findFault(each, path, false, seen));
  if (!isJsonObject(schema)) return undefined;
  const own = Object.hasOwn(schema, KEY) ? faultOf(schema, path, isReachable && path.length > 0, seen) : undefined;
  if (own !== undefined) return own;
  return first(Object.entries(schema), ([word, part]) => {
    if (word === KEY || VALUES.has(word)) return undefined;
    if (word !== 'properties' && !BY_NAME.has(word)) return findFault(part, [...path, word], false, seen);
    if (!isJsonObject(part)) return undefined;
    const goesOn = isReachable && word === 'properties';
    return first(Object.entries(part), ([name, each]) => findFault(each, [...path, name], goesOn, seen));
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

import type { Tool } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../../contracts/json.js';
import { digestOf } from '../../../rules/canonical.js';
import {
  findDifferences,
  type ShownDifference,
  showDifference,
  type ValueDifference,
} from '../../../text/value-differences.js';

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

const digests = new WeakMap<Tool, string>();

/** SHA-256 of the canonical JSON of a tool's pinned parts; computed once per tool of a listing. */
export function toolDigest(tool: Tool): string {
  const known = digests.get(tool);
  if (known !== undefined) return known;
  const digest = digestOf(definitionOf(tool));
  digests.set(tool, digest);
  return digest;
}

/** Cut to fit into an error. @returns the first changes, and the number of further ones. */
export function compareTools(before: JsonObject, after: JsonObject): { changes: ShownDifference[]; more: number } {
  const found = [...Object.keys(after), ...Object.keys(before)]
    .filter((key, index, keys) => keys.indexOf(key) === index)
    .flatMap((key) => differencesAt(key, before, after));
  return { changes: found.slice(0, MAX_CHANGES).map(showDifference), more: Math.max(0, found.length - MAX_CHANGES) };
}

function differencesAt(key: string, before: JsonObject, after: JsonObject): ValueDifference[] {
  const [expected, actual] = [before[key], after[key]];
  return expected === undefined ? [{ at: key, expected, actual }] : findDifferences(key, expected, actual);
}

import type { Tool } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../contracts/json.js';
import { digestOf } from '../../rules/canonical.js';
import { findDifferences, type ValueDifference } from '../../rules/value-differences.js';

/** One place where a tool is no longer what it was, both sides as JSON; `null`: there is nothing. */
export interface ToolChange {
  /** Such as `description` or `inputSchema.properties.query.type`. */
  at: string;
  before: string | null;
  after: string | null;
}

/** A server may change all it says, and an error stands in the history. */
const MOST_CHANGES = 20;
const MOST_CHARACTERS = 200;
/** Of what both sides have in common, so much is shown before the place where they part. */
const SHOWN_BEFORE = 40;

/** Characters that are not seen, or change how others are seen: what they hide must not stay hidden. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * What of a tool is pinned: everything a person, a model or a contract may rely on when it is chosen and called.
 *
 * That is name, title, description, both schemas and annotations; a description is an instruction to the model that
 * reads it, so a new one is as much a change as a new parameter. Icons, `_meta` and how the tool wants to be executed
 * are not: they change neither what is asked nor what is done. Source: design, section 12; answers, 42.
 */
export function definitionOf({ name, title, description, inputSchema, outputSchema, annotations }: Tool): JsonObject {
  const parts = { name, title, description, inputSchema, outputSchema, annotations };
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as JsonObject;
}

const digests = new WeakMap<Tool, string>();

/** SHA-256 of the canonical JSON of what is pinned of a tool; a listing is digested once. */
export function toolDigest(tool: Tool): string {
  const known = digests.get(tool);
  if (known !== undefined) return known;
  const digest = digestOf(definitionOf(tool));
  digests.set(tool, digest);
  return digest;
}

/**
 * Where a tool differs from what it was, cut to what fits into an error.
 *
 * @returns the first changes, and how many there are beyond them.
 */
export function compareTools(before: JsonObject, after: JsonObject): { changes: ToolChange[]; more: number } {
  const found = [...Object.keys(after), ...Object.keys(before)]
    .filter((key, index, keys) => keys.indexOf(key) === index)
    .flatMap((key) => differencesAt(key, before, after));
  return { changes: found.slice(0, MOST_CHANGES).map(shown), more: Math.max(0, found.length - MOST_CHANGES) };
}

/** A change as one line of a message. */
export function describeChange({ at, before, after }: ToolChange): string {
  return `${at}: ${before ?? 'nothing'} -> ${after ?? 'nothing'}`;
}

function differencesAt(key: string, before: JsonObject, after: JsonObject): ValueDifference[] {
  const [expected, actual] = [before[key], after[key]];
  return expected === undefined ? [{ at: key, expected, actual }] : findDifferences(key, expected, actual);
}

function shown({ at, expected, actual }: ValueDifference): ToolChange {
  const before = expected === undefined ? undefined : JSON.stringify(expected);
  const after = actual === undefined ? undefined : JSON.stringify(actual);
  const from = Math.max(0, lengthInCommon(before ?? '', after ?? '') - SHOWN_BEFORE);
  return { at: visible(at).slice(0, MOST_CHARACTERS), before: excerpt(before, from), after: excerpt(after, from) };
}

/** Long texts that part late are shown from shortly before that place on. */
function excerpt(text: string | undefined, from: number): string | null {
  if (text === undefined) return null;
  if (text.length <= MOST_CHARACTERS) return visible(text);
  const part = text.slice(from, from + MOST_CHARACTERS);
  return `${from > 0 ? '...' : ''}${visible(part)}${from + MOST_CHARACTERS < text.length ? '...' : ''}`;
}

function lengthInCommon(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function visible(text: string): string {
  return text.replaceAll(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

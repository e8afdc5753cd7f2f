import { isJsonObject, type Json, type JsonObject } from '../contracts/json.js';

/** A place where two values differ; `undefined`: there is no value. */
export interface ValueDifference {
  /** Such as `output.rows[2].id`. */
  at: string;
  expected: Json | undefined;
  actual: Json | undefined;
}

/** @param isPart whether maps may have more entries than expected; lists may not. */
export function findDifferences(
  at: string,
  expected: Json,
  actual: Json | undefined,
  isPart = false,
): ValueDifference[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }, (_, index) =>
      differencesIn(`${at}[${index}]`, expected[index], actual[index], isPart),
    ).flat();
  }
  if (isJsonObject(expected) && isJsonObject(actual)) {
    const extra = isPart ? [] : Object.keys(actual).filter((key) => !Object.hasOwn(expected, key));
    return [...Object.keys(expected), ...extra].flatMap((key) =>
      differencesIn(`${at}.${key}`, ownOf(expected, key), ownOf(actual, key), isPart),
    );
  }
  return expected === actual ? [] : [{ at, expected, actual }];
}

function differencesIn(
  at: string,
  expected: Json | undefined,
  actual: Json | undefined,
  isPart: boolean,
): ValueDifference[] {
  return expected === undefined ? [{ at, expected, actual }] : findDifferences(at, expected, actual, isPart);
}

function ownOf(value: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A changed value, both sides as JSON; `null`: there is no value. */
export interface ShownDifference {
  /** Such as `description` or `inputSchema.properties.query.type`. */
  at: string;
  before: string | null;
  after: string | null;
}

const MAX_CHARACTERS = 200;
/** Characters of common text shown before the first difference. */
const SHOWN_BEFORE = 40;

/** Characters that are invisible or hide others; shown as code points so that they cannot conceal a change. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Shortens a difference for a message, and makes invisible characters visible. */
export function showDifference({ at, expected, actual }: ValueDifference): ShownDifference {
  const before = expected === undefined ? undefined : JSON.stringify(expected);
  const after = actual === undefined ? undefined : JSON.stringify(actual);
  const from = Math.max(0, lengthInCommon(before ?? '', after ?? '') - SHOWN_BEFORE);
  return { at: showUnseen(at).slice(0, MAX_CHARACTERS), before: excerpt(before, from), after: excerpt(after, from) };
}

export function describeDifference({ at, before, after }: ShownDifference): string {
  return `${at}: ${before ?? 'nothing'} -> ${after ?? 'nothing'}`;
}

/** Writes each invisible character as its code point. */
export function showUnseen(text: string): string {
  return text.replaceAll(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Cuts long texts around the first difference. */
function excerpt(text: string | undefined, from: number): string | null {
  if (text === undefined) return null;
  if (text.length <= MAX_CHARACTERS) return showUnseen(text);
  const part = text.slice(from, from + MAX_CHARACTERS);
  return `${from > 0 ? '...' : ''}${showUnseen(part)}${from + MAX_CHARACTERS < text.length ? '...' : ''}`;
}

function lengthInCommon(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

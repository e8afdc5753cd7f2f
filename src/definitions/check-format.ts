import type { z } from 'zod';
import { isJsonObject } from '../contracts/json.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import { refuseUnsafeKeys } from '../rules/unsafe-keys.js';
import { valueAt } from '../text/json-pointer.js';
import { didYouMean } from '../text/nearest.js';
import { shorten } from '../text/shorten.js';
import foreignKeys from './foreign-keys.json' with { type: 'json' };
import { VERBS } from './formats/steps.js';
import { CREDENTIAL_MESSAGE, SECRET_MESSAGES } from './formats/values.js';
import { isCaseFile } from './is-case-file.js';
import type { YamlSource } from './yaml-source.js';

/** Whether zod compiles each format at its first use. */
let compilesFormats = true;

/** For short processes: to compile a format costs more than to check a few files with it. */
export function interpretFormats(): void {
  compilesFormats = false;
}

type Issue = z.core.$ZodIssue;

/** @returns the value with defaults, or each problem with its place, code and the right form. */
export function checkFormat<Schema extends z.ZodType>(schema: Schema, source: YamlSource): Checked<Schema> {
  const known = checked.get(source);
  if (known?.schema === schema) return known.result as Checked<Schema>;
  const result = checkNow(schema, source);
  checked.set(source, { schema, result });
  return result;
}

export type Checked<Schema extends z.ZodType> = { value: z.output<Schema> } | { problems: Problem[] };

/** Results by source; a changed file gets a new source, and values are never modified. */
const checked = new WeakMap<YamlSource, { schema: z.ZodType; result: Checked<z.ZodType> }>();

function checkNow<Schema extends z.ZodType>(schema: Schema, source: YamlSource): Checked<Schema> {
  const unsafe = findUnsafe(source);
  if (unsafe) return { problems: [unsafe] };
  const parsed = schema.safeParse(source.value, { error: describeUnknownKeys, jitless: !compilesFormats });
  if (parsed.success) return { value: parsed.data };
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, [], source));
  // A mistyped key is also reported as missing; the unknown key says more, so it comes first.
  const sorted = problems.sort((a, b) => Number(isUnknownKey(b)) - Number(isUnknownKey(a)));
  const next = sorted[MAX_REPORTED];
  if (!next) return { problems: sorted };
  const message = `There are ${sorted.length - MAX_REPORTED} more problems in this file`;
  return { problems: [...sorted.slice(0, MAX_REPORTED), { ...next, message, suggestion: undefined }] };
}

const MAX_REPORTED = 50;

function unknownKeyOf(key: string): string {
  return `Unknown key \`${key}\``;
}

function isUnknownKey({ message }: Problem): boolean {
  return message.startsWith('Unknown key');
}

/** Zod reports only the unknown keys; the known ones are in the schema that reports them. */
function describeUnknownKeys(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined;
  const shape = (issue.inst as z.ZodObject | undefined)?._zod?.def.shape ?? {};
  const possible = Object.entries(shape).flatMap(([key, { _zod }]) => {
    const { def } = _zod as { def: { innerType?: z.ZodType } };
    return def.innerType?._zod.def.type === 'undefined' ? [] : [key];
  });
  return JSON.stringify(possible);
}

function findUnsafe(source: YamlSource): Problem | undefined {
  try {
    refuseUnsafeKeys(source.value, 'definition.invalid');
    return undefined;
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const { path = [] } = (error.details ?? {}) as { path?: PropertyKey[] };
    return { ...error.toProblem(), details: undefined, location: source.locate(path, 'key') };
  }
}

const MISSING: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

function problemsOf(issue: Issue, base: PropertyKey[], source: YamlSource): Problem[] {
  const path = [...base, ...issue.path];
  const value = valueAt(source.value, path);
  if (value === undefined && MISSING.has(issue.code)) {
    const name = String(path.at(-1));
    const missing = problem(`\`${name}\` is missing${rightForm(issue)}`, path, source);
    return [{ ...missing, suggestion: `Write \`${name}: ..\` here.` }];
  }
  if (issue.code === 'invalid_union') return problemsOfUnion(issue, path, value, source);
  if (issue.code === 'unrecognized_keys') {
    const names = namesIn(issue.message);
    const [first = '', ...others] = issue.keys;
    const reported = [first, ...others.slice(0, MAX_REPORTED)].map((key) => unknownKey(key, names, path, source));
    // The remaining keys only add to the number of problems.
    const [like] = reported as [Problem];
    return [...reported, ...others.slice(MAX_REPORTED).map((key) => ({ ...like, message: unknownKeyOf(key) }))];
  }
  if (issue.code === 'invalid_key') {
    const [inner] = issue.issues;
    return [problem(inner?.message ?? issue.message, path, source, 'key')];
  }
  const wrong = problem(wordingOf(issue, value), path, source);
  const form = formFor(issue, value);
  return [form === undefined ? wrong : { ...wrong, suggestion: form }];
}

/** The expected value in place of a missing one, as far as the format states it. */
function rightForm(issue: Issue): string {
  if (issue.code === 'invalid_value') {
    return issue.values.length === 1
      ? `: ${String(issue.values[0])}`
      : `: one of ${issue.values.map(String).join(', ')}`;
  }
  return issue.code === 'invalid_union' && isOwnMessage(issue) ? `. ${issue.message}` : '';
}

/** The problems of the nearest branch, else keys that no branch knows, else the message of the union. */
function problemsOfUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  path: PropertyKey[],
  value: unknown,
  source: YamlSource,
): Problem[] {
  const [nearest, second] = [...issue.errors].sort((a, b) => score(a) - score(b));
  const decided = nearest && (second === undefined || score(nearest) < score(second));
  if (decided) return nearest.flatMap((inner) => problemsOf(inner, path, source));
  const known = issue.errors
    .flat()
    .flatMap((inner) => (inner.code === 'unrecognized_keys' ? namesIn(inner.message) : []));
  const unknown =
    isJsonObject(value) && known.length > 0 ? Object.keys(value).filter((key) => !known.includes(key)) : [];
  const near = unknown.filter((key) => habitOf(key, source) || didYouMean(key, new Set(known)));
  if (near.length > 0) return near.map((key) => unknownKey(key, known, path, source));
  return [problem(wordingOf(issue, value), path, source)];
}

/** Weight of a verb that a branch does not know, since the verb shows which step the author meant. */
const ANOTHER_VERB = 20;

/** Distance of a value from a branch: missing or extra keys at its own level weigh most. */
function score(issues: Issue[]): number {
  let total = issues.length === 0 ? 0 : 0.01 * issues.length;
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') total += weightOf(issue.keys, namesIn(issue.message));
    else if (issue.code === 'invalid_type' && issue.expected === 'undefined') total += ANOTHER_VERB;
    else if (issue.path.length === 0) total += 100;
    else if (issue.path.length === 1 && (issue.code === 'invalid_type' || issue.code === 'invalid_union')) total += 1;
  }
  return total;
}

function weightOf(unknown: string[], known: string[]): number {
  const isStep = known.some((name) => VERBS.has(name));
  return unknown.reduce((total, key) => total + (isStep && VERBS.has(key) ? ANOTHER_VERB : 1), 0);
}

function namesIn(message: string): string[] {
  return JSON.parse(message) as string[];
}

function unknownKey(key: string, known: string[], path: PropertyKey[], source: YamlSource): Problem {
  const habit = habitOf(key, source, valueAt(source.value, [...path, key]), path.at(-1));
  const names = [...new Set(known)];
  const isVerb = VERBS.has(key) && names.some((name) => VERBS.has(name));
  const suggestion =
    (isVerb ? `A step has exactly one verb; let \`${key}\` be a step of its own.` : habit) ??
    didYouMean(key, names) ??
    `There are: ${names.join(', ')}.`;
  return { ...problem(unknownKeyOf(key), [...path, key], source, 'key'), suggestion };
}

function isOwnMessage({ message }: Issue): boolean {
  return !message.startsWith('Invalid input');
}

function wordingOf(issue: Issue, value: unknown): string {
  if (SECRET_MESSAGES.has(issue.message) || issue.message === CREDENTIAL_MESSAGE) return issue.message;
  const seen = value === undefined ? '' : ` (it is ${shorten(JSON.stringify(value) ?? String(value))})`;
  if (issue.code === 'invalid_value') return `One of ${issue.values.map(String).join(', ')} belongs here${seen}`;
  if (issue.code === 'invalid_type' && !isOwnMessage(issue))
    return `${KINDS_OF_VALUE[issue.expected] ?? `A value of type ${issue.expected}`} belongs here${seen}`;
  return `${issue.message}${seen}`;
}

const KINDS_OF_VALUE: Record<string, string> = {
  array: 'A list',
  boolean: 'True or false',
  int: 'A whole number',
  number: 'A number',
  object: 'A map',
  record: 'A map',
  string: 'A text',
};

/** How to write the value, if the value shows what was meant. */
function formFor(issue: Issue, value: unknown): string | undefined {
  if (issue.code === 'invalid_value') {
    const wanted = issue.values.filter((each) => typeof each === 'string');
    const same = wanted.find((each) => each.toLowerCase() === String(value).toLowerCase());
    return same === undefined ? (typeof value === 'string' ? didYouMean(value, wanted) : undefined) : `Write ${same}.`;
  }
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.expected === 'array') {
    if (isJsonObject(value)) return 'Begin each item of the list with `- `.';
    return typeof value === 'string' && PLAIN.test(value) ? `Write [${value}].` : undefined;
  }
  if (issue.expected !== 'object' && issue.expected !== 'record') return asNumber(issue.expected, value);
  return Array.isArray(value) ? 'Write `NAME: ..` for each, without `- `.' : undefined;
}

/** A text that YAML accepts unquoted in a list. */
const PLAIN = /^\w[\w.-]*$/;

/** Advice for `10s` or `"10"` in place of a number. */
function asNumber(expected: string, value: unknown): string | undefined {
  const digits = expected === 'number' && typeof value === 'string' ? /^\d+/.exec(value)?.[0] : undefined;
  return digits === undefined ? undefined : `Use a number without quotes or unit, such as ${digits}.`;
}

function problem(message: string, path: PropertyKey[], source: YamlSource, part: 'key' | 'value' = 'value'): Problem {
  const at = path.length > 0 ? ` (at ${path.map(String).join('.')})` : '';
  const value = valueAt(source.value, path);
  const suggestion =
    typeof value === 'string' && /^P(T?\d)/.test(value) ? 'Use a number with a unit, such as 30s.' : undefined;
  return { code: 'definition.invalid', message: message + at, location: source.locate(path, part), suggestion };
}

/** Turns a table of advice and the keys it is for into one from each key to its advice. */
function byKey(forms: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(forms).flatMap(([form, keys]) => keys.split(' ').map((key) => [key, form])));
}

/** Advice for keys that people know from other systems, in workflows and in files of cases. */
const HABITS = byKey(foreignKeys.steps);
const CASE_HABITS = byKey(foreignKeys.cases);

/** Advice by value. GitHub's `cancel-in-progress: false` lets the run end; only the newest one waits. */
const BY_VALUE: Record<string, (value: unknown) => string | undefined> = {
  'cancel-in-progress': inProgress,
  cancel_in_progress: inProgress,
};

function inProgress(value: unknown): string | undefined {
  if (typeof value !== 'boolean') return undefined;
  return value ? 'Set `on_busy: cancel_older`.' : 'Set `on_busy: newest`.';
}

/** Advice for keys that mean something else inside this key than at a step. */
const INSIDE: Record<string, Record<string, string>> = {
  wait: byKey({ 'Write `wait: 30s`.': 'for duration seconds time' }),
};

/** The right form of another tool's key, if known. @param within the key of the surrounding map, if any. */
function habitOf(key: string, { file }: YamlSource, value?: unknown, within?: PropertyKey): string | undefined {
  const inside = typeof within === 'string' && Object.hasOwn(INSIDE, within) ? INSIDE[within] : undefined;
  if (inside && Object.hasOwn(inside, key)) return inside[key];
  const exact = Object.hasOwn(BY_VALUE, key) && !isCaseFile(file) ? BY_VALUE[key]?.(value) : undefined;
  if (exact !== undefined) return exact;
  const habits = isCaseFile(file) ? CASE_HABITS : HABITS;
  return Object.hasOwn(habits, key) ? habits[key] : undefined;
}

import { resolve } from 'node:path';
import type { GivenFiles } from '../../../client/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import { AbilityError, reasonOf, usageError } from '../../../contracts/problem.js';
import { parseJson as parseLoosely } from '../../../disk/read-json.js';
import { readUpTo } from '../../../disk/read-up-to.js';
import { refuseUnsafeKeys } from '../../../rules/unsafe-keys.js';
import { shellWord } from '../../../shown/typed-command.js';
import { readInput, readUtf8 } from '../../../text/lossless-json/read-json.js';
import { MAX_INPUT_BYTES, type Terminal } from '../output/terminal/terminal.js';
import type { DefinitionFlags } from '../program/definitions.js';

/** Where `@file` and `-` are read. */
export type InputSource = { cwd: string; terminal: Pick<Terminal, 'readInput'> };

/**
 * `--set` overrides `--input` key by key; `--set name=text` converts by the schema. Source: docs/guide.md#tasks.
 * @param flag before an assignment, for messages. @throws AbilityError `input.invalid`, `usage.invalid`.
 */
export function parseInput(
  flags: Partial<DefinitionFlags['plan']>,
  schema: JsonObject,
  from: InputSource,
  flag = '--set ',
): JsonObject {
  const base = flags.input === undefined ? {} : readObject(flags.input, from);
  const input: JsonObject = { ...base };
  for (const assignment of flags.set ?? []) {
    const [name, value] = readAssignment(assignment, schema, from.cwd, flag);
    Object.defineProperty(input, name, { value, enumerable: true, writable: true, configurable: true });
  }
  refuseUnsafeKeys(input);
  return input;
}

function readObject(given: string, { cwd, terminal }: InputSource): JsonObject {
  const text = given === '-' ? terminal.readInput() : given.startsWith('@') ? readText(given.slice(1), cwd) : given;
  const value = parseJson(text, '--input');
  if (!isJsonObject(value)) {
    throw invalid(`--input is ${Array.isArray(value) ? 'a list' : JSON.stringify(value)}, not a map of fields`);
  }
  return value;
}

function readAssignment(assignment: string, schema: JsonObject, cwd: string, flag: string): [string, Json] {
  const [, name, operator, value] = /^([^=:]+?)(:=|=)([\s\S]*)$/.exec(assignment) ?? [];
  if (name === undefined || value === undefined) {
    throw usageError(
      `${flag}${assignment} is no assignment`,
      'Use name=text, name:=JSON or name=@file; name=@@text for a text that begins with @.',
    );
  }
  if (operator === ':=') return [name, parseJson(value, `${flag}${name}`)];
  return [name, convert(flag, name, textOf(name, value, cwd), propertyOf(schema, name))];
}

/** `@file` is its content, `@@text` the text `@text`. */
function textOf(name: string, value: string, cwd: string): string {
  if (!value.startsWith('@')) return value;
  if (value.startsWith('@@')) return value.slice(1);
  return readText(value.slice(1), cwd, `To pass the text ${value} itself, write ${shellWord(`${name}=@${value}`)}.`);
}

/** The schema of a property; empty, so text, if it has none. */
function propertyOf({ properties }: JsonObject, name: string): JsonObject {
  if (!isJsonObject(properties)) return {};
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isJsonObject(property) ? property : {};
}

function convert(flag: string, name: string, text: string, property: JsonObject): Json {
  const types = [property.type].flat().filter((type): type is string => typeof type === 'string');
  if (types.length === 0 || types.includes('string')) return text;
  for (const type of types) {
    const value = convertTo(type, text, `${flag}${name}`);
    if (value !== undefined) return value;
  }
  const message = `${flag}${name}: ${JSON.stringify(text)} is not of type ${types.join(' or ')}`;
  throw invalid(message, howToGive(flag, name, text, property));
}

/** Suggests an assignment that the schema accepts, quoted for a shell; undefined if there is none. */
function howToGive(flag: string, name: string, text: string, { type, format, items }: JsonObject): string | undefined {
  const isText = items === undefined || (isJsonObject(items) && items.type === 'string');
  if (type === 'array' && isText)
    return `Pass ${flag}${shellWord(`${name}=${JSON.stringify([text])}`)}, a list in JSON.`;
  if (flag !== '--set ') return undefined;
  if (format === 'file' || (type === 'array' && isJsonObject(items) && items.format === 'file')) {
    return `It is a file: pass --file ${shellWord(`${name}=${text}`)}.`;
  }
  return undefined;
}

/** @throws AbilityError `input.invalid` for JSON that would be changed. */
function convertTo(type: string, text: string, what: string): Json | undefined {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (type === 'null') return text === 'null' ? null : undefined;
  if (parseLoosely(text) === undefined) return undefined;
  const value = parseJson(text, what);
  if (type === 'integer') return Number.isInteger(value) ? value : undefined;
  if (type === 'number') return typeof value === 'number' ? value : undefined;
  if (type === 'array') return Array.isArray(value) ? value : undefined;
  return type === 'object' && isJsonObject(value) ? value : undefined;
}

function readText(path: string, cwd: string, suggestion?: string): string {
  let bytes: Buffer | undefined;
  try {
    bytes = readUpTo(MAX_INPUT_BYTES, resolve(cwd, path));
  } catch (error) {
    throw invalid(`${path} cannot be read: ${reasonOf(error)}`, suggestion);
  }
  if (bytes === undefined) throw invalid(`${path} is larger than ${MAX_INPUT_BYTES} bytes`);
  return readUtf8(bytes, { code: 'input.invalid', what: path });
}

/** @throws AbilityError `input.invalid`, with the place. */
export function parseJson(given: string | Buffer, what: string): Json {
  const suggestion = 'Quote it for your shell, or, where the flag accepts that, write it to a file and pass @file.';
  return readInput(given, { what, suggestion });
}

function invalid(message: string, suggestion?: string): AbilityError {
  return new AbilityError({ code: 'input.invalid', message, ...(suggestion !== undefined && { suggestion }) });
}

/**
 * Absolute paths of `--file name=PATH` by input name. @param maxBytes the maximum size of a file.
 * @throws AbilityError `usage.invalid`.
 */
export function parseFiles(assignments: readonly string[], maxBytes: number, cwd: string): GivenFiles {
  const paths = new Map<string, string[]>();
  for (const assignment of assignments) {
    const [, name, path] = /^([^=]+)=(.+)$/s.exec(assignment) ?? [];
    if (name === undefined || path === undefined) {
      throw usageError(`--file ${assignment} is no assignment`, 'Use --file name=PATH, with the name of the input.');
    }
    paths.set(name, [...(paths.get(name) ?? []), resolve(cwd, path)]);
  }
  return { paths: Object.fromEntries(paths), maxBytes };
}

/** The mask of a secret in records; see docs/operations.md. */
const MASK = '***';

/** A new run would get the masks as values. @throws AbilityError `record.masked`, naming the fields. */
export function refuseMasked(key: string, input: JsonObject): void {
  refuse(
    input,
    (fields) => `Temporal no longer has the input of ${key}, and its record masks secrets in ${fields}`,
    `Name a field without them (\`ability task get ${key} FIELD\`), or read the record: \`ability task record ${key}\`.`,
  );
}

/** For inputs stored for an unattended run. @throws AbilityError `record.masked`, naming the fields. */
export function refuseMaskedInput(input: JsonObject): void {
  refuse(
    input,
    (fields) => `The input has ${MASK} in ${fields}, which records and outputs have in place of secrets`,
    'Pass the values themselves; a secret that a tool needs belongs in a credential of its implementation.',
  );
}

function refuse(input: JsonObject, message: (fields: string) => string, suggestion: string): void {
  const fields = Object.keys(input).filter((name) => JSON.stringify([name, input[name]]).includes(MASK));
  if (fields.length === 0) return;
  const details = { fields };
  throw new AbilityError({ code: 'record.masked', message: message(fields.join(', ')), suggestion, details });
}

import { isJsonObject, type Json, type JsonObject } from '../contracts/json.js';
import { escapePattern } from '../text/escape-pattern.js';
import { findPhrases, setOf, wordTexts } from './words.js';

export interface MissingInput {
  name: string;
  /** The type in its schema; absent if it allows several. */
  type?: string;
  description?: string;
  choices?: Json[];
}

export interface ReadInputs {
  /** Only unambiguous values; nothing is guessed. */
  given: JsonObject;
  missing: MissingInput[];
}

/**
 * Required inputs that a request states: named ones (`build_id=1234`, `build id 1234`), the only choice of a list,
 * the only e-mail address or URL, and the only number or quoted text if only one input can take it. Inputs with a
 * default are not missing.
 */
export function readInputs(schema: JsonObject, text: string): ReadInputs {
  const wanted = requiredOf(schema);
  const given = readEach(wanted, REQUIRED, text);
  return { given, missing: wanted.filter(({ name }) => !(name in given)).map(describe) };
}

/** Also the optional inputs that it states, by the readers in {@link OPTIONAL}. @param known values of inputs. */
export function readAll(schema: JsonObject, text: string, known: JsonObject = {}): JsonObject {
  const given = { ...known, ...readInputs(schema, text).given };
  const names = Object.keys(isJsonObject(schema.properties) ? schema.properties : {});
  const open = names.filter((name) => !(name in given)).map((name) => ({ name, schema: schemaOfInput(schema, name) }));
  return { ...readEach(open, OPTIONAL, text, given), ...given };
}

const MAX_HOPS = 8;

/** The schema of an input, with references to places in the same schema followed. Empty if there is none. */
export function schemaOfInput(schema: JsonObject, name: string): JsonObject {
  let found: Json | undefined = isJsonObject(schema.properties) ? schema.properties[name] : undefined;
  for (let hop = 0; hop < MAX_HOPS && isJsonObject(found) && typeof found.$ref === 'string'; hop += 1) {
    const { $ref, ...own }: JsonObject = found;
    const parts = /^#\/(.+)$/.exec(String($ref))?.[1]?.split('/') ?? [];
    const meant = parts.reduce<Json | undefined>((part, key) => (isJsonObject(part) ? part[key] : undefined), schema);
    found = isJsonObject(meant) ? { ...meant, ...own } : own;
  }
  return isJsonObject(found) ? found : {};
}

/** @param others the inputs without a value so far. @param taken values of other inputs. */
type Reader = (input: Wanted, text: string, others: readonly Wanted[], taken: readonly Json[]) => Json | undefined;

/** Applies one reader after the other; each fills inputs that are still without a value. */
function readEach(wanted: readonly Wanted[], readers: readonly Reader[], text: string, given: JsonObject = {}) {
  const found: JsonObject = {};
  for (const read of readers) {
    for (const input of wanted.filter(({ name }) => !(name in found))) {
      const others = wanted.filter((other) => other !== input && !(other.name in found));
      const value = read(input, text, others, [...Object.values(given), ...Object.values(found)]);
      if (value !== undefined) found[input.name] = value;
    }
  }
  return found;
}

/** Inputs that a plain number fills, if several are numeric: "5 fake users". */
const COUNTS = setOf('count limit number n max size quantity');
const SEARCHED = setOf('text query q search term contains keyword');

/** The only number in the text, for the only numeric input or the only count. */
const onlyCount: Reader = (input, text, others, taken) =>
  onlyNumber(input, text, COUNTS.has(input.name) ? others.filter(({ name }) => COUNTS.has(name)) : others, taken);

const onlySearched: Reader = ({ name, schema }, text, others, taken) => {
  if (!SEARCHED.has(name) || others.some((other) => SEARCHED.has(other.name))) return undefined;
  const texts = [...(text.match(EMAIL) ?? []), ...quotedIn(text)];
  return fitting(schema, single(texts.filter((value) => !taken.includes(value))));
};

/** Undefined if there are none or several. */
export function single<T>(values: Iterable<T>): T | undefined {
  const [only, ...more] = new Set(values);
  return more.length === 0 ? only : undefined;
}

function quotedIn(text: string): string[] {
  return [...text.matchAll(/"([^"\n]+)"|“([^”\n]+)”/g)].map(([, straight, curly]) => straight ?? curly ?? '');
}

interface Wanted {
  name: string;
  schema: JsonObject;
}

/** The required inputs that have no default and no constant value. */
export function requiredOf(schema: JsonObject): Wanted[] {
  return namesRequiredBy(schema)
    .map((name) => ({ name, schema: schemaOfInput(schema, name) }))
    .filter((input) => !('default' in input.schema || 'const' in input.schema));
}

export function namesRequiredBy({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function describe({ name, schema: { type, description, enum: choices } }: Wanted): MissingInput {
  return {
    name,
    ...(typeof type === 'string' && { type }),
    ...(typeof description === 'string' && { description }),
    ...(Array.isArray(choices) && { choices }),
  };
}

/** A pattern for a name as people write it: `user_id`, "user id", `userid`. */
export function spelled(words: readonly string[]): string {
  return words.map(escapePattern).join('[\\s_.-]?');
}

const VALUE = `(?:"([^"]*)"|'([^']*)'|([^\\s,;"']+))`;

/** `name=value`, `name: value`, or the words of the name before a value in quotes or with a digit. */
const namedValue: Reader = ({ name, schema }, text) => {
  const words = wordTexts(name);
  if (words.length === 0) return undefined;
  const assigned = new RegExp(`(?<![\\p{L}\\p{N}_])${spelled(words)}\\s*[=:]\\s*${VALUE}`, 'iu').exec(text);
  if (assigned) return fitting(schema, unquoted(assigned));
  // "build 1234" sets build_id.
  const short =
    words.length > 1 && /^(id|key|name|number|no|code)$/.test(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  const loose = new RegExp(
    `(?<![\\p{L}\\p{N}_])(?:${spelled(words)}|${spelled(short)})\\s+(?:is\\s+|number\\s+|no\\.?\\s+|#\\s*)?${VALUE}`,
    'iu',
  ).exec(text);
  if (!loose) return undefined;
  const value = unquoted(loose);
  // "build 12 34" is ambiguous.
  if (/^[\d.-]+$/.test(value) && /^\s+\d/.test(text.slice(loose.index + loose[0].length))) return undefined;
  return loose[3] === undefined || /[\p{N}_]/u.test(value) ? fitting(schema, value) : undefined;
};

const onlyChoice: Reader = ({ schema }, text) => {
  const { enum: choices } = schema;
  if (!Array.isArray(choices)) return undefined;
  const words = wordTexts(text);
  const texts = choices.filter((choice) => typeof choice === 'string');
  const said = findPhrases(texts, words);
  if (said.length < 2) return said[0];
  // In "refund charge c-42" the first word is the action.
  const [first] = words;
  return words.includes('or') ? undefined : said.find((choice) => choice.toLowerCase() === first);
};

const EMAIL = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;
const FORMATS: Record<string, RegExp> = {
  email: EMAIL,
  uri: /https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)]/gi,
  uuid: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  date: /\b\d{4}-\d{2}-\d{2}\b(?!T)/g,
  'date-time': /\b\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})/g,
};

const onlyOfFormat: Reader = ({ schema: { format } }, text, others) => {
  const pattern = typeof format === 'string' ? FORMATS[format] : undefined;
  if (!pattern || others.some((other) => other.schema.format === format)) return undefined;
  return single(text.match(pattern) ?? []);
};

/** The only word that matches a pattern; ignores patterns that ordinary words match. */
const onlyOfPattern: Reader = ({ schema: { type, pattern } }, text) => {
  if (type !== 'string' || typeof pattern !== 'string' || !isPlainPattern(pattern)) return undefined;
  const form = new RegExp(pattern, 'u');
  if (['word', 'a', 'Word-1'].some((word) => form.test(word))) return undefined;
  const words = (text.match(/[^\s,;!?"']+/gu) ?? []).map((word) => word.replace(/[.:)]+$/, ''));
  return single(words.filter((word) => word.length <= 100 && form.test(word)));
};

/** Short, anchored, and without what makes matching slow. */
function isPlainPattern(pattern: string): boolean {
  return /^\^[^()]*(?:\([^()]*\)[^()+*{]*)?\$$/.test(pattern) && pattern.length <= 60;
}

const isNumeric = ({ type }: JsonObject): boolean => type === 'integer' || type === 'number';

const onlyNumber: Reader = ({ schema }, text, others, taken) => {
  if (!isNumeric(schema) || others.some((other) => isNumeric(other.schema))) return undefined;
  const numbers = (text.match(/(?<![\p{L}\p{N}._-])-?\d+(?:\.\d+)?(?![\p{L}\p{N}_-]|\.\d)/gu) ?? []).map(Number);
  return fitting(schema, single(numbers.filter((one) => !taken.some((value) => Number(value) === one)))?.toString());
};

const isText = ({ type, enum: choices, format }: JsonObject): boolean =>
  type === 'string' && choices === undefined && format === undefined;

const onlyQuoted: Reader = ({ schema }, text, others, taken) => {
  if (!isText(schema) || others.some((other) => isText(other.schema))) return undefined;
  return single(quotedIn(text).filter((value) => !taken.includes(value)));
};

/** "u-42" and "u-billing-42": letters, then parts; the last one begins with a digit. */
const IDENTIFIER = /(?<![\p{L}\p{N}_./@:-])(\p{L}+)(?:[-_]\p{L}+)*[-_]\p{N}[\p{L}\p{N}]*(?![\p{L}\p{N}_/@-])/gu;

/** The only word that looks like such an identifier: `u-42` can be a `user_id`, not a `build_id`. */
const onlyIdentifier: Reader = ({ name, schema }, text) => {
  const [kind = '', ...rest] = wordTexts(name);
  if (schema.type !== 'string' || rest.at(-1) !== 'id') return undefined;
  const found = [...text.matchAll(IDENTIFIER)].filter(([, letters = '']) => kind.startsWith(letters.toLowerCase()));
  return fitting(schema, single(found.map(([word]) => word)));
};

const EACH: readonly Reader[] = [namedValue, onlyChoice, onlyOfFormat];
const REQUIRED = [...EACH, onlyNumber, onlyQuoted, onlyIdentifier];
const OPTIONAL = [...EACH, onlyOfPattern, onlyIdentifier, onlyCount, onlySearched];

function unquoted([, double, single, bare]: RegExpExecArray): string {
  return double ?? single ?? (bare ?? '').replace(/[.!?)]+$/, '');
}

/** The value converted to the type of the schema; undefined if it does not fit. */
export function fitting({ type, enum: choices }: JsonObject, value: string | undefined): Json | undefined {
  if (!value) return undefined;
  if (type === 'integer' || type === 'number') {
    const number = Number(value);
    const isExact = Number.isFinite(number) && (Number.isSafeInteger(number) || !Number.isInteger(number));
    return isExact && (type === 'number' || Number.isInteger(number)) ? number : undefined;
  }
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined;
  if (Array.isArray(choices)) return choices.find((choice) => String(choice).toLowerCase() === value.toLowerCase());
  return type === 'string' || type === undefined ? value : undefined;
}

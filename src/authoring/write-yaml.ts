import { isDeepStrictEqual } from 'node:util';
import {
  Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  Pair,
  parse,
  parseDocument,
  type ScalarTag,
  stringify,
  type Tags,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '../contracts/json.js';
import { AbilityError, invalidDefinition } from '../contracts/problem.js';
import { byId } from './import/merge-definitions.js';

/** A value as one line of YAML, quoted so that it may follow a key, even inside braces and brackets. */
export function flowYaml(value: Json): string {
  // In a list, even a text of several lines stays on one.
  return stringify([value], { ...YAML_TAGS, collectionStyle: 'flow', lineWidth: 0 })
    .trimEnd()
    .slice(1, -1)
    .trim();
}

export function indented(text: string, blanks = 2): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(blanks));
}

/** Characters that are invisible or change how others appear, except a newline. */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Texts that other YAML readers parse as booleans. */
const BOOLEAN_WORD = /^(y|n|yes|no|on|off)$/i;

/** Escapes hidden characters, as in JSON: people read strangers' texts before they trust them. */
const plainText: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string' && (value.search(UNSEEN) >= 0 || BOOLEAN_WORD.test(value)),
  resolve: (text) => text,
  stringify: ({ value }) => JSON.stringify(value).replaceAll(UNSEEN, escaped),
};

/** Writes numbers without an exponent if that keeps their value. */
const plainNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => typeof value === 'number' && /e/.test(String(value)) && Number(inFull(value)) === value,
  // Matches nothing: for writing only. The library prefers tags that have a `test`.
  test: /(?!)/,
  resolve: (text) => text,
  stringify: ({ value }) => inFull(value as number),
};

function inFull(value: number): string {
  if (Number.isInteger(value)) return BigInt(value).toString();
  const [, decimals = '', exponent = '0'] = /(?:\.(\d+))?e-(\d+)$/.exec(String(value)) ?? [];
  return value.toFixed(Math.min(100, decimals.length + Number(exponent)));
}

function escaped(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}

const YAML_TAGS = { customTags: (tags: Tags): Tags => [plainText, plainNumber, ...tags] } as const;

const YAML_STYLE = { lineWidth: 110, indentSeq: true, flowCollectionPadding: true } as const;

/** Maximum characters, as JSON, of a map or list on one line. */
const MAX_LINE = 90;

/** Keys in order; the caller checks that it reads back the same. @param comments above it, without `#`. */
export function renderDefinition(definition: JsonObject, comments: string[]): string {
  const document = new Document(definition, { ...YAML_TAGS, aliasDuplicateObjects: false });
  visit(document, {
    Map(key, node, path) {
      if (path.length < 2 || key === null) return;
      const isFlat = node.items.every(({ value }) => isScalar(value));
      if (isFlat && JSON.stringify(node).length <= MAX_LINE) node.flow = true;
    },
    Seq(_, node) {
      const isFlat = node.items.every((item) => isScalar(item) || (isMap(item) && item.flow));
      if (isFlat && JSON.stringify(node).length <= MAX_LINE) node.flow = true;
    },
  });
  document.commentBefore = comments.map((line) => ` ${line}`).join('\n');
  return document.toString(YAML_STYLE);
}

export interface YamlText {
  /** Relative to the project root, for messages. */
  file: string;
  text: string;
}

/**
 * Adds an item at the end of the list under a top-level key, and the key if it is missing. In a list written in
 * lines every other byte stays; otherwise the file is rewritten with its comments and order. @param item block
 * YAML, beginning with `- `. @throws AbilityError `definition.syntax`; `definition.invalid` if the key has no
 * list.
 */
export function appendItem({ file, text }: YamlText, key: string, item: string): string {
  const document = open({ file, text });
  const value: unknown = document.toJS() ?? {};
  const [added] = parse(item) as [Json];
  const list = isJsonObject(value) ? (value[key] ?? []) : undefined;
  if (!isJsonObject(value) || !Array.isArray(list)) {
    throw invalidDefinition(
      `${file} has no list under \`${key}\` to which something could be added`,
      { file },
      `Write \`${key}:\` as a list.`,
    );
  }
  const wanted = { ...value, [key]: [...list, added] };
  const newline = newlineOf(text);
  for (const candidate of [afterLastItem(document, text, key, item), underNewKey(document, text, key, item)]) {
    const edited = candidate?.replaceAll(/\r?\n/g, newline);
    if (edited !== undefined && isDeepStrictEqual(dataOf(edited), wanted)) return edited;
  }
  if (list.length > 0) document.addIn([key], document.createNode(added));
  else document.set(key, withCommentOf(document.getIn([key], true), document.createNode([added])));
  return written(document, text);
}

/** Sets a value in a hand-written YAML file; keeps comments and order. @throws as {@link appendItem}. */
export function setValue(source: YamlText, path: (string | number)[], value: Json): string {
  const document = open(source);
  const wanted = withValueAt((document.toJS() as Json) ?? {}, path, value);
  if (document.contents === null) document.setIn(path, document.createNode(value));
  else edit(document, document.contents, wanted);
  return written(document, source.text);
}

function withValueAt(data: Json | undefined, [first, ...rest]: (string | number)[], value: Json): Json {
  if (first === undefined) return value;
  if (Array.isArray(data)) return data.with(Number(first), withValueAt(data[Number(first)], rest, value));
  const map = isJsonObject(data) ? data : {};
  return { ...map, [first]: withValueAt(map[first], rest, value) };
}

/** Sets another value; comments and key order stay. @throws Error if that is impossible, as with an alias. */
export function editYaml(text: string, wanted: JsonObject): string {
  const document = parseDocument(text, { ...YAML_TAGS, stringKeys: true });
  edit(document, document.contents, wanted);
  const edited = document.toString(YAML_STYLE);
  if (!isDeepStrictEqual(parseDocument(edited).toJS(), wanted)) throw new Error('its form does not allow it');
  return edited;
}

/** Parses a YAML file before editing. @throws AbilityError `definition.syntax`. */
export function readValue(source: YamlText): unknown {
  return open(source).toJS();
}

function open({ file, text }: YamlText): Document {
  const document = parseDocument(text, { strict: true, uniqueKeys: true, stringKeys: true });
  const [fault] = document.errors;
  if (!fault) return document;
  throw new AbilityError({
    code: 'definition.syntax',
    message: `${file} is not valid YAML, so nothing can be added to it: ${fault.message.split('\n', 1)[0]}`,
    location: { file },
    suggestion: 'Correct the file first.',
  });
}

/** @param before the original text, whose line ends are kept. */
function written(document: Document, before: string): string {
  return document.toString({ lineWidth: 0 }).replaceAll('\n', newlineOf(before));
}

function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function withCommentOf(before: unknown, node: Node): Node {
  if (isNode(before) && before.comment) node.commentBefore = before.comment;
  return node;
}

function afterLastItem({ contents }: Document, text: string, key: string, item: string): string | undefined {
  const list = isMap(contents) ? contents.get(key, true) : undefined;
  const [start, end] = (isSeq(list) && list.range) || [];
  if (!isSeq(list) || list.flow || start === undefined || end === undefined) return undefined;
  const column = start - (text.lastIndexOf('\n', start - 1) + 1);
  const lineEnd = text.indexOf('\n', Math.max(start, end - 1));
  const [before, after] = lineEnd < 0 ? [`${text}\n`, ''] : [text.slice(0, lineEnd + 1), text.slice(lineEnd + 1)];
  // Follows a file that has blank lines between its items.
  const gap = /\n[ \t]*\r?\n/.test(text.slice(start, end)) ? '\n' : '';
  return `${before}${gap}${indented(item.trimEnd(), column)}\n${after}`;
}

function underNewKey({ contents }: Document, text: string, key: string, item: string): string | undefined {
  if (contents !== null && (!isMap(contents) || contents.flow || contents.has(key))) return undefined;
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  const between = contents === null ? '' : '\n';
  return `${text}${gap}${between}${key}:\n${indented(item.trimEnd(), 2)}\n`;
}

function dataOf(text: string): unknown {
  const document = parseDocument(text, { strict: true, uniqueKeys: true, stringKeys: true });
  return document.errors.length === 0 ? document.toJS() : undefined;
}

function edit(document: Document, node: unknown, wanted: Json): void {
  const current: unknown = (node as Node).toJS(document);
  if (isDeepStrictEqual(current, wanted)) return;
  if (isMap(node) && isJsonObject(wanted)) editMap(document, node, wanted);
  else if (isSeq(node) && byId(current) && byId(wanted)) editById(document, node, wanted as JsonObject[]);
  else throw new Error('it holds something else than a map where the source changed');
}

function editMap(document: Document, map: YAMLMap, wanted: JsonObject): void {
  for (const pair of [...map.items]) if (!Object.hasOwn(wanted, keyOf(pair))) removePair(map, pair);
  let before = -1;
  for (const [key, value] of Object.entries(wanted)) {
    const at = map.items.findIndex((pair) => keyOf(pair) === key);
    if (at < 0) {
      before += 1;
      map.items.splice(before, 0, new Pair(document.createNode(key), document.createNode(value)));
    } else {
      before = at;
      replaceValue(document, map.items[at] as Pair, value);
    }
  }
}

function editById(document: Document, list: YAMLSeq, wanted: JsonObject[]): void {
  const idOf = (node: unknown): unknown => ((node as Node).toJS(document) as JsonObject).id;
  list.items = wanted.map((item) => {
    const known = list.items.find((node) => idOf(node) === item.id);
    if (known === undefined) return document.createNode(item);
    edit(document, known, item);
    return known;
  });
}

function replaceValue(document: Document, pair: Pair, value: Json): void {
  const node = pair.value;
  const current: unknown = node === null ? null : (node as Node).toJS(document);
  if (isDeepStrictEqual(current, value)) return;
  if (isScalar(node) && (value === null || typeof value !== 'object')) node.value = value;
  else if ((isMap(node) && isJsonObject(value)) || (isSeq(node) && byId(current) && byId(value)))
    edit(document, node, value);
  else pair.value = document.createNode(value);
}

/** Keeps the comments above a removed key by moving them above the next one. */
function removePair(map: YAMLMap, pair: Pair): void {
  const comment = (pair.key as Node).commentBefore;
  const next = map.items[map.items.indexOf(pair) + 1]?.key as Node | undefined;
  map.items.splice(map.items.indexOf(pair), 1);
  if (!comment) return;
  const place: Node = next ?? map;
  if (next) place.commentBefore = [comment, place.commentBefore].filter(Boolean).join('\n');
  else map.comment = [map.comment, comment].filter(Boolean).join('\n');
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : String(key);
}

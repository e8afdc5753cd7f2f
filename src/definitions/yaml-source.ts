import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLParseError,
  type YAMLWarning,
} from 'yaml';
import type { Problem, SourceLocation } from '../contracts/problem.js';
import { shorten } from '../text/shorten.js';
import { parseYaml, TooLarge, YAML_LIMITS } from './yaml-document.js';

export interface YamlSource {
  file: string;
  value: unknown;
  text: string;
  document: Document;
  /** The location of the value at a path, or of its nearest existing parent. `key`: that of the key itself. */
  locate(path: readonly PropertyKey[], part?: 'value' | 'key'): SourceLocation;
  locateOffset(offset: number): SourceLocation;
}

/**
 * Caps size, depth and aliases before a tree is built, and refuses what JavaScript would silently read as
 * something else. @param file its name in messages, relative to the project.
 */
export function readYaml(file: string, text: string): YamlSource | Problem {
  const lines = new LineCounter();
  const at = (offset: number | undefined): SourceLocation => {
    if (offset === undefined) return { file };
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  try {
    const strange = findStrangeCharacter(text);
    if (strange) return refuseCharacter(file, text, strange);
    const document = parseYaml(text, lines);
    const { version, explicit } = document.directives.yaml;
    if (explicit && version !== '1.2') {
      const message = `Definitions are YAML 1.2, and this file asks for ${version}`;
      const location = { file, line: 1 };
      return { code: 'definition.syntax', message, location, suggestion: 'Leave the directive out.' };
    }
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault) return faultOf(fault, at(fault.pos[0]), text);
    return {
      file,
      value: toJson(document),
      text,
      document,
      locate: (path, part = 'value') => locateIn(document.contents, path, part, lines, file),
      locateOffset: at,
    };
  } catch (error) {
    if (error instanceof TooLarge) {
      return { code: 'definition.too_large', message: `${file} ${error.message}`, location: at(error.offset) };
    }
    if (error instanceof Misleading) {
      const { code, message, suggestion, offset } = error;
      return { code, message, location: at(offset), ...(suggestion !== undefined && { suggestion }) };
    }
    throw error;
  }
}

function faultOf(fault: YAMLParseError | YAMLWarning, location: SourceLocation, text: string): Problem {
  const what = fault.message.split('\n', 1)[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? 'is no YAML';
  return {
    code: 'definition.syntax',
    message: `Not valid YAML: ${shorten(what, 300)}`,
    location,
    suggestion: hintFor(lineAt(text, location.line ?? 1)),
  };
}

function lineAt(text: string, line: number): string {
  return (text.split('\n', line)[line - 1] ?? '').slice(0, 1000);
}

/** Control characters, which YAML forbids, and lone carriage returns, which readers treat differently. */
function findStrangeCharacter(text: string): RegExpExecArray | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]|\r(?!\n)/.exec(text);
}

function refuseCharacter(file: string, text: string, { 0: character, index }: RegExpExecArray): Problem {
  const before = text.slice(0, index);
  const line = before.split('\n').length;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return {
    code: 'definition.syntax',
    message: `Not valid YAML: the character U+${code} is not allowed in a text`,
    location: { file, line, column: index - before.lastIndexOf('\n') },
    suggestion: character === '\r' ? 'End lines with a line feed.' : `Write it as "\\u${code}" in double quotes.`,
  };
}

export function isProblem(value: YamlSource | Problem): value is Problem {
  return 'code' in value;
}

/** Advice for frequent mistakes. Source: docs/workflow-language.md#expressions. */
function hintFor(line: string): string | undefined {
  if (line.includes('${{')) return 'Quote a value with ${{ }} that contains `: ` or `#` or is inside { } or [ ].';
  if (/:\s*!/.test(line)) return 'A value that begins with ! is a YAML tag; quote it: "!x".';
  if (/^\t/.test(line)) return 'Indent with spaces; YAML does not allow tabs.';
  if (/:\s+[^\s"'[{|>#][^"']*:\s/.test(line))
    return 'Quote a text that contains `: `, such as summary: "The weather: a report".';
  return undefined;
}

function locateIn(
  root: unknown,
  path: readonly PropertyKey[],
  part: 'value' | 'key',
  lines: LineCounter,
  file: string,
): SourceLocation {
  let node = root as Node | null | undefined;
  let found: Node | null | undefined = node;
  for (const [depth, step] of path.entries()) {
    const last = depth === path.length - 1;
    if (isMap(node)) {
      const pair = pairsOf(node).get(String(step));
      if (!pair) break;
      node = pair.value as Node | null;
      found = (last && part === 'key') || !node ? (pair.key as Node) : node;
    } else if (isSeq(node)) {
      node = node.items[Number(step)] as Node | undefined;
      if (!node) break;
      found = node;
    } else break;
  }
  const offset = found?.range?.[0];
  if (offset === undefined) return { file };
  const { line, col } = lines.linePos(offset);
  return { file, line, column: col };
}

/** Cached by map, since a file with many errors looks up each of its keys. */
const pairs = new WeakMap<YAMLMap, Map<string, Pair>>();

function pairsOf(map: YAMLMap): Map<string, Pair> {
  const known = pairs.get(map) ?? new Map(map.items.map((pair) => [keyOf(pair) ?? '', pair]));
  pairs.set(map, known);
  return known;
}

function keyOf(pair: Pair): string | undefined {
  return isScalar(pair.key) ? String(pair.key.value) : undefined;
}

/** A part of a document that reads as something else than it appears to be; `offset` is its position. */
class Misleading extends Error {
  readonly offset: number | undefined;

  constructor(
    readonly code: 'definition.syntax' | 'definition.invalid',
    message: string,
    node: unknown,
    readonly suggestion?: string,
  ) {
    super(message);
    this.offset = offsetOf(node);
  }
}

/**
 * In one pass: the library's own conversion searches the document for each alias. @throws Misleading for duplicate
 * keys, merge keys, broken text, numbers that JavaScript would change; TooLarge for aliases that expand too far.
 */
export function toJson(document: Document.Parsed): unknown {
  return new Reader().read(document.contents).value;
}

interface Read {
  value: unknown;
  /** Number of values in it, including itself. */
  size: number;
}

class Reader {
  private readonly anchors = new Map<string, Read | 'open'>();
  private aliases = 0;
  private copies = 0;

  read(node: unknown): Read {
    if (isAlias(node)) return this.again(node);
    refuseTag(node);
    const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.anchors.set(anchor, 'open');
    const read = this.readNew(node);
    if (anchor !== undefined) this.anchors.set(anchor, read);
    return read;
  }

  private readNew(node: unknown): Read {
    if (isMap(node)) return this.readMap(node.items);
    if (isSeq(node)) return this.readList(node.items);
    return { value: isScalar(node) ? scalar(node) : null, size: 1 };
  }

  private readList(items: unknown[]): Read {
    const value: unknown[] = [];
    let size = 1;
    for (const item of items) {
      const read = this.read(item);
      value.push(read.value);
      size += read.size;
    }
    return { value, size };
  }

  private readMap(items: Pair[]): Read {
    const value: Record<string, unknown> = {};
    let size = 1;
    for (const pair of items) {
      const key = this.keyOf(pair, value);
      const read = this.read(pair.value);
      // Plain assignment would make `__proto__` the prototype, and the key checks would miss it.
      Object.defineProperty(value, key, { value: read.value, enumerable: true, writable: true, configurable: true });
      size += read.size;
    }
    return { value, size };
  }

  private keyOf({ key: node }: Pair, value: object): string {
    if (!isScalar(node)) throw new Misleading('definition.syntax', 'A key is a text', node);
    refuseTag(node);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, { value: node.value, size: 1 });
    const key = String(node.value);
    refuseBrokenText(key, node);
    if (key === '<<' && node.type === 'PLAIN') {
      const suggestion = 'Write the keys out, or use an alias for a whole value: `key: *name`.';
      throw new Misleading('definition.invalid', 'A merge key, `<<`, is not part of YAML 1.2', node, suggestion);
    }
    if (!Object.hasOwn(value, key)) return key;
    const message = `Not valid YAML: the key ${JSON.stringify(shorten(key))} is there twice`;
    throw new Misleading('definition.syntax', message, node);
  }

  private again(node: Alias): Read {
    const name = node.source;
    const read = this.anchors.get(name);
    this.aliases += 1;
    if (read === undefined)
      throw new Misleading('definition.syntax', `No earlier value has the anchor &${shorten(name)}`, node);
    if (read === 'open')
      throw new Misleading('definition.invalid', `The value &${shorten(name)} contains itself`, node);
    this.copies += read.size;
    if (this.aliases > YAML_LIMITS.aliases || this.copies > YAML_LIMITS.copies) {
      throw new TooLarge('uses too many aliases', offsetOf(node));
    }
    return read;
  }
}

function scalar(node: Scalar): unknown {
  const { value } = node;
  if (typeof value === 'string') refuseBrokenText(value, node);
  if (typeof value === 'number') refuseChangedNumber(value, node);
  return value;
}

/** A lone surrogate, which UTF-8 cannot encode: two such values would have the same digest. */
const HALF = /\p{Surrogate}/u;

function refuseBrokenText(text: string, node: Scalar): void {
  if (HALF.test(text)) throw new Misleading('definition.invalid', 'A text contains half a character', node);
}

function refuseChangedNumber(value: number, node: Scalar): void {
  const written = node.source ?? String(value);
  const asText = `Write it as text: "${shorten(written)}".`;
  const refused = (message: string, suggestion: string) =>
    new Misleading('definition.invalid', message, node, suggestion);
  if (!Number.isFinite(value)) throw refused(`${shorten(written)} is no number of JSON`, asText);
  const digits = /^[-+]?(0[ox])?[0-9a-fA-F]+$/.exec(written);
  if (!digits) return;
  if (!Number.isSafeInteger(value)) throw refused(`${shorten(written)} is too large to be kept exactly`, asText);
  if (/^[-+]?0[0-9]/.test(written)) {
    const other = `Write ${value}, 0o${value.toString(8)} for the octal number, or "${shorten(written)}" for the text.`;
    throw refused(`${shorten(written)} begins with a zero, which some read as octal`, other);
  }
}

/** Tags of JSON types; the library makes objects of others, such as !!binary. */
const TAGS: ReadonlySet<string> = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

function refuseTag(node: unknown): void {
  if (!isMap(node) && !isSeq(node) && !isScalar(node)) return;
  if (node.tag === undefined || TAGS.has(node.tag)) return;
  const tag = node.tag.replace('tag:yaml.org,2002:', '!!');
  throw new Misleading('definition.syntax', `Not valid YAML: the tag ${shorten(tag)} has no meaning here`, node);
}

function offsetOf(node: unknown): number | undefined {
  return isMap(node) || isSeq(node) || isScalar(node) || isAlias(node) ? node.range?.[0] : undefined;
}

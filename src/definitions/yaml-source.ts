import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLParseError,
  type YAMLWarning,
} from 'yaml';
import type { Problem, SourceLocation } from '../contracts/problem.js';
import { shorten } from '../text/shorten.js';
import { parseYaml, TooLarge } from './yaml-document.js';
import { Misleading, toJson } from './yaml-value.js';

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

import { type Document, isMap, isPair, isSeq, type Node, parseDocument } from 'yaml';
import type { Json } from '../contracts/json.js';
import { reasonOf } from '../contracts/problem.js';
import { withoutQuote } from '../text/lossless-json/read-json.js';

/** Comments and the byte order mark; strings, which may hold the like, are matched first. */
const SKIPPED = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|^\uFEFF/g;

/** JSON with comments, as in settings files; its nodes have their places in the text. @throws SyntaxError. */
export function readJson(text: string): Document.Parsed {
  const bare = text.replace(SKIPPED, (part) => (part.startsWith('"') ? part : part.replace(/[^\r\n]/g, ' ')));
  try {
    JSON.parse(bare);
    const read = parseDocument(bare, { prettyErrors: false });
    if (!read.errors[0]) return read;
    throw read.errors[0];
  } catch (error) {
    throw new SyntaxError(withoutQuote(reasonOf(error)));
  }
}

/**
 * Adds an item at the end of a list, and creates the path to it; all other bytes stay. @param path keys of objects
 * that lead to the list. @throws SyntaxError if the text is no JSON, or another value is in the place of an object
 * or the list.
 */
export function appendItem(text: string, path: readonly string[], item: Json): string {
  let node: unknown = readJson(text).contents;
  for (const [depth, key] of path.entries()) {
    if (!isMap(node)) throw new SyntaxError(`${nameOf(path.slice(0, depth))} is no object`);
    if (!node.has(key)) {
      const rest = path.slice(depth + 1).reduceRight<Json>((value, inner) => ({ [inner]: value }), [item]);
      return insert(text, node, node.items.at(-1), rest, key);
    }
    node = node.get(key, true);
  }
  if (!isSeq(node)) throw new SyntaxError(`${nameOf(path)} is no list`);
  return insert(text, node, node.items.at(-1), item);
}

/** Replaces a string value in a JSON text; all other bytes stay. */
export function replaceText(text: string, node: Node, value: string): string {
  const [start, end] = rangeOf(node);
  return text.slice(0, start) + JSON.stringify(value) + text.slice(end);
}

/** Appends a value to an object or list, in the layout of the existing ones. */
function insert(text: string, into: Node, before: unknown, value: Json, key?: string): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const [start, end] = rangeOf(into);
  const last = before === undefined ? undefined : rangeOf(isPair(before) ? before.value : before);
  const outer = indentOf(text, start);
  const inner = last && text.slice(start, last[1]).includes('\n') ? indentOf(text, last[0]) : outer + unit;
  const lines = JSON.stringify(value, null, unit)
    .split('\n')
    .join(newline + inner);
  const written = key === undefined ? lines : `${JSON.stringify(key)}: ${lines}`;
  if (last) return `${text.slice(0, last[1])},${newline}${inner}${written}${text.slice(last[1])}`;
  const kept = text.slice(start + 1, end - 1).trimEnd();
  return `${text.slice(0, start + 1)}${kept}${newline}${inner}${written}${newline}${outer}${text.slice(end - 1)}`;
}

function rangeOf(node: unknown): [start: number, end: number] {
  const [start = 0, end = 0] = (node as Node).range ?? [];
  return [start, end];
}

function indentOf(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function nameOf(path: readonly string[]): string {
  return path.length === 0 ? 'the file' : `\`${path.join('.')}\``;
}

import type { Json } from '../../contracts/json.js';
import { type JsonNode, readJson } from './read-json.js';

/**
 * Adds an item at the end of a list, and creates the path to it; all other bytes stay. @param path keys of objects
 * that lead to the list. @throws SyntaxError if the text is no JSON, or another value is in the place of an object
 * or the list.
 */
export function appendItem(text: string, path: readonly string[], item: Json): string {
  let node = readJson(text);
  for (const [depth, key] of path.entries()) {
    if (node.kind !== 'object') throw new SyntaxError(`${nameOf(path.slice(0, depth))} is no object`);
    const member = node.members.find((each) => each.key === key);
    if (!member) {
      const rest = path.slice(depth + 1).reduceRight<Json>((value, inner) => ({ [inner]: value }), [item]);
      return insert(text, node, rest, key);
    }
    node = member.value;
  }
  if (node.kind !== 'array') throw new SyntaxError(`${nameOf(path)} is no list`);
  return insert(text, node, item);
}

/** Replaces a string value in a JSON text; all other bytes stay. */
export function replaceText(text: string, node: JsonNode, value: string): string {
  return text.slice(0, node.start) + JSON.stringify(value) + text.slice(node.end);
}

/** Appends a value to an object or list, in the layout of the existing ones. */
function insert(text: string, into: JsonNode, value: Json, key?: string): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const parts =
    into.kind === 'object' ? into.members.map((member) => member.value) : into.kind === 'array' ? into.items : [];
  const outer = indentOf(text, into.start);
  const last = parts.at(-1);
  const inner = last && text.slice(into.start, last.end).includes('\n') ? indentOf(text, last.start) : outer + unit;
  const lines = JSON.stringify(value, null, unit)
    .split('\n')
    .join(newline + inner);
  const written = key === undefined ? lines : `${JSON.stringify(key)}: ${lines}`;
  if (last) return `${text.slice(0, last.end)},${newline}${inner}${written}${text.slice(last.end)}`;
  const [begin, end] = [text.slice(0, into.start + 1), text.slice(into.end - 1)];
  const kept = text.slice(into.start + 1, into.end - 1).trimEnd();
  return `${begin}${kept}${newline}${inner}${written}${newline}${outer}${end}`;
}

function indentOf(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function nameOf(path: readonly string[]): string {
  return path.length === 0 ? 'the file' : `\`${path.join('.')}\``;
}

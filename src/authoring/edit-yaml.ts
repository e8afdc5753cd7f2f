import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isNode, isSeq, type Node, parse, parseDocument } from 'yaml';
import { isJsonObject, type Json } from '../contracts/json.js';
import { AbilityError } from '../contracts/problem.js';
import { indented } from './flow-yaml.js';

/** A YAML file that people wrote, to which something is added. */
export interface YamlText {
  /** Relative to the project root, for messages. */
  file: string;
  text: string;
}

/**
 * Adds an item at the end of the list under a key at the top, and the key where it is missing.
 *
 * Where the list is written in lines, every other byte of the file stays; otherwise the file is written anew with its
 * comments and its order.
 *
 * @param item the item as block YAML, beginning with `- `.
 * @throws AbilityError `definition.syntax`, `definition.invalid` where the file is not of that form.
 */
export function appendItem({ file, text }: YamlText, key: string, item: string): string {
  const document = open({ file, text });
  const value: unknown = document.toJS() ?? {};
  const [added] = parse(item) as [Json];
  const list = isJsonObject(value) ? (value[key] ?? []) : undefined;
  if (!isJsonObject(value) || !Array.isArray(list)) {
    throw new AbilityError({
      code: 'definition.invalid',
      message: `${file} has no list under \`${key}\` to which something could be added`,
      location: { file },
      suggestion: `Write \`${key}:\` as a list.`,
    });
  }
  const wanted = { ...value, [key]: [...list, added] };
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  for (const candidate of [afterLastItem(document, text, key, item), underNewKey(document, text, key, item)]) {
    const edited = candidate?.replaceAll(/\r?\n/g, newline);
    if (edited !== undefined && isDeepStrictEqual(dataOf(edited), wanted)) return edited;
  }
  if (list.length > 0) document.addIn([key], document.createNode(added));
  else document.set(key, withCommentOf(document.getIn([key], true), document.createNode([added])));
  return written(document, newline);
}

/** Sets a value in a YAML file that people wrote; its comments and its order stay. @throws as {@link appendItem}. */
export function setValue(source: YamlText, path: (string | number)[], value: Json): string {
  const document = open(source);
  for (const [depth] of path.entries()) {
    const above = path.slice(0, depth);
    // A key that stands there without a value is no map yet.
    if (depth > 0 && document.hasIn(above) && document.getIn(above) === null)
      document.setIn(above, document.createNode({}));
  }
  document.setIn(path, document.createNode(value));
  return written(document, source.text.includes('\r\n') ? '\r\n' : '\n');
}

/** The data of a YAML file, for deciding what to edit. @throws AbilityError `definition.syntax`. */
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
    suggestion: 'Mend the file first.',
  });
}

function written(document: Document, newline: string): string {
  return document.toString({ lineWidth: 0 }).replaceAll('\n', newline);
}

/** A value that stands for another one, with what was written about that. */
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
  // People who leave a line between items want one here, too.
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

import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { byId } from './merge-definitions.js';
import { YAML_STYLE, YAML_TAGS } from './yaml-style.js';

/**
 * Gives a YAML text another value, changing no more than it has to: comments and the order of keys stay.
 *
 * @throws Error where the text cannot be edited so, as through an alias.
 */
export function editYaml(text: string, wanted: JsonObject): string {
  const document = parseDocument(text, { ...YAML_TAGS, stringKeys: true });
  edit(document, document.contents, wanted);
  const edited = document.toString(YAML_STYLE);
  if (!isDeepStrictEqual(parseDocument(edited).toJS(), wanted)) throw new Error('its form does not allow it');
  return edited;
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

/** What people wrote above a key is not lost with it: it then stands above the next one. */
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

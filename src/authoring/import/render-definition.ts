import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isScalar, parse, visit } from 'yaml';
import type { JsonObject } from '../../contracts/json.js';
import { YAML_STYLE, YAML_TAGS } from './yaml-style.js';

/** A map of so few short values stands on one line. */
const MOST_IN_A_LINE = 90;

/**
 * A definition as YAML, keys in their order.
 *
 * @param comments the lines above it, each without its `#`.
 * @throws Error when YAML cannot hold it.
 */
export function renderDefinition(definition: JsonObject, comments: string[]): string {
  const document = new Document(definition, { ...YAML_TAGS, aliasDuplicateObjects: false });
  visit(document, {
    Map(key, node, path) {
      if (path.length < 2 || key === null) return;
      const isFlat = node.items.every(({ value }) => isScalar(value));
      if (isFlat && JSON.stringify(node).length <= MOST_IN_A_LINE) node.flow = true;
    },
    Seq(_, node) {
      const isFlat = node.items.every((item) => isScalar(item) || (isMap(item) && item.flow));
      if (isFlat && JSON.stringify(node).length <= MOST_IN_A_LINE) node.flow = true;
    },
  });
  document.commentBefore = comments.map((line) => ` ${line}`).join('\n');
  const text = document.toString(YAML_STYLE);
  if (!isDeepStrictEqual(parse(text, { stringKeys: true }), definition))
    throw new Error('YAML cannot hold it as it is');
  return text;
}

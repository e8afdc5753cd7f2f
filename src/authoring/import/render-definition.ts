import { Document, isMap, isScalar, visit } from 'yaml';
import type { JsonObject } from '../../contracts/json.js';
import { YAML_STYLE, YAML_TAGS } from './yaml-style.js';

/** A map of so few short values stands on one line. */
const MOST_IN_A_LINE = 90;

/**
 * A definition as YAML, keys in their order. Whether it reads as the same is for whoever reads it to see.
 *
 * @param comments the lines above it, each without its `#`.
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
  return document.toString(YAML_STYLE);
}

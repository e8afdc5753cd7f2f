import { Document, isMap, isScalar, type ScalarTag, stringify, type Tags, visit } from 'yaml';
import type { Json, JsonObject } from '../contracts/json.js';

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

export const YAML_TAGS = { customTags: (tags: Tags): Tags => [plainText, plainNumber, ...tags] } as const;

export const YAML_STYLE = { lineWidth: 110, indentSeq: true, flowCollectionPadding: true } as const;

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

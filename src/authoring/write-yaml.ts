import { Document, isMap, isScalar, type ScalarTag, stringify, type Tags, visit } from 'yaml';
import type { Json, JsonObject } from '../contracts/json.js';

/** A value as YAML in one line, quoted so that it may follow a key, also inside braces and brackets. */
export function flowYaml(value: Json): string {
  // Inside a list even a text of several lines stays on one.
  return stringify([value], { collectionStyle: 'flow', lineWidth: 0 }).trimEnd().slice(1, -1).trim();
}

/** Lines of YAML under a key, indented. */
export function indented(text: string, blanks = 2): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(blanks));
}

/** Characters that are not seen, or change how others are seen; a newline is seen. */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Texts that other readers of YAML take for booleans. */
const BOOLEAN_WORD = /^(y|n|yes|no|on|off)$/i;

/**
 * Texts of strangers are read by people before they are trusted: what hides in them is written as its number.
 *
 * JSON's escapes are YAML's, too.
 */
const plainText: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string' && (value.search(UNSEEN) >= 0 || BOOLEAN_WORD.test(value)),
  resolve: (text) => text,
  stringify: ({ value }) => JSON.stringify(value).replaceAll(UNSEEN, escaped),
};

/** Numbers are written in full, as people write them, if that is the same number. */
const plainNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => typeof value === 'number' && /e/.test(String(value)) && Number(inFull(value)) === value,
  // The library prefers tags that have one; this one is for writing alone.
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

/** Options for building the nodes of a document. */
export const YAML_TAGS = { customTags: (tags: Tags): Tags => [plainText, plainNumber, ...tags] } as const;

/** How YAML is written. */
export const YAML_STYLE = { lineWidth: 110, indentSeq: true, flowCollectionPadding: true } as const;

/** Maps and lists up to this length as JSON are written on one line. Characters. */
const MAX_LINE = 90;

/**
 * A definition as YAML, keys in their order. It may not read as the same; the caller checks.
 *
 * @param comments the lines above it, each without its `#`.
 */
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

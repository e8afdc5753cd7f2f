import type { ScalarTag, Tags } from 'yaml';

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

/** Numbers stand in full, as people write them, where that is the same number. */
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

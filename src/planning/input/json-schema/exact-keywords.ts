import { _, type Ajv2020, type FuncKeywordDefinition, str } from 'ajv/dist/2020.js';
import type { Json } from '../../../contracts/json.js';
import { canonicalJson } from '../../../rules/canonical.js';
import { conditional } from './conditional-keyword.js';
import { fileKeyword } from './file-format.js';
import { isMultipleOf } from './is-multiple-of.js';
import { unevaluatedItems, unevaluatedProperties } from './unevaluated-keywords.js';

/**
 * Keywords of which ajv's own reading is not that of JSON Schema: values that are equal are told by own properties only
 * (a value with a key `toString` made ajv throw), multiples are told in decimals (19.99 is a multiple of 0.01),
 * and what is evaluated already is known exactly.
 */
export function addExactKeywords(ajv: Ajv2020): void {
  ajv.addKeyword(fileKeyword);
  const compiled = [CONST, ENUM, UNIQUE_ITEMS, MULTIPLE_OF];
  for (const definition of [...compiled, conditional, unevaluatedItems, unevaluatedProperties]) {
    ajv.removeKeyword(definition.keyword as string);
    ajv.addKeyword(definition);
  }
}

const CONST: FuncKeywordDefinition = {
  keyword: 'const',
  compile: (allowed: Json) => (value: Json) => equal(allowed, value),
  error: {
    message: 'must be equal to constant',
    params: ({ schemaValue }) => _`{allowedValue: ${schemaValue}}`,
  },
};

const ENUM: FuncKeywordDefinition = {
  keyword: 'enum',
  schemaType: 'array',
  compile: (allowed: Json[]) => {
    const plain = new Set(allowed.filter((one) => !isCompound(one)));
    const compound = new Set(allowed.filter(isCompound).map((one) => canonicalJson(one)));
    return (value: Json) =>
      isCompound(value) ? compound.size > 0 && compound.has(canonicalJson(value)) : plain.has(value);
  },
  error: {
    message: 'must be equal to one of the allowed values',
    params: ({ schemaValue }) => _`{allowedValues: ${schemaValue}}`,
  },
};

const UNIQUE_ITEMS: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  compile: (wanted: boolean) => (items: Json[]) =>
    !wanted || new Set(items.map((item) => canonicalJson(item))).size === items.length,
  error: { message: 'must NOT have duplicate items', params: () => _`{}` },
};

const MULTIPLE_OF: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  compile: (divisor: number) => (value: number) => isMultipleOf(value, divisor),
  error: {
    message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
    params: ({ schemaValue }) => _`{multipleOf: ${schemaValue}}`,
  },
};

function isCompound(value: Json): boolean {
  return value !== null && typeof value === 'object';
}

function equal(one: Json, other: Json): boolean {
  if (!isCompound(one) || !isCompound(other)) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}

import {
  _,
  type Ajv2020,
  type Code,
  type CodeKeywordDefinition,
  type FuncKeywordDefinition,
  type KeywordCxt,
  Name,
  str,
  stringify,
} from 'ajv/dist/2020.js';
import type { Json } from '../../../contracts/json.js';
import { canonicalJson } from '../../../rules/canonical.js';
import { fileKeyword } from './file-places.js';

/**
 * Replaces keywords that ajv reads differently from JSON Schema: equality compares own properties only (ajv threw
 * for a key `toString`), multiples use decimals, and evaluated properties and items are tracked exactly.
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

/** `if` counts as evaluated only when it holds, even without `then` and `else`; in ajv always, or never. */
const conditional: CodeKeywordDefinition = {
  keyword: 'if',
  schemaType: ['object', 'boolean'],
  trackErrors: true,
  error: {
    message: ({ params }) => str`must match "${params.clause}" schema`,
    params: ({ params }) => _`{failingKeyword: ${params.clause}}`,
  },
  code(context: KeywordCxt) {
    const { gen, it } = context;
    const valid = gen.let('valid', true);
    const holds = gen.name('_valid');
    const clause = gen.let('clause', _`"then"`);
    context.setParams({ clause });
    const condition = context.subschema(
      { keyword: 'if', compositeRule: true, createErrors: false, allErrors: false },
      holds,
    );
    context.reset();
    context.mergeValidEvaluated(condition, holds);
    const then = it.schema.then === undefined ? undefined : clauseOf('then');
    const otherwise = it.schema.else === undefined ? undefined : clauseOf('else');
    if (then) gen.if(holds, then, otherwise);
    else if (otherwise) gen.if(_`!${holds}`, otherwise);
    context.pass(valid, () => context.error(true));

    function clauseOf(keyword: 'then' | 'else'): () => void {
      return () => {
        const inner = gen.name('_valid');
        const part = context.subschema({ keyword }, inner);
        gen.assign(valid, inner);
        context.mergeValidEvaluated(part, valid);
        gen.assign(clause, _`${keyword}`);
      };
    }
  },
};

/** `Type.Num` and `Type.Str` of ajv, which does not export them as values. */
const [NUMBER, TEXT] = [0, 1];

/** Also sees when a conditionally valid subschema has evaluated all items, which ajv compares with a number. */
const unevaluatedItems: CodeKeywordDefinition = {
  keyword: 'unevaluatedItems',
  type: 'array',
  schemaType: ['boolean', 'object'],
  error: {
    message: ({ params: { length } }) => str`must NOT have more than ${length} items`,
    params: ({ params: { length } }) => _`{limit: ${length}}`,
  },
  code(context: KeywordCxt) {
    const { gen, schema, data, it } = context;
    const evaluated = it.items ?? 0;
    if (evaluated === true) return;
    const from = gen.const('from', evaluated instanceof Name ? _`${evaluated} || 0` : _`${evaluated}`);
    const valid = gen.let('valid', _`${from} === true || ${data}.length <= ${from}`);
    it.items = true;
    if (schema === false) {
      context.setParams({ length: from });
      context.fail(_`!${valid}`);
      return;
    }
    gen.if(_`!${valid}`, () => eachFrom(from, valid));
    context.ok(valid);

    function eachFrom(first: Name, all: Name): void {
      gen.assign(all, true);
      const inner = gen.name('_valid');
      gen.forRange('i', first, _`${data}.length`, (index) => {
        context.subschema({ keyword: 'unevaluatedItems', dataProp: index, dataPropType: NUMBER }, inner);
        gen.if(_`!${inner}`, () => gen.assign(all, false));
      });
    }
  },
};

/** Distinguishes an evaluated property from a name that every object has, such as `toString`. */
const unevaluatedProperties: CodeKeywordDefinition = {
  keyword: 'unevaluatedProperties',
  type: 'object',
  schemaType: ['boolean', 'object'],
  error: {
    message: 'must NOT have unevaluated properties',
    params: ({ params }) => _`{unevaluatedProperty: ${params.unevaluatedProperty}}`,
  },
  code(context: KeywordCxt) {
    const { gen, schema, data, it } = context;
    const { props } = it;
    if (props === true) return;
    const valid = gen.let('valid', true);
    const check = (): void => {
      gen.forOf('key', _`Object.keys(${data})`, (key) => gen.if(isNew(key), () => checkOne(key)));
    };
    if (props instanceof Name) gen.if(_`${props} !== true`, check);
    else check();
    it.props = true;
    context.ok(valid);

    function isNew(key: Name): Code {
      if (props instanceof Name) return _`!${props} || !Object.hasOwn(${props}, ${key})`;
      const known = Object.entries(props ?? {}).flatMap(([name, isKnown]) => (isKnown === true ? [name] : []));
      return _`!${stringify(known)}.includes(${key})`;
    }

    function checkOne(key: Name): void {
      if (schema === false) {
        context.setParams({ unevaluatedProperty: key });
        context.error();
        gen.assign(valid, false);
        return;
      }
      const inner = gen.name('_valid');
      context.subschema({ keyword: 'unevaluatedProperties', dataProp: key, dataPropType: TEXT }, inner);
      gen.if(_`!${inner}`, () => gen.assign(valid, false));
    }
  },
};

/** In decimals: divided as doubles, 19.99 would be no multiple of 0.01. @param divisor above 0. */
function isMultipleOf(value: number, divisor: number): boolean {
  const one = decimalOf(value);
  const other = decimalOf(divisor);
  const shift = one.exponent - other.exponent;
  if (shift >= 0) return (one.digits * 10n ** BigInt(shift)) % other.digits === 0n;
  return one.digits % (other.digits * 10n ** BigInt(-shift)) === 0n;
}

/** A number as `digits` times ten to the power of `exponent`. */
function decimalOf(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

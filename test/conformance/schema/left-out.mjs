/**
 * Cases that are not meant to agree. A schema that is refused by name never accepts or refuses a value by mistake; such a
 * reason holds only where the schema is refused indeed, with these words.
 */
const REFUSED = [
  ['another document is referred to', /references to other documents are not followed/],
  ['`$dynamicRef` is refused by name', /uses `\$dynamicRef`/],
  ['`unevaluatedItems` with `contains` is refused by name', /`unevaluatedItems` together with `contains`/],
  ['an `enum` without values is refused by name', /an `enum` without values/],
  ['regular expressions are those of RE2', /is not valid in RE2/],
  ['a contract is a map, never `true` or `false`', /A map belongs here/],
  ['integers beyond 2^53 - 1 are refused', /is too large to be kept exactly/],
  ['names that reach into the objects of JavaScript are refused', /__proto__|constructor/],
];

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** Answers that differ from the suite's, by what the schema has. */
const OTHERWISE = [
  ['`format` is asserted', ({ schema }, got) => schema.format !== undefined && got === 'invalid'],
  [
    '`default` is filled in',
    ({ file, schema }, got) => file === 'default.json' && hasDefault(schema) && got === 'invalid',
  ],
  ['`$schema` and `$vocabulary` are not read', ({ schema }) => (schema.$schema ?? DRAFT) !== DRAFT],
  ['regular expressions are those of RE2', ({ schema }) => /\\\\s/i.test(JSON.stringify(schema))],
];

/** Why a case is not meant to agree; undefined: it is. */
export function leftOut(group, got, expected) {
  if (got.answer === 'refused') return REFUSED.find(([, words]) => words.test(got.why))?.[0];
  if (got.answer === expected) return undefined;
  return OTHERWISE.find(([, differs]) => differs(group, got.answer))?.[0];
}

function hasDefault({ properties = {} }) {
  return Object.values(properties).some((property) => property.default !== undefined);
}

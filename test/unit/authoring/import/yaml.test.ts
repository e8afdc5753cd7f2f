import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { mergeDefinitions } from '../../../../src/authoring/import/merge-definitions.js';
import { editYaml, renderDefinition } from '../../../../src/authoring/write-yaml.js';
import type { JsonObject } from '../../../../src/contracts/json.js';

const TEXTS = [
  'yes',
  'No',
  'on',
  '~',
  'null',
  '1e3',
  '0x10',
  '2001-01-01',
  '',
  ' ',
  '# a',
  'a #b',
  '- a',
  'a: b',
  '&a',
  '*a',
  '!x',
  '%T',
  '---',
  '\r\n',
  '\u0007',
  '\u202e',
  '\u{e0041}',
  '${{ x }}',
];
const leaf = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
  fc.boolean(),
  fc.constant(null),
);
const name = fc
  .oneof(fc.constantFrom('a', 'b', 'on', 'a b', '- x', '#'), fc.string())
  .filter((key) => key !== '__proto__');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const definition = fc.dictionary(name, value, { maxKeys: 5, noNullPrototype: true }).map((map) => map as JsonObject);

test('any definition is read back unchanged, without invisible characters in the text', () => {
  fc.assert(
    fc.property(definition, (map) => {
      const text = renderDefinition(map, ['A comment.']);
      expect(parse(text)).toEqual(map);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e]/);
    }),
    { numRuns: 300 },
  );
});

test('a text can be edited into any other definition', () => {
  fc.assert(
    fc.property(definition, definition, (before, after) => {
      expect(parse(editYaml(renderDefinition(before, ['Mine.']), after))).toEqual(after);
    }),
    { numRuns: 300 },
  );
});

describe('a merge', () => {
  test('takes any change that only one side made', () => {
    fc.assert(
      fc.property(definition, definition, (base, other) => {
        expect(mergeDefinitions(base, base, other)).toEqual({ value: other, conflicts: [] });
        expect(mergeDefinitions(base, other, base)).toEqual({ value: other, conflicts: [] });
        expect(mergeDefinitions(base, other, other)).toEqual({ value: other, conflicts: [] });
      }),
    );
  });

  test('keeps what people wrote where it reports a conflict, and overwrites it only if requested', () => {
    const base = { a: { x: 1, y: 1 }, l: [1] };
    const mine = { a: { x: 2, y: 1, z: 1 }, l: [2] };
    const theirs = { a: { x: 3, y: 4 }, l: [3], n: 1 };
    expect(mergeDefinitions(base, mine, theirs)).toEqual({
      value: { a: { x: 2, y: 4, z: 1 }, l: [2], n: 1 },
      conflicts: [
        { at: 'a.x', mine: 2, theirs: 3 },
        { at: 'l', mine: [2], theirs: [3] },
      ],
    });
    expect(mergeDefinitions(base, mine, theirs, true).value).toEqual({ a: { x: 3, y: 4, z: 1 }, l: [3], n: 1 });
  });
});

test('comments above a removed key move above the next one', () => {
  expect(editYaml('a: 1\n# why\nb: 2\n# also\nc: 3 # three\n', { a: 1, c: 4, d: 'x' })).toBe(
    'a: 1\n# why\n# also\nc: 4 # three\nd: x\n',
  );
});

test('strings that other parsers read as booleans are quoted, and numbers are written in full', () => {
  const text = renderDefinition({ a: 'yes', b: 1e21, c: 1e-7, d: 'yesterday', e: 1.5 }, []);
  expect(text).toBe('a: "yes"\nb: 1000000000000000000000\nc: 0.0000001\nd: yesterday\ne: 1.5\n');
});

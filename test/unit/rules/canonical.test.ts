import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, digestOf } from '../../../src/rules/canonical.js';

describe('RFC 8785', () => {
  test('the example of section 3.2.3: keys sorted, numbers and strings as ECMAScript writes them', () => {
    const value: unknown = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`);
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test('the example of section 3.2.3: keys are sorted by their UTF-16 code units', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(Object.values(JSON.parse(canonicalJson(value)) as object)).toEqual([
      'One',
      'Carriage Return',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
    expect(canonicalJson(value).indexOf('"\\r"')).toBeLessThan(canonicalJson(value).indexOf('"1"'));
  });

  test.each([
    [0, '0'],
    [-0, '0'],
    [1e21, '1e+21'],
    [5e-324, '5e-324'],
    [9007199254740992, '9007199254740992'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
  ])('the number %d is written as %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});

describe('digest', () => {
  test('it is the SHA-256 of the canonical text', () => {
    const value = { b: ['ü', 1], a: null };
    expect(digestOf(value)).toBe(createHash('sha256').update('{"a":null,"b":["ü",1]}').digest('hex'));
  });

  test('it does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(digestOf(reversed)).toBe(digestOf(value));
      }),
    );
  });

  test('it depends on the order of a list', () => {
    expect(digestOf([1, 2])).not.toBe(digestOf([2, 1]));
  });
});

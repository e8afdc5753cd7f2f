import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { duplicateKeys } from '../../../../src/text/lossless-json/replace-parts.js';

describe('duplicateKeys', () => {
  test.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"\\u0061":2,"a":3}', ['a']],
    ['[{"a":{"b":1,"c":2,"b":3}},{"d":[],"d":{}}]', ['b', 'd']],
    ['{"a":1,"b":{"a":1},"c":["a","a",{"a":1}]}', []],
    ['{"a":"{\\"b\\":1,\\"b\\":2}","\\\\":1,"\\"":"\\\\"}', []],
    ['{"":1,"":2}', ['']],
    ['"a"', []],
    ['["a","a"]', []],
    ['{"a":["b","b"],"c":[{"d":1,"d":2},"e","e"]}', ['d']],
    ['{ "a" : [1, {}] , "b":"}", "a" :2 }', ['a']],
  ])('finds in %s: %j', (json, keys) => {
    expect(duplicateKeys(json)).toEqual(keys);
  });

  test('finds none in valid output of JSON.stringify, however nested and escaped', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        expect(duplicateKeys(JSON.stringify(value, null, indent))).toEqual([]);
      }),
    );
  });

  test('reads a long text quickly', () => {
    const long = `{"a":"${'\\"x'.repeat(300_000)}","a":1}`;
    expect(duplicateKeys(long)).toEqual(['a']);
  });
});

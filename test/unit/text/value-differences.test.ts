import { describe, expect, test } from 'vitest';
import { findDifferences } from '../../../src/text/value-differences.js';

describe('two values', () => {
  test('that are equal have no differences, whatever the order of their keys', () => {
    expect(findDifferences('output', { a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] })).toEqual([]);
  });

  test.each([
    ['a scalar', 1, 2, [{ at: 'output', expected: 1, actual: 2 }]],
    ['a type', '1', 1, [{ at: 'output', expected: '1', actual: 1 }]],
    ['null and nothing', null, undefined, [{ at: 'output', expected: null, actual: undefined }]],
    ['a map and a list', {}, [], [{ at: 'output', expected: {}, actual: [] }]],
    ['a member', { a: { b: 1 } }, { a: { b: 2 } }, [{ at: 'output.a.b', expected: 1, actual: 2 }]],
    ['a member too few', { a: 1 }, {}, [{ at: 'output.a', expected: 1, actual: undefined }]],
    ['a member too many', {}, { a: 1 }, [{ at: 'output.a', expected: undefined, actual: 1 }]],
    ['an item', [1, 2], [1, 3], [{ at: 'output[1]', expected: 2, actual: 3 }]],
    ['an item too few', [1, 2], [1], [{ at: 'output[1]', expected: 2, actual: undefined }]],
    ['an item too many', [1], [1, 2], [{ at: 'output[1]', expected: undefined, actual: 2 }]],
    ['a name of every object', { a: 1 }, JSON.parse('{"a":1,"toString":1}'), [{ at: 'output.toString', actual: 1 }]],
  ])('that differ in %s are distinguished at that place', (_, expected, actual, differences) => {
    expect(findDifferences('output', expected, actual)).toEqual(
      differences.map((difference) => Object.assign({ expected: undefined, actual: undefined }, difference)),
    );
  });

  test('of which one is compared in part may have more members, at any depth, but no more items', () => {
    expect(findDifferences('with', { a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 }, true)).toEqual([]);
    expect(findDifferences('with', { a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] }, true)).toEqual([]);
    expect(findDifferences('with', [1], [1, 2], true)).toHaveLength(1);
    expect(findDifferences('with', { a: 1 }, { b: 1 }, true)).toHaveLength(1);
  });
});

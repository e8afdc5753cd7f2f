import { describe, expect, test } from 'vitest';
import { findFlows, type Work } from '../../../../src/authoring/harvest/find-flows.js';

const work = (id: string, ...calls: string[]): Work => ({ id, calls: calls.map((ability) => ({ ability })) });
const found = (works: Work[], least = 3) =>
  findFlows(works, least).map(({ calls, order, times }) => [calls.join(' '), order, times]);

describe('calls that followed each other (R-000-94)', () => {
  test('are a flow if they occur in enough pieces of work', () => {
    const works = ['1', '2', '3'].map((id) => work(id, 'a', 'b'));
    expect(found(works)).toEqual([['a b', 'fixed', 3]]);
    expect(found(works.slice(1))).toEqual([]);
  });

  test('count once for each piece of work, and a repeated call is another attempt', () => {
    expect(found([work('1', 'a', 'b', 'a', 'b', 'a', 'b'), work('2', 'a', 'a', 'b', 'b')], 2)).toEqual([
      ['a b', 'fixed', 2],
    ]);
  });

  test('with another call between them are not a flow', () => {
    expect(found(['1', '2', '3'].map((id) => work(id, 'a', `x${id}`, 'b')))).toEqual([]);
  });

  test('are fixed if nearly all have one order, and varied otherwise', () => {
    const ten = Array.from({ length: 10 }, (_, at) => (at < 8 ? work(`${at}`, 'a', 'b') : work(`${at}`, 'b', 'a')));
    expect(found(ten)).toEqual([['a b', 'fixed', 10]]);
    expect(found([...ten, work('x', 'b', 'a')])).toEqual([['a b', 'varied', 11]]);
  });

  test('replace their parts, except for those that often occur alone', () => {
    const long = ['1', '2', '3'].map((id) => work(id, 'a', 'b', 'c'));
    expect(found(long)).toEqual([['a b c', 'fixed', 3]]);
    const alone = ['4', '5', '6'].map((id) => work(id, 'b', 'c'));
    expect(found([...long, ...alone])).toEqual([
      ['b c', 'fixed', 6],
      ['a b c', 'fixed', 3],
    ]);
  });
});

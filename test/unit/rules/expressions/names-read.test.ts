import { expect, test } from 'vitest';
import { compileExpression } from '../../../../src/rules/expressions/evaluate.js';

const read = (source: string) =>
  compileExpression(source).references.map(({ name, path }) => [name, ...path].join('.'));

test.each([
  ['a.b.c + d', ['a.b.c', 'd']],
  ['a.?b.c.orValue(d)', ['a.b.c', 'd']],
  ['a["b"].c + a[d].e', ['a', 'a', 'd']],
  ['a.contains(b) && b.startsWith(a.c)', ['a', 'b', 'b', 'a.c']],
  ['rows.map(r, r.id + base.id)', ['rows', 'base.id']],
  ['rows.map(r, r.ok, r.id)', ['rows']],
  ['rows.all(r, rows.exists(s, s.id == r.id))', ['rows', 'rows']],
  ['has(a.b) && size(a.c) > 0', ['a.b', 'a.c']],
  ['type(a) == int && optional.of(b).hasValue()', ['a', 'b']],
  ['{a: b, "c": [d]}', ['a', 'b', 'd']],
  ['a ? b : !c', ['a', 'b', 'c']],
  ['1 + 2', []],
])('%s reads the names %j', (source, names) => {
  expect(read(source).sort()).toEqual([...names].sort());
});

test('the functions of an expression are listed wherever they are called, but methods are not', () => {
  const { functions } = compileExpression('[uuid()].map(u, string(now()) + u).size() > int("1")');
  expect([...functions].sort()).toEqual(['int', 'now', 'string', 'uuid']);
  expect(compileExpression('a.size()').functions).toEqual([]);
});

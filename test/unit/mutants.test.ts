import { expect, test } from 'vitest';
import { findMutants, plantSwitches } from '../../scripts/mutants/find-mutants.mjs';

/** The mutations that are found in a function with this body. */
const changesIn = (body: string): string[] =>
  findMutants(`const f = (a: any, b: any) => { ${body} };`).map(({ change }) => change);

test.each([
  ['if (a) return;', ['condition negated']],
  ['if (a === b) return;', ['=== -> !==']],
  ['return a && b;', ['&& -> ||']],
  ['return a < b ? 1 : 2;', ['condition negated', '< -> <=']],
  ['return a >= b;', ['>= -> >']],
  ['return a + b - 1;', ['- -> +', '+ -> -']],
  ['return a ?? b;', ['?? dropped']],
  ['return true;', ['true -> false']],
  ['return a.some(b);', ['some -> every']],
  ['return a?.every(b);', ['every -> some']],
  ['a.push(b); await a();', ['call removed', 'call removed']],
])('%s has the mutants %j', (body, changes) => {
  expect(changesIn(body.includes('await') ? `(async () => { ${body} })` : body)).toEqual(changes);
});

test.each([
  'const x: true | false = a as true;',
  'return `${a}` + b;',
  "return 'x' + a;",
  'return a * b;',
  'log.info(a + 1, a ? 1 : 2);',
  'return a.toString();',
])('types, texts and log output have none: %s', (body) => {
  expect(changesIn(body)).toEqual([]);
});

test('code that runs once, when its module is loaded, has none: it could not be switched', () => {
  expect(findMutants('const a = process.pid > 1 ? true : false; start();')).toEqual([]);
});

test('the call of a parent constructor has none, since no class works without it', () => {
  expect(findMutants('class A extends B { constructor(private a: any) { super(); } }')).toEqual([]);
});

test('a mutant knows its line', () => {
  expect(findMutants('function f(a) {\n  return (\n    a < 1\n  );\n}')).toMatchObject([
    { line: 3, change: '< -> <=' },
  ]);
});

/** The results of a function with each of its mutants, then with none. */
function runWithEach(source: string, ...args: unknown[]): unknown[] {
  const mutants = findMutants(`const f = ${source}`).map((mutant, id) => ({ id, ...mutant }));
  const planted = plantSwitches(`const f = ${source}`, mutants);
  const switches = globalThis as { __mutant?: (id: number) => boolean };
  const before = switches.__mutant;
  try {
    return [...mutants.map(({ id }) => id), undefined].map((on) => {
      switches.__mutant = (id) => id === on;
      return new Function(`${planted}; return f`)()(...args);
    });
  } finally {
    if (before) switches.__mutant = before;
    else delete switches.__mutant;
  }
}

test.each<[string, unknown[], unknown[]]>([
  ['(a, b) => { return a && b; }', [1, 2], [1, 2]],
  ['(a, b) => { return a || b && true; }', [0, 2], [0, 2, false, true]],
  ['(a, b) => { return (a ?? b) - 1; }', [5, 2], [6, 4, 4]],
  ['(a) => { return a.some((x) => x > 1) ? 1 : 2; }', [[1, 2]], [2, 2, 1, 1]],
  ['(a) => { return a?.every((x) => x); }', [[0, 1]], [true, false]],
  ['(a) => { a.push(1); return a.length; }', [[]], [0, 1]],
])('%s of %j returns %j with each mutant, and then without one', (source, args, outcomes) => {
  expect(runWithEach(source, ...structuredClone(args))).toEqual(outcomes);
});

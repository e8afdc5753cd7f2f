import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/contracts/json.js';
import {
  evaluateExpressionPartially,
  evaluateMapPartially,
  evaluateTemplatePartially,
  hide,
} from '../../../../src/planning/preview/partial-evaluation.js';
import { compileExpression } from '../../../../src/rules/expressions/evaluate.js';

const steps: JsonObject = { done: { status: 'succeeded', output: { n: 2 } } };
hide(steps, 'later', 'steps.later');
const input: JsonObject = { name: 'x' };
hide(input, 'email', 'steps.seed');
const known = { values: { input, steps }, unknown: new Map([['item', 'the item']]) };

describe('what is certain before a run', () => {
  test.each([
    ['input.name == "x"', true],
    ['steps.done.output.n + 1', 3],
    ['has(input.absent)', false],
    ['false && steps.later.output.ok', false],
    ['steps.later.output.ok && false', false],
    ['true || item == 1 || true', undefined],
    ['input.name == "x" || steps.later.output.ok', true],
  ])('%s gives %j', (source, value) => {
    const found = evaluateExpressionPartially(source, known);
    expect(found).toEqual(value === undefined ? { is: 'open', depends_on: ['the item'] } : { is: 'known', value });
  });

  test.each([
    ['steps.later.output.ok', ['steps.later']],
    ['has(steps.later.output)', ['steps.later']],
    ['has(input.email)', ['steps.seed']],
    ['input.?email.orValue("a")', ['steps.seed']],
    ['input', ['steps.seed']],
    ['steps', ['steps.later']],
    ['item + 1', ['the item']],
    ['now() > timestamp("2020-01-01T00:00:00Z")', ['the moment of the run']],
    ['uuid()', ['chance']],
  ])('%s depends on %j', (source, depends_on) => {
    expect(evaluateExpressionPartially(source, known)).toEqual({ is: 'open', depends_on });
  });

  test.each([['input.absent'], ['1 +'], ['input.name + 1']])('%s is certain to fail', (source) => {
    expect(evaluateExpressionPartially(source, known)).toMatchObject({
      is: 'failing',
      problem: { code: expect.stringMatching(/^expression\./) },
    });
  });

  test('a name that a macro binds is not that of an enclosing loop', () => {
    expect(evaluateExpressionPartially('[1, 2].map(item, item * 2)', known)).toEqual({ is: 'known', value: [2, 4] });
  });
});

describe('the value of a template', () => {
  test('is known as a whole, or depends on what its parts depend on', () => {
    expect(evaluateTemplatePartially(['a ${{ input.name }}', 1], known)).toEqual({ is: 'known', value: ['a x', 1] });
    expect(evaluateTemplatePartially({ a: { b: ['${{ steps.later.output }}'] } }, known)).toEqual({
      is: 'open',
      depends_on: ['steps.later'],
    });
  });

  test('that is a map is known member by member, and expressions can read the known members', () => {
    const map = evaluateMapPartially(
      { name: '${{ input.name }}', mail: '${{ steps.later.output }}', none: '${{ input.?absent }}' },
      known,
    );
    expect(map.shown).toEqual({ name: 'x', mail: '${{ steps.later.output }}' });
    expect(map.open).toEqual({ mail: ['steps.later'] });
    const inside = { values: { input: map.value }, unknown: new Map<string, string>() };
    expect(evaluateExpressionPartially('input.name', inside)).toEqual({ is: 'known', value: 'x' });
    expect(evaluateExpressionPartially('has(input.none)', inside)).toEqual({ is: 'known', value: false });
    expect(evaluateExpressionPartially('input.mail', inside)).toEqual({ is: 'open', depends_on: ['steps.later'] });
  });

  test('that is certain to fail is reported, and stays unknown', () => {
    const map = evaluateMapPartially({ name: '${{ input.absent }}' }, known);
    expect(map.problem?.code).toBe('expression.failed');
    expect(map.open).toEqual({});
  });
});

test('what is predicted is what happens, whatever the run yields', () => {
  const leaf = fc.constantFrom(
    ...[
      'input.yes',
      'input.no',
      'input.later',
      'steps.a.ok',
      'has(input.gone)',
      'has(input.later)',
      'true',
      'input.gone',
    ],
  );
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `(${a} && ${b})`),
      fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `(${a} || ${b})`),
      tie('tree').map((a) => `!(${a})`),
      fc.tuple(tie('tree'), tie('tree'), tie('tree')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `([${a}, ${b}].exists(x, x))`),
    ),
  }));
  const before: JsonObject = { yes: true, no: false };
  const unseen: JsonObject = {};
  hide(before, 'later', 'later');
  hide(unseen, 'a', 'a');
  fc.assert(
    fc.property(tree, (source) => {
      const found = evaluateExpressionPartially(source, {
        values: { input: before, steps: unseen },
        unknown: new Map(),
      });
      if (found.is === 'open') return;
      for (const later of [true, false, undefined]) {
        for (const ok of [true, false, undefined]) {
          const input: JsonObject = { yes: true, no: false, ...(later !== undefined && { later }) };
          const step: JsonObject = ok === undefined ? {} : { ok };
          const values = { input, steps: { a: step } };
          expect(outcomeOf(source, values)).toEqual(found.is === 'known' ? found.value : 'fails');
        }
      }
    }),
    { numRuns: 2000 },
  );
});

function outcomeOf(source: string, values: { [name: string]: JsonObject }) {
  try {
    return compileExpression(source).evaluate({ values });
  } catch {
    return 'fails';
  }
}

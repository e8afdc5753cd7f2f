import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/contracts/plan.js';
import { formatLocation, type Problem } from '../../../src/contracts/problem.js';
import { describeGraph } from '../../../src/planning/graph/describe-graph.js';
import { drawAbility } from '../../../src/planning/graph/draw-ability.js';
import { concurrencyKey } from '../../../src/planning/steps/concurrency-key.js';
import { childPlan } from '../../../src/rules/plans/child-plan.js';
import { errorOf } from '../error-of.js';
import { lowLevel, registryOf, resolved, SCRIPT, SCRIPT_FILE } from '../temporary-project.js';

const FILE = 'registry/high-level/w.yaml';
/** `concurrency` is in line five. */
const files = (concurrency: string) => ({
  'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: { vars: { region: eu } } }\n',
  ...SCRIPT_FILE,
  ...lowLevel('op', SCRIPT),
  [FILE]: `id: w\ntype: workflow\nversion: 1\nsummary: s\nconcurrency: ${concurrency}\nsteps: [{ id: a, call: op }]\n`,
});
const planned = (concurrency: string): Plan => resolved(files(concurrency), 'w').plan;

describe('the plan of a workflow', () => {
  test('has its concurrency with defaults, and nothing about it if there is none', () => {
    expect(planned('{ key: "deploy-${{ input.env }}" }').concurrency).toEqual({
      key: 'deploy-${{ input.env }}',
      limit: 1,
      on_busy: 'wait',
    });
    expect(planned('{ key: k, limit: 3, on_busy: cancel_older }').concurrency).toEqual({
      key: 'k',
      limit: 3,
      on_busy: 'cancel_older',
    });
    const { [FILE]: text, ...others } = files('{ key: k }');
    const plan = resolved({ ...others, [FILE]: String(text).replace(/^concurrency.*$/m, '') }, 'w').plan;
    expect(Object.keys(plan)).not.toContain('concurrency');
  });

  test('that is called has its own concurrency, and never that of its caller', () => {
    const more = {
      'registry/high-level/v.yaml':
        'id: v\ntype: workflow\nversion: 1\nsummary: s\nconcurrency: { key: v }\nsteps: [{ id: a, call: w }]\n',
    };
    const one = resolved({ ...files('{ key: w }'), ...more }, 'v').plan;
    expect([one.concurrency?.key, childPlan(one, 'w').concurrency?.key]).toEqual(['v', 'w']);
    const bare = String(files('{ key: w }')[FILE]).replace(/^concurrency.*$/m, '');
    const other = resolved({ ...files('{ key: w }'), [FILE]: bare, ...more }, 'v').plan;
    expect(childPlan(other, 'w').concurrency).toBeUndefined();
  });
});

describe('a definition is refused, with its location,', () => {
  const broken = (concurrency: string): Problem => registryOf(files(concurrency)).problems[0] as Problem;

  test.each([
    ['deploy', '5:14', /Write a map: `concurrency: \{ key/],
    ['{ limit: 2 }', '5:14', /`key` is missing/],
    ['{ key: 5 }', '5:21', /A key is a text/],
    ['{ key: "" }', '5:21', /A key is a text/],
    ['{ key: k, limit: 0 }', '5:31', /whole number from 1 to 1000 \(it is 0\)/],
    ['{ key: k, limit: 1.5 }', '5:31', /whole number from 1/],
    ['{ key: k, limit: 1001 }', '5:31', /whole number from 1 to 1000/],
    ['{ key: k, limit: many }', '5:31', /whole number from 1/],
    ['{ key: k, limit: "${{ input.n }}" }', '5:31', /whole number from 1/],
    ['{ key: k, on_busy: queue }', '5:33', /One of wait, refuse, cancel_older, newest belongs here/],
    ['{ key: k, group: g }', '5:24', /Unknown key `group`/],
    ['{ key: k, cancel-in-progress: true }', '5:24', /Unknown key `cancel-in-progress`/],
    ['{ key: k, __proto__: {} }', '5:24', /"__proto__" is not allowed/],
  ])('for %s', (concurrency, place, message) => {
    const problem = broken(concurrency);
    expect(problem.message).toMatch(message);
    expect(problem.code).toBe('definition.invalid');
    expect(formatLocation(problem.location ?? { file: '' })).toBe(`${FILE}:${place}`);
  });

  test('in the style of another system, with the right form here', () => {
    expect(broken('{ key: k, cancel-in-progress: true }').suggestion).toBe('Set `on_busy: cancel_older`.');
    expect(broken('{ key: k, cancel-in-progress: false }').suggestion).toBe('Set `on_busy: newest`.');
    const open = broken('{ key: k, cancel-in-progress: "${{ input.n }}" }').suggestion;
    expect(open).toBe('Set `on_busy: cancel_older` for true, `on_busy: newest` for false.');
    const text = String(files('{ key: k }')[FILE]).replace('concurrency:', 'mutex:');
    const [problem] = registryOf({ ...files(''), [FILE]: text }).problems;
    expect(problem?.suggestion).toBe('Write `concurrency: { key: .. }` at the top.');
  });

  test.each([
    ['"${{ input. }}"', 'expression.syntax', /not valid/],
    ['"${{ steps.a.output }}"', 'expression.syntax', /`steps` is not defined/],
    ['"${{ task.key }}"', 'expression.syntax', /`task` is not defined/],
    ['"${{ input.x"', 'expression.syntax', /no closing/],
    ['"{{ input.x }}"', 'definition.invalid', /is not a template here/],
    ['"k-${{ now() }}"', 'definition.invalid', /now\(\)/],
    ['"k-${{ [1].map(x, uuid())[0] }}"', 'definition.invalid', /uuid\(\)/],
  ])('for the key %s', (key, code, message) => {
    const error = errorOf(() => planned(`{ key: ${key} }`));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(formatLocation(error.location ?? { file: '' })).toBe(`${FILE}:5:21`);
  });
});

describe('the key of a task', () => {
  const keyOf = (template: string, input = {}): string => concurrencyKey(template, input, planned('{ key: k }'));

  test('is built from its input and its environment', () => {
    expect(keyOf('deploy-${{ input.env }}', { env: 'prod' })).toBe('deploy-prod');
    expect(keyOf('${{ environment.name }}-${{ environment.vars.region }}')).toBe('dev-eu');
    expect(keyOf('${{ input.n }}', { n: 5 })).toBe('5');
    expect(keyOf('literal')).toBe('literal');
  });

  test.each([
    ['${{ input.list }}', /gives \[1\], which is no text/],
    ['${{ input.?missing }}', /gives null/],
    ['${{ input.empty }}', /empty text/],
    ['${{ input.long }}', /more than 500 characters/],
  ])('%s is not a key', (template, message) => {
    const error = errorOf(() => keyOf(template, { list: [1], empty: ' ', long: 'x'.repeat(501) }));
    expect(error).toMatchObject({ code: 'expression.not_text', message: expect.stringMatching(message) });
  });

  test('that refers to a missing value is an error', () => {
    expect(errorOf(() => keyOf('x-${{ input.missing }}'))).toMatchObject({ code: 'expression.failed' });
  });
});

test('the graph states what happens to other tasks', () => {
  const registry = registryOf(files('{ key: "deploy-${{ input.env }}", limit: 2, on_busy: refuse }'));
  const { subject } = describeGraph(registry, 'w', 'dev', true);
  expect(drawAbility(subject)).toMatch(/at most 2 at once with the key deploy-.*others are refused/);
});

import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../../src/contracts/plan.js';
import type { AbilityError } from '../../../../src/contracts/problem.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, resolved, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

function planned(yaml: string): Plan {
  const files = {
    'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {} }\npeople: { managers: [alice, bob] }\n',
    ...SCRIPT_FILE,
    ...lowLevel('db.read', SCRIPT),
    ...lowLevel('db.write', SCRIPT),
    'registry/high-level/w.yaml': `id: w\ntype: workflow\nversion: 1\nsummary: s\n${yaml}\n`,
  };
  return resolved(files, 'w').plan;
}
/** One step `a`, which is in line 6, and whatever comes after it. */
const step = (yaml: string, more = ''): string => `steps:\n  - { id: a, ${yaml} }\n${more}`;
const refused = (yaml: string): AbilityError => errorOf(() => planned(yaml));

describe('steps as the interpreter reads them', () => {
  test('a step with a clean-up states whether an `end` may leave it, and no other step does', () => {
    const clean = 'finally: [{ id: c, call: db.read }]';
    const marked = (yaml: string) => planned(step(yaml)).steps[0]?.fails_end;
    expect(marked(`steps: [{ id: b, parallel: { e: { end: {} } } }], ${clean}`)).toBe(true);
    expect(marked(`call: db.read, on_error: [{ steps: [{ id: e, end: {} }] }], ${clean}`)).toBe(true);
    expect(marked(`end: {}, ${clean}`)).toBe(true);
    expect(marked(`call: db.read, ${clean}`)).toBeUndefined();
    expect(marked('steps: [{ id: e, end: {} }]')).toBeUndefined();
    expect(marked('call: db.read, finally: [{ id: e, end: {} }]')).toBeUndefined();
  });

  test('each verb', () => {
    const { steps } = planned(
      [
        'steps:',
        '  - { id: a, call: db.read, with: { id: "${{ input.id }}" }, retry: { attempts: 2, errors: [timeout] } }',
        '  - { id: b, approval: { title: Go?, approvers: [managers, carol], quorum: 2, timeout: 1h, comment: required } }',
        '  - { id: c, parallel: { d: { call: db.read }, e: { end: {} } } }',
        '  - { id: f, steps: [{ id: g, let: { x: 1 } }] }',
        '  - { id: h, fail: { code: too_many, message: "No" } }',
        '  - { id: i, end: { output: 3 } }',
      ].join('\n'),
    );
    expect(steps).toEqual([
      {
        id: 'a',
        verb: 'call',
        call: 'db.read',
        with: { id: '${{ input.id }}' },
        retry: { attempts: 2, first: '1s', factor: 2, max: '30s', errors: ['timeout'] },
      },
      {
        id: 'b',
        verb: 'approval',
        approval: {
          title: 'Go?',
          approvers: { listed: ['managers', 'carol'], people: ['alice', 'bob', 'carol'], groups: ['managers'] },
          quorum: 2,
          expires: '1h',
          comment: 'required',
        },
      },
      {
        id: 'c',
        verb: 'parallel',
        branches: [
          { id: 'd', verb: 'call', call: 'db.read', with: {} },
          { id: 'e', verb: 'end', end: { output: null } },
        ],
      },
      { id: 'f', verb: 'steps', steps: [{ id: 'g', verb: 'let', let: { x: 1 } }] },
      { id: 'h', verb: 'fail', fail: { code: 'too_many', message: 'No' } },
      { id: 'i', verb: 'end', end: { output: 3 } },
    ]);
  });

  test('each modifier', () => {
    const yaml = step(
      'call: db.read, if: "input.x > 1", timeout: 20s, continue_on_error: true, finally: [{ id: z, call: db.write }]',
    );
    expect(planned(yaml).steps[0]).toMatchObject({
      if: 'input.x > 1',
      timeout: '20s',
      continue_on_error: true,
      finally: [{ id: 'z', call: 'db.write' }],
    });
  });

  test('a condition that YAML reads as a boolean is the expression `true` or `false`', () => {
    expect(planned(step('call: db.read, if: true')).steps[0]?.if).toBe('true');
  });

  test('limits and durations may be expressions', () => {
    const yaml = step('call: db.read, timeout: "${{ input.timeout }}", retry: { first: "${{ input.first }}" }');
    expect(planned(yaml).steps[0]).toMatchObject({
      timeout: '${{ input.timeout }}',
      retry: { first: '${{ input.first }}' },
    });
  });

  test('by default there are three attempts, after one second and then twice as long, up to thirty', () => {
    expect(planned(step('call: db.read, retry: {}')).steps[0]).toMatchObject({
      retry: { attempts: 3, first: '1s', factor: 2, max: '30s' },
    });
  });

  test('by default an approval waits a day', () => {
    expect(planned(step('approval: { title: Go? }')).steps[0]).toMatchObject({
      approval: { title: 'Go?', expires: '24h', comment: 'optional' },
    });
  });
});

describe('ids', () => {
  test.each([
    ['in one list', 'steps: [{ id: a, call: db.read }, { id: a, call: db.read }]'],
    ['in a group', 'steps: [{ id: a, steps: [{ id: a, call: db.read }] }]'],
    ['as a branch', 'steps: [{ id: a, parallel: { a: { call: db.read } } }]'],
    ['in the clean-up of a step', 'steps: [{ id: a, call: db.read, finally: [{ id: a, call: db.read }] }]'],
    ['in the clean-up of the workflow', 'steps: [{ id: a, call: db.read }]\nfinally: [{ id: a, call: db.read }]'],
    ['in two groups', 'steps: [{ id: g, steps: [{ id: a, end: {} }] }, { id: h, steps: [{ id: a, end: {} }] }]'],
  ])('are unique in the file: a duplicate %s is refused', (_, yaml) => {
    const error = refused(yaml);
    expect(error.code).toBe('definition.invalid');
    expect(error.message).toMatch(/`a` is used twice/);
    expect(error.location?.column).toBeGreaterThan(1);
  });
});

describe('called abilities', () => {
  test('R-000-19: an operation that is not registered is refused with its location and the nearest name', () => {
    const error = refused(step('call: db.raed'));
    expect(error.code).toBe('definition.unknown_reference');
    expect(error.suggestion).toMatch(/Did you mean db\.read/);
    expect(error.location).toEqual({ file: 'registry/high-level/w.yaml', line: 6, column: 20 });
  });

  test('R-000-38: with a whitelist only the listed operations may be called', () => {
    expect(planned(`operations: [db.read]\n${step('call: db.read')}`).steps).toHaveLength(1);
    const error = refused(`operations: [db.read]\n${step('call: db.write')}`);
    expect(error.code).toBe('definition.invalid');
    expect(error.message).toMatch(/`db\.write` is not among the `operations`/);
  });

  test.each([
    ['a group', 'steps: [{ id: b, call: db.write }]'],
    ['a branch', 'parallel: { b: { call: db.write } }'],
    ['a clean-up', 'call: db.read, finally: [{ id: b, call: db.write }]'],
  ])('the whitelist applies to %s as well', (_, yaml) => {
    expect(refused(`operations: [db.read]\n${step(yaml)}`).message).toMatch(/`db\.write` is not among/);
  });

  test('the input may be one expression, but not a text', () => {
    expect(planned(step('call: db.read, with: "${{ input.row }}"')).steps[0]).toMatchObject({
      with: '${{ input.row }}',
    });
    expect(refused(step('call: db.read, with: "row ${{ input.row }}"')).code).toBe('definition.invalid');
  });
});

describe('expressions', () => {
  test.each([
    [
      'a step that is not there',
      step('call: db.read, with: { x: "${{ steps.sed.output }}" }', '  - { id: seed, call: db.read }'),
      /no step `sed`.*/,
      /Did you mean seed/,
    ],
    [
      'a step named without `steps`',
      step('call: db.read', '  - { id: b, call: db.read, if: "a.x == 1" }'),
      /`a` is not defined/,
      /steps\.a\.output/,
    ],
    [
      'a name that is not there',
      step('call: db.read, if: inputs.x'),
      /`inputs` is not defined/,
      /input, steps, environment, task/,
    ],
    ['a slip of syntax', step('call: db.read, if: "input.x = 1"'), /not valid/, /==/],
    ['an open template', step('call: db.read, with: { x: "${{ input.x" }'), /no closing/, /}}/],
    ['a template in a title', step('approval: { title: "${{ inptu.x }}" }'), /`inptu`/, /Available names:/],
    ['a template in a message', step('fail: { code: oops, message: "${{ inptu.x }}" }'), /`inptu`/, /Available names:/],
    ['a template in named values', step('let: { x: { y: ["${{ inptu.x }}"] } }'), /`inptu`/, /Available names:/],
    ['a template in a time-out', step('call: db.read, timeout: "${{ inptu.x }}"'), /`inptu`/, /Available names:/],
    [
      'a template in the output',
      `${step('call: db.read')}\noutput: { x: "\${{ steps.b.output }}" }`,
      /no step `b`/,
      /./,
    ],
    [
      'a template in the clean-up',
      `${step('call: db.read')}\nfinally: [{ id: z, call: db.read, with: { x: "\${{ inptu }}" } }]`,
      /`inptu`/,
      /Available names:/,
    ],
    ['a function that is not there', step('call: db.read, if: "lower(input.x) == \'a\'"'), /not valid/, /./],
  ])('%s is refused with its location and the right form', (_, yaml, message, suggestion) => {
    const error = refused(yaml);
    expect(error.code).toBe(/no step/.test(error.message) ? 'expression.unknown_step' : 'expression.syntax');
    expect(error.message).toMatch(message);
    expect(error.suggestion ?? 'none').toMatch(suggestion);
    expect(error.location?.line).toBeGreaterThan(5);
  });

  test('names that a macro binds are known inside it', () => {
    expect(planned(step('call: db.read, if: "input.rows.exists(r, r.id == 1)"')).steps).toHaveLength(1);
  });

  test('`finally` may read all steps, because it runs after all of them', () => {
    const yaml = `${step('call: db.read')}\nfinally: [{ id: z, call: db.read, if: "steps.a.status == 'failed'" }]`;
    expect(planned(yaml).finally).toHaveLength(1);
  });
});

describe('an error code of an author', () => {
  test.each(['too_many_regions', 'shop.sold_out', 'test_setup.not_seeded'])('%s is accepted', (code) => {
    expect(planned(step(`fail: { code: ${code}, message: m }`)).steps).toMatchObject([{ fail: { code } }]);
  });

  test.each([
    'guard.denied',
    'http.404',
    'timeout',
    'unavailable.mine',
    'denied',
    'script.exit',
    'approval.x',
    'invalid.x',
  ])('%s, of a reserved family, is refused', (code) => {
    const error = refused(step(`fail: { code: ${code}, message: m }`));
    expect(error.code).toBe('definition.invalid');
    expect(error.location).toEqual({ file: 'registry/high-level/w.yaml', line: 6, column: 28 });
  });
});

test('a `parallel` without branches is refused', () => {
  expect(refused(step('parallel: {}')).message).toMatch(/no branches/);
});

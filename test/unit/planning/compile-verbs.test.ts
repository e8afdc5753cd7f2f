import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/contracts/plan.js';
import { AbilityError } from '../../../src/contracts/problem.js';
import type { ProjectFiles } from '../../fixtures/project-folder.js';
import { errorOf } from '../error-of.js';
import { agent, lowLevel, registryOf, resolved, SCRIPT, SCRIPT_FILE } from '../temporary-project.js';

const workflow = (id: string, yaml: string): ProjectFiles => ({
  [`registry/high-level/${id}.yaml`]: `id: ${id}\ntype: workflow\nversion: 1\nsummary: s\n${yaml}\n`,
});
const tagged = 'implementation: { kind: script, script: { path: scripts/any.mjs }, tags: [high-cost] }';
const FILES: ProjectFiles = {
  'ability.yaml':
    'format: 1\nproject: p\nenvironments: { dev: {}, prod: { approvers: [managers], quorum: 2 } }\npeople: { managers: [alice, bob] }\n',
  ...SCRIPT_FILE,
  ...lowLevel('op', SCRIPT),
  ...lowLevel('destroy', 'effects: destructive', tagged),
  ...workflow('child', 'steps: [{ id: x, call: destroy }]'),
  ...agent(),
};
const planned = (yaml: string, environment = 'dev', more: ProjectFiles = {}): Plan => {
  const files = { ...FILES, ...more, ...workflow('w', yaml) };
  const [problem] = registryOf(files).problems;
  if (problem) throw new AbilityError(problem);
  return resolved(files, 'w', environment).plan;
};
/** One step `a`, which is in line 6, and whatever comes after it. */
const step = (yaml: string, more = ''): string => `steps:\n  - { id: a, ${yaml} }\n${more}`;
const refused = (yaml: string, environment?: string): AbilityError => errorOf(() => planned(yaml, environment));
const inner = 'steps: [{ id: b, call: op }]';

describe('the verbs as the interpreter reads them', () => {
  const call = { id: 'b', verb: 'call', call: 'op', with: {} };

  test.each<[string, string, object]>([
    [
      'a loop over an expression',
      `foreach: input.rows, as: row, ${inner}`,
      { verb: 'foreach', foreach: { expression: 'input.rows' }, as: 'row', max_parallel: 1, steps: [call] },
    ],
    [
      'a loop over a list',
      `foreach: [eu, "\${{ input.us }}"], as: row, index: i, max_parallel: "\${{ input.n }}", on_failure: finish, ${inner}`,
      {
        verb: 'foreach',
        foreach: { list: ['eu', '${{ input.us }}'] },
        as: 'row',
        index: 'i',
        max_parallel: '${{ input.n }}',
        on_failure: 'finish',
        steps: [call],
      },
    ],
    [
      'a race',
      'race: { b: { call: op }, c: { wait: 1s } }',
      { verb: 'race', branches: [call, { id: 'c', verb: 'wait', wait: { for: '1s' } }] },
    ],
    [
      'branches with a limit',
      'parallel: { b: { call: op } }, max_parallel: 2, on_failure: cancel',
      { verb: 'parallel', branches: [call], max_parallel: 2, on_failure: 'cancel' },
    ],
    [
      'a choice',
      `switch: [{ if: input.x, ${inner} }, { else: [{ id: c, end: null }] }]`,
      {
        verb: 'switch',
        cases: [{ if: 'input.x', steps: [call] }, { steps: [{ id: 'c', verb: 'end', end: { output: null } }] }],
      },
    ],
    [
      'a repetition',
      `repeat: { until: "steps.b.output.ready" }, index: turn, ${inner}`,
      {
        verb: 'repeat',
        repeat: { until: 'steps.b.output.ready', every: '0s', max: 100 },
        index: 'turn',
        steps: [call],
      },
    ],
    [
      'a wait for a moment',
      'wait: { until: "timestamp(input.at)" }',
      { verb: 'wait', wait: { until: 'timestamp(input.at)' } },
    ],
    [
      'a wait for a signal',
      'wait: { signal: done, if: signal.ok, timeout: 10m }',
      { verb: 'wait', wait: { signal: 'done', if: 'signal.ok', timeout: '10m' } },
    ],
    [
      'a call that can be taken back',
      'call: op, undo: { call: destroy, with: { id: "${{ steps.a.output.id }}" } }',
      { verb: 'call', call: 'op', with: {}, undo: { call: 'destroy', with: { id: '${{ steps.a.output.id }}' } } },
    ],
    ['a call that may be cut', 'call: op, cut: allowed', { verb: 'call', call: 'op', with: {}, cut: 'allowed' }],
    [
      'handlers',
      `call: op, on_error: [{ errors: [http.409], ${inner}, output: "\${{ steps.b.output }}" }, { rethrow: true }]`,
      {
        verb: 'call',
        call: 'op',
        with: {},
        on_error: [
          { errors: ['http.409'], steps: [call], output: '${{ steps.b.output }}' },
          { steps: [], rethrow: true },
        ],
      },
    ],
    [
      'fields of an approval',
      'approval: { title: Go?, fields: { n: { type: integer, enum: [1, 2] }, t: { type: string, optional: true } } }',
      {
        verb: 'approval',
        approval: {
          title: 'Go?',
          expires: '24h',
          comment: 'optional',
          fields: { n: { type: 'integer', enum: [1, 2] }, t: { type: 'string', optional: true } },
        },
      },
    ],
  ])('%s', (_, yaml, compiled) => {
    expect(planned(step(yaml)).steps[0]).toEqual({ id: 'a', ...compiled });
  });

  test('handlers and limits of the workflow', () => {
    const plan = planned(
      `limits: { max_calls: 7 }\n${step('call: op', 'on_error: [{ steps: [{ id: z, call: op }] }]')}`,
    );
    expect(plan).toMatchObject({ limits: { max_calls: 7 }, on_error: [{ steps: [{ id: 'z' }] }] });
  });
});

describe('ids are unique in the file', () => {
  const again = 'steps: [{ id: a, end: {} }]';
  test.each([
    ['a loop', `foreach: [1], as: x, ${again}`],
    ['a repetition', `repeat: { until: "true" }, ${again}`],
    ['a case', `switch: [{ if: "true", ${again} }]`],
    ['the last case', 'switch: [{ else: [{ id: a, end: {} }] }]'],
    ['a handler', `call: op, on_error: [{ ${again} }]`],
    ['a branch of a race', 'race: { a: { end: {} } }'],
    ['a step of a branch', `race: { b: { ${again} } }`],
  ])('in %s as well', (_, yaml) => {
    expect(refused(step(yaml)).message).toMatch(/`a` is used twice/);
  });

  test('in two cases, and in the handlers of the workflow', () => {
    const twice = 'switch: [{ if: "true", steps: [{ id: b, end: {} }] }, { else: [{ id: b, end: {} }] }]';
    expect(refused(step(twice)).message).toMatch(/`b` is used twice/);
    expect(refused(step('call: op', 'on_error: [{ steps: [{ id: a, end: {} }] }]')).message).toMatch(
      /`a` is used twice/,
    );
  });
});

describe('names of loops', () => {
  test.each([
    ['a name that every expression has', `foreach: [1], as: input, ${inner}`, /`input` is taken/],
    ['the name of the payload of a signal', `foreach: [1], as: signal, ${inner}`, /`signal` is taken/],
    ['the same name for item and index', `foreach: [1], as: x, index: x, ${inner}`, /`x` is taken/],
    [
      'the name of a loop around it',
      `foreach: [1], as: x, steps: [{ id: c, foreach: [1], as: x, ${inner} }]`,
      /`x` is taken/,
    ],
    [
      'an index with the name of a loop around it',
      `foreach: [1], as: x, steps: [{ id: c, repeat: { until: "true" }, index: x, ${inner} }]`,
      /`x` is taken/,
    ],
    ['a type of CEL', `foreach: [1], as: string, ${inner}`, /`string` is a name of CEL/],
    ['a word of CEL', `foreach: [1], as: for, ${inner}`, /`for` is a name of CEL/],
  ])('%s is refused', (_, yaml, message) => {
    const error = refused(step(yaml));
    expect(error.message).toMatch(message);
    expect([error.code, error.suggestion, error.location?.line]).toEqual([
      'definition.invalid',
      'Choose another one.',
      6,
    ]);
  });

  test('two loops next to each other may use the same name', () => {
    const two = `  - { id: c, foreach: [1], as: x, steps: [{ id: d, call: op, with: { x: "\${{ x }}" } }] }\n`;
    expect(planned(step(`foreach: [1], as: x, ${inner}`, two)).steps).toHaveLength(2);
  });

  test('are known inside the loop and nowhere else', () => {
    const uses = (name: string) => `steps: [{ id: b, call: op, with: { x: "\${{ ${name} }}" } }]`;
    expect(planned(step(`foreach: [1], as: row, index: i, ${uses('[row, i]')}`)).steps).toHaveLength(1);
    expect(refused(step(`foreach: row, as: row, ${inner}`)).message).toMatch(/`row` is not defined/);
    const after = '  - { id: c, call: op, if: "row == 1" }\n';
    expect(refused(step(`foreach: [1], as: row, ${inner}`, after)).message).toMatch(/`row` is not defined/);
  });

  test('a label can use the item and its number, and is an expression', () => {
    const labelled = (label: string) => step(`foreach: [1], as: row, index: i, label: "${label}", ${inner}`);
    const label = '${{ row }} ${{ i }}';
    expect(planned(labelled(label)).steps).toMatchObject([{ label }]);
    expect(refused(labelled('${{ other }}')).message).toMatch(/`other` is not defined/);
    const { code, message, suggestion } = refused(labelled('row'));
    expect([code, message]).toEqual(['definition.invalid', '`row` would be the label of every item']);
    expect(suggestion).toContain('${{ host.name }}');
  });

  test('the payload of a signal is known only in the condition of its wait', () => {
    expect(refused(step('wait: { signal: go, timeout: "${{ signal.t }}" }')).message).toMatch(
      /`signal` is not defined/,
    );
  });
});

describe('the output of a turn', () => {
  const loop = `foreach: [1], as: x, steps: [{ id: b, call: op }, { id: c, call: op, if: "steps.b.output.ok" }]`;

  test('can be read inside the turn, and outside it from the output of the loop', () => {
    expect(planned(step(loop, '  - { id: d, call: op, with: { all: "${{ steps.a.output }}" } }\n')).steps).toHaveLength(
      2,
    );
  });

  test.each([
    ['a later step', step(loop, '  - { id: d, call: op, if: "steps.b.output.ok" }\n')],
    ['the output', `${step(loop)}output: "\${{ steps.b.output }}"`],
    ['the clean-up of the loop', step(`${loop}, finally: [{ id: d, call: op, if: "steps.b.output.ok" }]`)],
  ])('is refused in %s', (_, yaml) => {
    const error = refused(yaml);
    expect(error.code).toBe('expression.syntax');
    expect(error.message).toMatch(/`b` runs once for each item/);
    expect(error.suggestion).toMatch(/Use the output of the `foreach`/);
  });

  test('of a `repeat` can be read outside: it is that of the last turn', () => {
    const after = '  - { id: d, call: op, if: "steps.b.output.ok" }\n';
    expect(planned(step(`repeat: { until: "true" }, ${inner}`, after)).steps).toHaveLength(2);
  });
});

describe('impossible definitions', () => {
  test.each([
    [
      'an `else` that is not last',
      'switch: [{ else: [{ id: b, end: {} }] }, { if: "true", steps: [{ id: c, end: {} }] }]',
      /`else` comes last/,
      /never run/,
    ],
    [
      'a handler that rethrows and gives an output',
      'call: op, on_error: [{ rethrow: true, output: 1 }]',
      /rethrows gives no `output`/,
      /Leave one/,
    ],
    [
      'an `undo` that is a workflow',
      'call: op, undo: { call: child }',
      /`undo` calls the workflow `child`/,
      /low-level/,
    ],
    [
      'a workflow that may be cut',
      'call: child, cut: allowed',
      /`cut` is set on a call of the workflow/,
      /inside `child`/,
    ],
    [
      'a workflow that is tried again',
      'call: child, retry: { attempts: 2 }',
      /`retry` is set on a call of the workflow `child`/,
      /a group of steps around the call/,
    ],
    ['an `undo` that is an agent', 'call: op, undo: { call: helper }', /`undo` calls the agent `helper`/, /low-level/],
    ['an agent that may be cut', 'call: helper, cut: allowed', /a call of the agent `helper`/, /^Leave it out\.$/],
    [
      'an agent that is tried again',
      'call: helper, retry: { attempts: 2 }',
      /`retry` is set on a call of the agent `helper`/,
      /^Set it on a group of steps around the call\.$/,
    ],
    ['another value of `cut`', 'call: op, cut: yes', /One of allowed belongs here|allowed/, /./],
    ['a group that may be cut', `cut: allowed, ${inner}`, /Unknown key `cut`/, /at each `call` that may be cut/],
    ['a race that may be cut', 'cut: allowed, race: { b: { call: op } }', /Unknown key `cut`/, /at each `call`/],
    ['a race without branches', 'race: {}', /`race` has no branches/, /./],
  ])('%s is refused with its location', (_, yaml, message, suggestion) => {
    const error = refused(step(yaml));
    expect(error.message).toMatch(message);
    expect(error.suggestion ?? 'none').toMatch(suggestion);
    expect(error).toMatchObject({
      code: 'definition.invalid',
      location: { file: 'registry/high-level/w.yaml', line: 6 },
    });
  });

  test.each([
    ['foreach', `foreach: "\${{ input.x }}", as: x, ${inner}`],
    ['the condition of a case', `switch: [{ if: "\${{ input.x }}", ${inner} }]`],
    ['until', `repeat: { until: "\${{ input.x }}" }, ${inner}`],
    ['wait.until', 'wait: { until: "${{ input.x }}" }'],
    ['wait.if', 'wait: { signal: go, if: "${{ input.x }}" }'],
  ])('a template in %s is refused: bare CEL belongs there', (_, yaml) => {
    expect(refused(step(yaml))).toMatchObject({
      code: 'definition.invalid',
      suggestion: 'Write `input.x`, without ${{ }}.',
      location: { line: 6 },
    });
  });

  test.each([
    ['max_parallel', `foreach: [1], as: x, max_parallel: "\${{ inptu.n }}", ${inner}`],
    ['the list of a loop', `foreach: ["\${{ inptu.n }}"], as: x, ${inner}`],
    ['repeat.every', `repeat: { until: "true", every: "\${{ inptu.n }}" }, ${inner}`],
    ['repeat.max', `repeat: { until: "true", max: "\${{ inptu.n }}" }, ${inner}`],
    ['wait', 'wait: "${{ inptu.n }}"'],
    ['undo.with', 'call: op, undo: { call: op, with: { x: "${{ inptu.n }}" } }'],
    ['the output of a handler', 'call: op, on_error: [{ output: "${{ inptu.n }}" }]'],
    ['a step of a handler', 'call: op, on_error: [{ steps: [{ id: b, call: op, with: { x: "${{ inptu.n }}" } }] }]'],
    ['end', 'end: { output: "${{ inptu.n }}" }'],
  ])('an unknown name is detected in %s', (_, yaml) => {
    expect(refused(step(yaml)).message).toMatch(/`inptu` is not defined/);
  });
});

describe('called abilities', () => {
  test.each([
    ['a child', 'call: child'],
    ['an undo', 'call: op, undo: { call: destroy }'],
    ['a loop', 'foreach: [1], as: x, steps: [{ id: b, call: destroy }]'],
    ['a case', 'switch: [{ if: "true", steps: [{ id: b, call: destroy }] }]'],
    ['a handler', 'call: op, on_error: [{ steps: [{ id: b, call: destroy }] }]'],
  ])('the whitelist applies to %s', (_, yaml) => {
    expect(refused(`operations: [op]\n${step(yaml)}`).message).toMatch(/is not among the `operations`/);
    expect(planned(`operations: [op, destroy, child]\n${step(yaml)}`).steps).toHaveLength(1);
  });

  test('an unknown ability in `undo` is refused with the nearest name', () => {
    expect(refused(step('call: op, undo: { call: destory }')).suggestion).toMatch(/Did you mean destroy/);
  });

  test('a child contributes its steps, its operations, its effects and its tags', () => {
    const plan = planned(step('call: child'));
    expect(Object.keys(plan.operations)).toEqual(['destroy']);
    expect(plan.workflows?.child).toMatchObject({ ability: { id: 'child' }, steps: [{ id: 'x' }] });
    expect(plan.ability).toMatchObject({ effects: 'destructive', tags: ['high-cost'] });
  });

  test('an operation that only undoes is among the operations, and counts for the effects', () => {
    const { operations, ability } = planned(step('call: op, undo: { call: destroy }'));
    expect([Object.keys(operations), ability.effects]).toEqual([['destroy', 'op'], 'destructive']);
  });

  test('a workflow that calls itself is refused, with the location', () => {
    expect(refused(step('call: w'))).toMatchObject({
      code: 'definition.invalid',
      message: 'w calls w: a workflow cannot call itself',
      location: { file: 'registry/high-level/w.yaml', line: 6, column: 20 },
    });
  });

  test('a workflow that calls itself through another one is refused as well', () => {
    const more = workflow('other', step('call: w'));
    const error = errorOf(() => planned(step('call: other'), 'dev', more));
    expect(error.message).toBe('w calls other calls w: a workflow cannot call itself');
    expect(error.location?.file).toBe('registry/high-level/other.yaml');
  });

  test('two paths to the same child are not a cycle', () => {
    const more = workflow('other', step('call: child'));
    const plan = planned(step('call: other', '  - { id: c, call: child }\n'), 'dev', more);
    expect(Object.keys(plan.workflows ?? {}).sort()).toEqual(['child', 'other']);
  });
});

describe('an approval that no one could complete', () => {
  test.each([
    ['more people than are listed', 'approval: { title: x, quorum: 3, approvers: [alice] }', 'dev'],
    ['one person twice', 'approval: { title: x, quorum: 2, approvers: [alice, alice] }', 'dev'],
    ['a group and one of its people', 'approval: { title: x, quorum: 3, approvers: [managers, bob] }', 'dev'],
    ['more than the environment lists', 'approval: { title: x, quorum: 3 }', 'prod'],
    ['fewer than the environment requires', 'approval: { title: x, approvers: [alice] }', 'prod'],
  ])('is refused: %s', (_, yaml, environment) => {
    const error = refused(step(yaml), environment);
    expect(error.message).toMatch(/The approval needs \d people, and only \d .* may give it/);
    expect(error).toMatchObject({ code: 'definition.invalid', location: { line: 6 } });
  });

  test.each([
    ['anyone may give it', 'approval: { title: x, quorum: 3 }', 'dev'],
    ['enough are listed', 'approval: { title: x, quorum: 2, approvers: [managers] }', 'dev'],
  ])('is not the case if %s', (_, yaml, environment) => {
    expect(planned(step(yaml), environment).steps).toHaveLength(1);
  });
});

describe('`retry.if` and `retry.jitter`', () => {
  const retried = (more: string): string => step(`call: op, retry: { attempts: 2${more} }`);
  const retryOf = (yaml: string): unknown => (planned(yaml).steps[0] as { retry?: unknown }).retry;

  test('are in the plan if they are written, and absent otherwise', () => {
    const plain = { attempts: 2, first: '1s', factor: 2, max: '30s' };
    expect(retryOf(retried(', jitter: true, if: "attempt < 2"'))).toEqual({
      ...plain,
      if: 'attempt < 2',
      jitter: true,
    });
    expect(retryOf(retried(''))).toEqual(plain);
  });

  test.each([
    ['steps', 'if: "steps.a.error != null"', /`steps` is not defined .*/, /error, attempt/],
    [
      'the clock',
      'if: now() > timestamp(0)',
      /`now\(\)` is not available in `retry.if`/,
      /only `error` and `attempt` of the failed attempt/,
    ],
    ['a template', `if: "\${{ attempt < 2 }}"`, /bare CEL/, /without/],
  ])('see only the failed attempt: %s', (_, form, message, suggestion) => {
    const error = refused(retried(`, ${form}`));
    expect(error).toMatchObject({
      message: expect.stringMatching(message),
      suggestion: expect.stringMatching(suggestion),
    });
    expect(error.location).toMatchObject({ line: 6 });
  });
});

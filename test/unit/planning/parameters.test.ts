import { describe, expect, test } from 'vitest';
import { operationInput } from '../../../src/planning/resolve/check-parameters.js';
import type { ProjectFiles } from '../../fixtures/project-folder.js';
import { errorOf } from '../error-of.js';
import { lowLevel, resolved, SCRIPT_FILE } from '../temporary-project.js';

const IMPLEMENTATION = (...lines: string[]): string =>
  ['implementation:', '  kind: script', '  script: { path: scripts/any.mjs, timeout_sec: 5 }', ...lines].join('\n');
const PARAMETERS = IMPLEMENTATION(
  '  defaults: { region: eu, dry_run: true, size: { a: 1, b: 2 } }',
  '  overridable: [region]',
);
const CONTRACT = 'input_schema: { type: object, required: [name], properties: { name: { type: string } } }';

const config = (settings: string): ProjectFiles => ({
  'registry/config/c.yaml': `abilities:\n  - id: op\n    environments:\n      dev: ${settings}\n`,
});

function operationOf(files: ProjectFiles, ...lines: string[]) {
  const { plan } = resolved({ ...SCRIPT_FILE, ...lowLevel('op', ...lines), ...files }, 'op');
  const operation = plan.operations.op;
  if (!operation) throw new Error('the plan has no such operation');
  return operation;
}

const refusal = (files: ProjectFiles, ...lines: string[]) => errorOf(() => operationOf(files, ...lines));

describe('R-000-46: default parameters and who may override them', () => {
  const operation = () => operationOf({}, CONTRACT, PARAMETERS);

  test('the input of the caller is laid over a default', () => {
    const input = operationInput(operation(), { name: 'Ada' });
    expect(input).toEqual({ name: 'Ada', region: 'eu', dry_run: true, size: { a: 1, b: 2 } });
  });

  test('an overridable default may be set', () => {
    expect(operationInput(operation(), { name: 'Ada', region: 'us' })).toMatchObject({ region: 'us', dry_run: true });
  });

  test('a default that is not overridable is refused by name', () => {
    const error = errorOf(() => operationInput(operation(), { name: 'Ada', dry_run: false }));
    expect(error).toMatchObject({ code: 'input.invalid', message: expect.stringMatching(/`dry_run` is set by .* op/) });
  });

  test('an equal value is not an override, in whatever order it is written', () => {
    expect(operationInput(operation(), { name: 'Ada', size: { b: 2, a: 1 } })).toMatchObject({ dry_run: true });
  });

  test('without a list of overridable defaults all may be set', () => {
    const free = operationOf({}, CONTRACT, IMPLEMENTATION('  defaults: { region: eu }'));
    expect(operationInput(free, { name: 'Ada', region: 'us' })).toMatchObject({ region: 'us' });
  });

  test('an overridable field without a default is reported with its location', () => {
    const error = refusal({}, CONTRACT, IMPLEMENTATION('  defaults: { a: 1 }', '  overridable: [a, b]'));
    expect(error).toMatchObject({ code: 'definition.invalid', message: expect.stringMatching(/`b` is `overridable`/) });
    expect(error.location?.line).toBe(9);
  });

  test.each([
    ['a value of another type', '  defaults: { name: 5 }'],
    ['a name that the contract does not know', '  defaults: { nmae: Ada }'],
  ])('a default that the contract does not allow is reported when it is planned: %s', (_, line) => {
    const closed = CONTRACT.replace(/ }$/, ', additionalProperties: false }');
    const error = refusal({}, closed, IMPLEMENTATION(line));
    expect(error).toMatchObject({ code: 'definition.invalid', message: expect.stringMatching(/does not fit/) });
    expect(error.location).toMatchObject({ file: 'registry/low-level/op.yaml', line: 8 });
  });

  test('what a contract requires of several fields together is not required of a default', () => {
    const together =
      'input_schema: { oneOf: [{ required: [a] }, { required: [b] }], properties: { c: { type: integer } } }';
    expect(operationOf({}, together, IMPLEMENTATION('  defaults: { c: 1 }')).implementation.defaults).toEqual({ c: 1 });
  });

  test('a step that sets a default that is not overridable is refused at its location, before anything runs', () => {
    const workflow = (value: string): ProjectFiles => ({
      ...SCRIPT_FILE,
      ...lowLevel('op', CONTRACT, PARAMETERS),
      'registry/high-level/w.yaml': `id: w\ntype: workflow\nversion: 1\nsummary: s\nsteps:\n  - id: a\n    call: op\n    with:\n      name: x\n      dry_run: ${value}\n`,
    });
    const error = errorOf(() => resolved(workflow('false'), 'w'));
    expect(error).toMatchObject({ code: 'definition.invalid', message: expect.stringMatching(/`dry_run`/) });
    expect(error.location).toMatchObject({ file: 'registry/high-level/w.yaml', line: 10 });
    expect(resolved(workflow('true'), 'w').plan.ability.id).toBe('w');
  });

  test.each([
    ['of a step', ['steps:', '  - id: a', '    call: op', '    undo:', '      call: kept', '      with:'], 11],
    [
      'of a step deep in others, in the clean-up',
      [
        'steps: [{ id: z, let: {} }]',
        'finally:',
        '  - id: g',
        '    steps:',
        '      - id: a',
        '        call: op',
        '        undo:',
      ].concat(['          call: kept', '          with:']),
      14,
    ],
  ])(
    'an `undo` %s that sets a default that is not overridable is refused at its location, before anything runs',
    (_, above, line) => {
      const indent = ' '.repeat((above.at(-1) ?? '').search(/\S/) + 2);
      const workflow = (value: string): ProjectFiles => ({
        ...SCRIPT_FILE,
        ...lowLevel('op', CONTRACT, IMPLEMENTATION()),
        ...lowLevel('kept', CONTRACT, PARAMETERS),
        'registry/high-level/w.yaml': ['id: w', 'type: workflow', 'version: 1', 'summary: s', ...above]
          .concat([`${indent}dry_run: ${value}`])
          .join('\n'),
      });
      const error = errorOf(() => resolved(workflow('false'), 'w'));
      expect(error).toMatchObject({ code: 'definition.invalid', message: expect.stringMatching(/`dry_run` .* kept$/) });
      expect(error.location).toMatchObject({ file: 'registry/high-level/w.yaml', line });
      expect(resolved(workflow('true'), 'w').plan.ability.id).toBe('w');
    },
  );
});

describe('R-000-51, R-000-53: what an environment sets', () => {
  test('parameters, over those of the implementation, key by key', () => {
    const operation = operationOf(config('{ defaults: { region: us, extra: 1 } }'), CONTRACT, PARAMETERS);
    expect(operation.implementation.defaults).toMatchObject({ region: 'us', dry_run: true, extra: 1 });
    expect(operation.implementation.overridable).toEqual(['region']);
  });

  test('which of them callers may set', () => {
    const operation = operationOf(config('{ overridable: [] }'), CONTRACT, PARAMETERS);
    expect(errorOf(() => operationInput(operation, { name: 'Ada', region: 'us' })).code).toBe('input.invalid');
  });

  test('a parameter that does not fit is reported where the environment sets it', () => {
    const error = refusal(config('{ defaults: { name: 5 } }'), CONTRACT, PARAMETERS);
    expect(error.location).toMatchObject({ file: 'registry/config/c.yaml', line: 4 });
  });

  test('the environment of a script, and its time limit', () => {
    const profiles = { 'registry/config/p.yaml': 'env_profiles: { eu: { set: { REGION: eu } } }' };
    const { implementation } = operationOf(
      { ...config('{ env_profile: eu, timeout_sec: 9 }'), ...profiles },
      PARAMETERS,
    );
    expect(implementation).toMatchObject({ timeout_ms: 9000, script: { env: { set: { REGION: 'eu' } } } });
  });

  test('an unknown profile is reported where it is named', () => {
    const error = refusal(config('{ env_profile: nowhere }'), PARAMETERS);
    expect(error).toMatchObject({ code: 'definition.unknown_reference', location: { file: 'registry/config/c.yaml' } });
  });

  test('prompts, including those of a workflow', () => {
    const { implementation } = operationOf(config('{ prompts: { seed: "Use u-..." } }'), PARAMETERS);
    expect(implementation.prompts).toEqual({ seed: 'Use u-...' });
    const files: ProjectFiles = {
      ...SCRIPT_FILE,
      ...lowLevel('op', PARAMETERS),
      'registry/high-level/w.yaml': 'id: w\ntype: workflow\nversion: 1\nsummary: s\nsteps: [{ id: a, call: op }]\n',
      'registry/config/w.yaml': 'abilities: [{ id: w, environments: { dev: { prompts: { release: Ask first. } } } }]',
    };
    expect(resolved(files, 'w').plan.ability.prompts).toEqual({ release: 'Ask first.' });
  });
});

describe('R-000-37: examples of a workflow', () => {
  const workflow = (examples: string): ProjectFiles => ({
    ...SCRIPT_FILE,
    ...lowLevel('op', PARAMETERS),
    'registry/high-level/w.yaml': [
      'id: w\ntype: workflow\nversion: 1\nsummary: s',
      'input_schema: { type: object, required: [n], properties: { n: { type: integer } } }',
      'output_schema: { type: object, required: [ok] }',
      `examples:\n${examples}`,
      'steps: [{ id: a, call: op }]',
    ].join('\n'),
  });

  test('that fit the schemas are accepted', () => {
    expect(
      resolved(workflow('  - { input: { n: 1 }, output: { ok: true } }\n  - { input: { n: 2 } }'), 'w').plan,
    ).toBeDefined();
  });

  test.each([
    ['an input', '  - { input: { n: 1 } }\n  - { input: { n: one } }', /examples\.1\.input/, 9],
    ['an output', '  - { input: { n: 1 }, output: {} }', /examples\.0\.output.*ok/, 8],
  ])('that do not are reported with their location: %s', (_, examples, message, line) => {
    const error = errorOf(() => resolved(workflow(examples), 'w'));
    expect(error).toMatchObject({
      code: 'definition.invalid',
      message: expect.stringMatching(message),
      location: { line },
    });
  });
});

import { describe, expect, test } from 'vitest';
import type { PlanScript } from '../../../src/contracts/plan.js';
import { errorOf } from '../error-of.js';
import { lowLevel, registryOf, resolved, SCRIPT_FILE } from '../temporary-project.js';

const files = (texts: string, ...lines: string[]) => ({
  ...SCRIPT_FILE,
  ...lowLevel('op', `implementation: { kind: script, script: { path: scripts/any.mjs, ${texts} } }`, ...lines),
});
const plan = (texts: string, ...lines: string[]) => resolved(files(texts, ...lines), 'op').plan;

function script(texts: string, ...lines: string[]): PlanScript {
  const { implementation } = plan(texts, ...lines).operations.op ?? {};
  if (implementation?.kind !== 'script') throw new Error('no script');
  return implementation.script;
}
const refusal = (texts: string) => errorOf(() => plan(texts));
const LINE = { file: 'registry/low-level/op.yaml', line: 4 };

describe('a script whose definition does not state its arguments', () => {
  const USUAL = ['--input', '{input_file}', '--output', '{output_file}'];

  test.each([
    ['env: { A: b }', USUAL],
    ['output: json', USUAL],
    ['output: text', []],
    ['output: lines', []],
    ['output: csv', []],
    ['output: none', []],
    ['stdin: x', []],
  ])('and contains %s gets %j', (texts, args) => {
    expect(script(texts).args).toEqual(args);
  });
});

describe('args', () => {
  test('texts without expressions are in the plan as they are, everything else in the form to be evaluated', () => {
    const args = `--host, "\${{ input.host }}", { if: input.dry, then: [--dry] }, { each: input.tags, as: tag, then: [-t, "\${{ tag }}"] }, { value: "\${{ input.x }}", option: allowed }, { value: -y, option: allowed }`;
    expect(script(`args: [${args}]`).args).toEqual([
      '--host',
      { value: '${{ input.host }}' },
      { if: 'input.dry', items: ['--dry'] },
      { each: 'input.tags', as: 'tag', items: ['-t', { value: '${{ tag }}' }] },
      { value: '${{ input.x }}', option: 'allowed' },
      '-y',
    ]);
  });

  test.each([
    ['a name that is not known', 'args: ["${{ steps.a.output }}"]', 'expression.syntax', /`steps` is not defined/],
    ['in a condition', 'args: [{ if: "a.b", then: [] }]', 'expression.syntax', /`a` is not defined/],
    ['in a list', 'args: [{ each: output, as: x, then: [] }]', 'expression.syntax', /`output` is not defined/],
    [
      'a loop name outside its loop',
      'args: [{ each: "[1]", as: x, then: [] }, "${{ x }}"]',
      'expression.syntax',
      /`x`/,
    ],
    ['what changes with each attempt', 'args: ["${{ uuid() }}"]', 'expression.syntax', /uuid\(\)/],
    ['an expression that is not closed', 'args: ["${{ input.a"]', 'expression.syntax', /closing/],
    ['a template as a condition', 'args: [{ if: "${{ input.a }}", then: [] }]', 'definition.invalid', /bare CEL/],
    [
      'a name in braces that nothing replaces',
      'args: ["{input.a} ${{ input.b }}"]',
      'definition.invalid',
      /\{input\.a\}/,
    ],
    [
      'the name of input for an item',
      'args: [{ each: "[1]", as: input, then: [] }]',
      'definition.invalid',
      /`input` is taken/,
    ],
    [
      'a name of CEL for an item',
      'args: [{ each: "[1]", as: int, then: [] }]',
      'definition.invalid',
      /`int` is a name of CEL/,
    ],
    [
      'a loop name twice',
      'args: [{ each: "[1]", as: x, then: [{ each: "[1]", as: x, then: [] }] }]',
      'definition.invalid',
      /taken/,
    ],
    [
      'an expression in args_template',
      'args_template: "--a ${{ input.a }}"',
      'definition.invalid',
      /\$\{\{ input\.a \}\}/,
    ],
    ['both forms', 'args: [], args_template: ""', 'definition.invalid', /either/],
  ])('%s is refused with its location', (_, texts, code, message) => {
    const error = refusal(texts);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.location).toMatchObject(LINE);
  });

  test.each([
    ['an item of another kind', 'args: [{ unless: input.a, then: [] }]'],
    ['an option that is not allowed but required', 'args: [{ value: a, option: required }]'],
    ['an exit code that is none', 'exit_codes: { 0: ok }'],
    ['an exit code beyond a byte', 'exit_codes: { 256: ok }'],
    ['another meaning of an exit code', 'exit_codes: { 3: fine }'],
    ['another form of output', 'output: xml'],
  ])('%s is not a valid definition', (_, texts) => {
    const [problem] = registryOf(files(texts)).problems;
    expect(problem).toMatchObject({ code: 'definition.invalid', location: { file: LINE.file } });
  });
});

describe('env', () => {
  test('references are secrets, expressions are evaluated for each call, everything else is passed on', () => {
    const { env, variables } = script(
      'env: { A: "env:TOKEN", B: "file:secrets/b", C: "${{ input.c }}", D: "{payload}", E: "{other} \\\\{payload}" }',
    );
    expect(env.secrets).toEqual({ A: 'env:TOKEN', B: 'file:secrets/b' });
    expect(env.set).toEqual({ E: '{other} {payload}' });
    expect(variables).toEqual({ C: '${{ input.c }}', D: '{payload}' });
  });

  test('wins over the profile, however the profile sets the variable', () => {
    const profiles = 'env_profiles: { p: { pass: [A, PATH], set: { B: profile }, secrets: { C: "env:C" } } }\n';
    const project = {
      ...files('env_profile: p, env: { A: "${{ input.a }}", B: own, C: own }'),
      'registry/config/p.yaml': profiles,
    };
    const { implementation } = resolved(project, 'op').plan.operations.op ?? {};
    expect(implementation?.kind === 'script' && implementation.script.env).toEqual({
      pass: ['PATH'],
      set: { B: 'own', C: 'own' },
      secrets: {},
    });
  });

  test.each([
    ['env:1', /env:NAME/],
    ['env:ABILITY_SEAL_KEYS', /keys that seal plans/],
    ['file:.system/keys/a', /keys that seal plans/],
  ])('%s is not a reference, and is not passed on as a text either', (text, message) => {
    const error = refusal(`env: { A: "${text}" }`);
    expect(error).toMatchObject({ code: 'definition.invalid', location: LINE });
    expect(error.message).toMatch(message);
  });
});

describe('output', () => {
  test('is text if no file is named and no schema is written; what was JSON before stays JSON', () => {
    expect(script('args: []').output).toBe('text');
    expect(script('args: []', 'output_schema: {}').output).toBeUndefined();
    expect(script('args: ["{output_file}"]').output).toBeUndefined();
    expect(script('args: [{ if: "true", then: ["--out={output_file}${{ input.a }}"] }]').output).toBeUndefined();
    expect(script('args: [], env: { OUT: "{output_file}" }').output).toBeUndefined();
    expect(script('args_template: "{input_file} {output_file}"').output).toBeUndefined();
    expect(script('timeout_sec: 5').output).toBeUndefined();
    expect(script('args: ["\\\\{output_file}"]').output).toBe('text');
  });

  test('an explicit form wins', () => {
    expect(script('args: [], output: json').output).toBeUndefined();
    for (const form of ['text', 'lines', 'csv', 'none']) {
      expect(script(`output: ${form}`, 'output_schema: {}').output).toBe(form);
    }
  });
});

describe('exit_codes', () => {
  test('are in the plan as written', () => {
    expect(script('exit_codes: { 2: { code: cert.expiring }, 3: ok }').exit_codes).toEqual({
      2: { code: 'cert.expiring' },
      3: 'ok',
    });
  });

  test('a reserved code is refused', () => {
    const error = refusal('exit_codes: { 2: { code: timeout.mine } }');
    expect(error).toMatchObject({ code: 'definition.invalid', location: LINE });
    expect(error.message).toMatch(/family `timeout`, which is reserved for Ability Runtime/);
  });
});

test('stdin is in the plan, and is checked', () => {
  expect(script('stdin: "${{ input.a }} {payload} {x}"').stdin).toBe('${{ input.a }} {payload} {x}');
  expect(refusal('stdin: "${{ inputs.a }}"')).toMatchObject({ code: 'expression.syntax', location: LINE });
});

test('a hook accepts args and env, and refuses the rest', () => {
  const hook = (texts: string) => ({
    ...files('args: []'),
    'registry/hooks/PreAbilityCall.yaml': `hooks:\n  - id: h\n    handler: { script: { path: scripts/any.mjs, ${texts} } }\n    blocking: true\n`,
  });
  const handlers = resolved(hook('args: ["${{ input.a }}"], env: { A: "${{ environment.name }}", B: "env:B" }'), 'op')
    .plan.operations.op?.hooks.pre_call;
  expect(handlers?.[0]?.handler).toMatchObject({
    script: {
      args: [{ value: '${{ input.a }}' }],
      variables: { A: '${{ environment.name }}' },
      env: { secrets: { B: 'env:B' } },
    },
  });
  for (const texts of ['stdin: a', 'output: text', 'exit_codes: { 1: ok }']) {
    expect(registryOf(hook(texts)).problems[0]?.message).toMatch(/Unknown key/);
  }
  expect(errorOf(() => resolved(hook('args: ["{payload} ${{ input.a }}"]'), 'op')).message).toMatch(
    /hook have no placeholder \{payload\}/,
  );
  expect(errorOf(() => resolved(hook('env: { A: "{payload}" }'), 'op')).message).toMatch(
    /hook have no placeholder \{payload\}/,
  );
});

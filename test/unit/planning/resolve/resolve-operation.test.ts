import { describe, expect, test } from 'vitest';
import type { PlanOperation } from '../../../../src/contracts/plan.js';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, resolved, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

const FILES: ProjectFiles = {
  ...SCRIPT_FILE,
  'scripts/other.mjs': '// another',
  'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {}, staging: {}, prod: {} }\n',
};

const document = (id: string, more = ''): ProjectFiles => ({
  [`registry/implementations/${id}.yaml`]: `id: ${id}\noperation_key: op\nkind: script\nscript: { path: scripts/other.mjs }\n${more}`,
});
const config = (...lines: string[]): ProjectFiles => ({
  'registry/config/c.yaml': ['abilities:', '  - id: op', ...lines.map((line) => `    ${line}`)].join('\n'),
});

function operation(files: ProjectFiles, environment = 'dev'): PlanOperation {
  return resolved({ ...FILES, ...files }, 'op', environment).plan.operations.op as PlanOperation;
}
const chosen = (files: ProjectFiles): string => operation(files).implementation.id;

describe('which implementation is chosen', () => {
  test('R-000-26: an operation may have several implementations, of which the inline one is the default', () => {
    expect(chosen({ ...lowLevel('op', SCRIPT), ...document('op.a'), ...document('op.b') })).toBe('op');
  });

  test('R-000-26: the key of an operation does not depend on the names of its file and its implementation, and its version is 1 unless it states another', () => {
    const [yaml = ''] = Object.values(lowLevel('op'));
    const files = { 'registry/low-level/other.yaml': yaml, ...document('by.curl') };
    expect(operation(files)).toMatchObject({ key: 'op', version: 1, implementation: { id: 'by.curl' } });
    const second = { ...files, 'registry/low-level/other.yaml': `${yaml}\nversion: 2\n` };
    expect(operation(second)).toMatchObject({ key: 'op', version: 2 });
  });

  test('R-000-45: the only document for the operation is chosen', () => {
    expect(chosen({ ...lowLevel('op'), ...document('op.a') })).toBe('op.a');
  });

  test('R-000-52: the configuration names the default', () => {
    const files = { ...lowLevel('op', SCRIPT), ...document('op.a'), ...document('op.b') };
    expect(chosen({ ...files, ...config('default_implementation: op.b') })).toBe('op.b');
  });

  test('R-000-52: only what the configuration allows is chosen', () => {
    const files = { ...lowLevel('op', SCRIPT), ...document('op.a'), ...document('op.b') };
    expect(chosen({ ...files, ...config('allowed_implementations: [op.b]') })).toBe('op.b');
  });

  test('R-000-52: what an environment allows or names as default holds in place of what the others have', () => {
    const files = { ...lowLevel('op', SCRIPT), ...document('op.a'), ...document('op.b') };
    const own = (text: string) => `environments: { dev: { ${text} } }`;
    const allowing = config('allowed_implementations: [op.a]', own('allowed_implementations: [op.b]'));
    expect(chosen({ ...files, ...allowing })).toBe('op.b');
    const naming = config('default_implementation: op.a', own('default_implementation: op.b'));
    expect(chosen({ ...files, ...naming })).toBe('op.b');
  });

  test('a default that is not allowed is a contradiction, with its location', () => {
    const files = { ...lowLevel('op', SCRIPT), ...document('op.a') };
    const error = errorOf(() =>
      chosen({ ...files, ...config('default_implementation: op', 'allowed_implementations: [op.a]') }),
    );
    expect(error.code).toBe('config.invalid');
    expect(error.location).toEqual({ file: 'registry/config/c.yaml', line: 3, column: 29 });
  });

  test('an unknown default is refused, with the nearest name', () => {
    const files = { ...lowLevel('op'), ...document('op.fast') };
    const error = errorOf(() => chosen({ ...files, ...config('default_implementation: op.fats') }));
    expect(error.code).toBe('definition.unknown_reference');
    expect(error.suggestion).toBe('Did you mean op.fast?');
  });

  test('several documents without a default are refused, with their names', () => {
    const error = errorOf(() => chosen({ ...lowLevel('op'), ...document('op.a'), ...document('op.b') }));
    expect(error.code).toBe('config.no_implementation');
    expect(error.message).toMatch(/op\.a, op\.b/);
    expect(error.suggestion).toMatch(/default_implementation/);
  });

  test('the lack of an implementation is refused, with how to write one', () => {
    const error = errorOf(() => chosen(lowLevel('op')));
    expect(error.code).toBe('config.no_implementation');
    expect(error.suggestion).toMatch(/implementation/);
  });

  test('an implementation of another operation does not count', () => {
    const other = {
      'registry/implementations/x.yaml': 'id: x\noperation_key: other\nkind: script\nscript: { path: s }\n',
    };
    expect(errorOf(() => chosen({ ...lowLevel('op'), ...other })).code).toBe('config.no_implementation');
  });

  test('R-002-15: an `impl` in the configuration is the default and the only one', () => {
    const impl = config('impl: { kind: script, script: { path: scripts/other.mjs } }');
    const { implementation } = operation({ ...lowLevel('op', SCRIPT), ...document('op.a'), ...impl });
    expect(implementation).toMatchObject({ id: 'op', kind: 'script', script: { path: 'scripts/other.mjs' } });
  });
});

test('R-002-08: .system/registry/config binds a script, its command, its time-out and its profile', () => {
  const yaml = [
    'abilities:',
    '  - id: op',
    '    impl:',
    '      kind: script',
    '      script: { path: scripts/any.mjs, args_template: "-i {input_file}", timeout_sec: 7, env_profile: db }',
    'env_profiles: { db: { pass: [PATH], secrets: { P: "env:P" } } }',
  ].join('\n');
  const { implementation } = operation({
    '.system/registry/low-level/op.yaml': 'operation_key: op\nsummary: s\n',
    '.system/registry/config/abilities.yaml': yaml,
  });
  expect(implementation).toMatchObject({
    timeout_ms: 7000,
    script: {
      path: 'scripts/any.mjs',
      args: ['-i', '{input_file}'],
      env: { pass: ['PATH'], set: {}, secrets: { P: 'env:P' } },
    },
  });
});

test('R-000-46: defaults, what may be overridden, and tags come with the implementation', () => {
  const more = 'defaults: { limit: 10, mode: safe }\noverridable: [limit]\ntags: [experimental, high-cost]\n';
  const { implementation } = operation({ ...lowLevel('op'), ...document('op.a', more) });
  expect(implementation).toMatchObject({
    defaults: { limit: 10, mode: 'safe' },
    overridable: ['limit'],
    tags: ['experimental', 'high-cost'],
  });
});

test('all defaults may be overridden if nothing else is specified', () => {
  const { implementation } = operation({ ...lowLevel('op'), ...document('op.a', 'defaults: { a: 1, b: 2 }\n') });
  expect(implementation.overridable).toEqual(['a', 'b']);
});

describe('scope', () => {
  const scoped = lowLevel('op', 'scope: { modules: [users.api], environments: [dev, staging] }', SCRIPT);

  test('R-000-28: an operation is available in its environments, and in no other', () => {
    expect(operation(scoped, 'staging').modules).toEqual(['users.api']);
    const error = errorOf(() => operation(scoped, 'prod'));
    expect(error.code).toBe('scope.environment');
    expect(error.message).toMatch(/only in dev, staging/);
    expect(error.location?.file).toBe('registry/low-level/op.yaml');
  });

  test('without one it is available everywhere', () => {
    expect(operation(lowLevel('op', SCRIPT), 'prod').key).toBe('op');
  });
});

describe('schemas are checked when a plan is made', () => {
  test.each(['input_schema', 'output_schema'])('%s', (name) => {
    const error = errorOf(() => operation(lowLevel('op', `${name}: { type: objekt }`, SCRIPT)));
    expect(error.code).toBe('definition.invalid');
    expect(error.message).toContain(`\`${name}\``);
    expect(error.location).toMatchObject({ file: 'registry/low-level/op.yaml', line: 4 });
  });
});

describe('a fast operation', () => {
  const fast = (effects: string): boolean =>
    operation({ ...lowLevel('op', `effects: ${effects}`), ...document('op.a', 'tags: [fast]\n') }).fast;

  test.each([
    ['read', true],
    ['write_idempotent', true],
    ['external_read', false],
    ['write_additive', false],
    ['destructive', false],
  ])('with the effect %s runs inside the worker: %s', (effects, is) => {
    expect(fast(effects)).toBe(is);
  });

  test('must have the tag', () => {
    expect(operation(lowLevel('op', SCRIPT)).fast).toBe(false);
  });
});

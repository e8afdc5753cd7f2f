import { describe, expect, test } from 'vitest';
import { errorOf } from '../error-of.js';
import { lowLevel, registryOf, resolved, SCRIPT, SCRIPT_FILE } from '../temporary-project.js';

const HOOKS = 'registry/hooks/PreAbilityCall.yaml';
const IMPL = 'registry/config/hooks_impl.yaml';
const impl = (...ids: string[]): string =>
  `hooks:\n${ids.map((id) => `  - { id: ${id}, impl: { kind: script, script: { path: scripts/${id}.mjs } } }\n`).join('')}`;
const script = { 'scripts/guard.mjs': '// nothing', ...SCRIPT_FILE, ...lowLevel('op', SCRIPT) };
const GUARD = 'hooks: [{ id: guard, blocking: true }]';
const OWN = 'hooks: [{ id: guard, blocking: true, handler: { expression: { deny_if: "true" } } }]';

const plan = (files: Record<string, string>) => () => resolved({ ...script, ...files }, 'op').plan;

describe('R-002-12: config/hooks_impl.yaml', () => {
  test('gives a hook its handler, if the hook has none', () => {
    const [hook] = plan({ [HOOKS]: GUARD, [IMPL]: impl('guard') })().operations.op?.hooks.pre_call ?? [];
    expect(hook).toMatchObject({ id: 'guard', handler: { kind: 'script', script: { path: 'scripts/guard.mjs' } } });
  });

  test('R-002-08: is read in .system/registry/config, for hooks in .system/hooks', () => {
    const [low = ''] = Object.values(lowLevel('op', SCRIPT));
    const files = {
      ...{ 'scripts/guard.mjs': '//', ...SCRIPT_FILE },
      '.system/registry/low-level/op.yaml': low,
      '.system/registry/config/hooks_impl.yaml': impl('guard'),
      '.system/hooks/PreAbilityCall.yaml': GUARD,
    };
    expect(resolved(files, 'op').plan.operations.op?.hooks.pre_call).toHaveLength(1);
  });

  test('a mistake in one of its handlers is reported at its location', () => {
    const error = errorOf(plan({ [HOOKS]: GUARD, [IMPL]: impl('guard').replace('guard.mjs', 'gone.mjs') }));
    expect([error.code, error.location?.file, error.location?.line]).toEqual(['script.missing', IMPL, 2]);
  });

  test.each<[string, string | undefined, string, string, string]>([
    ['has one and nothing says so', undefined, GUARD, 'definition.invalid', HOOKS],
    ['has two', impl('guard'), OWN, 'definition.duplicate', IMPL],
    ['has two there', impl('guard', 'guard'), GUARD, 'definition.duplicate', IMPL],
    ['has its own, and two there', impl('guard', 'guard'), OWN, 'definition.duplicate', IMPL],
    ['has one in a file that is no YAML', 'hooks: [\n', GUARD, 'definition.syntax', IMPL],
    ['has one that is broken', impl('guard').replace('path:', 'paht:'), GUARD, 'definition.invalid', IMPL],
    [
      'is to be answered by an ability that is not there',
      'hooks: [{ id: guard, impl: { ability_id: gone } }]',
      GUARD,
      'definition.unknown_reference',
      IMPL,
    ],
  ])('nothing runs unguarded if a hook %s', (_, apart, hooks, code, file) => {
    const error = errorOf(plan({ [HOOKS]: hooks, ...(apart !== undefined && { [IMPL]: apart }) }));
    expect([error.code, error.location?.file]).toEqual([code, file]);
  });

  test('a broken file blocks nothing if every hook has its own handler', () => {
    const own = OWN.replace('"true"', '"false"');
    expect(plan({ [HOOKS]: own, [IMPL]: 'hooks: [\n' })().ability.id).toBe('op');
  });

  test('a handler of an undefined hook is reported, with a suggestion', () => {
    const { problems } = registryOf({ ...script, [HOOKS]: OWN, [IMPL]: impl('gaurd') });
    expect(problems).toMatchObject([
      {
        code: 'definition.unknown_reference',
        location: { file: IMPL, line: 2 },
        suggestion: expect.stringMatching(/guard/),
      },
    ]);
  });

  test('a problem in it is reported once', () => {
    expect(registryOf({ ...script, [HOOKS]: GUARD, [IMPL]: 'hooks: [\n' }).problems).toHaveLength(1);
  });
});

test('a broken overview of a module is reported, and blocks nothing', () => {
  const files = { ...script, 'modules/overview/users.yaml': 'id: users\nsummary: s\nstatus: old\npath: x\n' };
  expect(registryOf(files).problems).toMatchObject([{ location: { file: 'modules/overview/users.yaml' } }]);
  expect(plan(files)().ability.id).toBe('op');
});

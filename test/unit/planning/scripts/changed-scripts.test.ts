import { expect, test } from 'vitest';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { strictly } from '../../../../src/doors/cli/commands/task/review-definitions.js';
import { resolvePlan } from '../../../../src/planning/resolve/resolve-plan.js';
import { changedScripts } from '../../../../src/planning/scripts/script-files.js';
import { errorOfAsync } from '../../error-of.js';
import { lowLevel, temporaryProject } from '../../temporary-project.js';

const FILES = {
  'scripts/op.mjs': "import { n } from './lib/n.mjs';\nvoid n;\n",
  'scripts/lib/n.mjs': 'export const n = 1;\n',
  'scripts/guard.mjs': '// nothing\n',
  ...lowLevel('op', 'implementation: { kind: script, script: { path: scripts/op.mjs } }'),
  'registry/high-level/flow.yaml':
    'id: flow\ntype: workflow\nsummary: s\nhooks: { pre_call: [guard] }\nsteps: [{ id: a, call: op }]\n',
  'registry/hooks/PreAbilityCall.yaml': 'hooks: [{ id: guard, handler: { script: { path: scripts/guard.mjs } } }]\n',
};

test('a script, its imports and the script of a hook differ if their bytes do', () => {
  const { root, write } = temporaryProject(FILES);
  const { plan } = resolvePlan(loadRegistry(root), 'flow', 'dev');
  expect(changedScripts(root, plan)).toEqual([]);
  write({ 'scripts/lib/n.mjs': 'export const n = 2;\n', 'scripts/guard.mjs': '// something\n' });
  expect(changedScripts(root, plan)).toEqual(['scripts/guard.mjs', 'scripts/lib/n.mjs']);
  write({ 'scripts/op.mjs': '' });
  expect(changedScripts(temporaryProject().root, plan)).toEqual([
    'scripts/guard.mjs',
    'scripts/lib/n.mjs',
    'scripts/op.mjs',
  ]);
});

test('--strict insists on the definitions here, and refuses scripts that differ before anything runs', async () => {
  const { root, write } = temporaryProject(FILES);
  const registry = loadRegistry(root);
  const { plan } = resolvePlan(registry, 'flow', 'dev');
  const formed = { seal: { key_id: 'k', mac: '' }, plan };
  const { registry: digest, review } = strictly({ flags: { strict: true } }, registry);
  expect(digest).toBe(registry.digest);
  await review?.(formed);
  write({ 'scripts/op.mjs': '// other\n' });
  expect(await errorOfAsync(async () => review?.(formed))).toMatchObject({
    code: 'config.registry_differs',
    message: 'Scripts of the worker differ from those here: scripts/op.mjs, and --strict was given',
  });
});

test('without --strict a start insists on nothing', () => {
  expect(strictly({ flags: {} }, loadRegistry(temporaryProject(FILES).root))).toEqual({});
});

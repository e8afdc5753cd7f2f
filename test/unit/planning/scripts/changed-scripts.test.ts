import { expect, test } from 'vitest';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { reviewDefinitions } from '../../../../src/doors/cli/commands/task/review-definitions.js';
import { resolvePlan } from '../../../../src/planning/resolve/resolve-plan.js';
import { changedScripts } from '../../../../src/planning/scripts/changed-scripts.js';
import { NOWHERE } from '../../../fixtures/silent-terminal.js';
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

test('--strict refuses scripts that differ from those here, and only --strict checks them', async () => {
  const { root, write } = temporaryProject(FILES);
  const registry = loadRegistry(root);
  const { plan } = resolvePlan(registry, 'flow', 'dev');
  const review = (strict: boolean, digest = registry.digest) =>
    reviewDefinitions({ ...NOWHERE, flags: { strict } }, registry, { registry: digest, plan });
  await review(true);
  write({ 'scripts/op.mjs': '// other\n' });
  await review(false);
  expect(await errorOfAsync(() => review(true))).toMatchObject({
    code: 'config.registry_differs',
    message: 'Scripts of the worker differ from those here: scripts/op.mjs, and --strict was given',
  });
  expect(await errorOfAsync(() => review(true, 'another'))).toMatchObject({
    message: 'The definitions of the worker differ from those here, and --strict was given',
  });
});

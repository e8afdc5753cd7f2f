import { describe, expect, test } from 'vitest';
import { explainHooks, hookLevelsOf } from '../../../src/planning/hooks/explain-hooks.js';
import { resolveEventHooks } from '../../../src/planning/hooks/resolve-event-hooks.js';
import { errorOf } from '../error-of.js';
import { agent, lowLevel, registryOf, resolved, SCRIPT, SCRIPT_FILE, WITH_MODEL } from '../temporary-project.js';

const guard = (id: string, kinds: string): string =>
  `  - { id: ${id}, blocking: true, match: { kinds: ${kinds} }, handler: { expression: { deny_if: "false" } } }`;

const FILES = {
  ...SCRIPT_FILE,
  'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {} }\n',
  ...lowLevel('op', '', SCRIPT),
  ...lowLevel('web', '', 'implementation: { kind: api, api: { path: / } }'),
  'registry/config/c.yaml':
    'abilities: [{ id: web, environments: { dev: { endpoints: { default: "http://a.test" } } } }]',
  'registry/high-level/flow.yaml': `
id: flow
type: workflow
version: 1
summary: Calls both.
steps:
  - { id: a, call: op }
  - { id: b, call: web }
`,
};
const GUARDS = ['hooks:', guard('scripts', '[script]'), guard('calls', '[api, mcp]'), guard('flows', '[workflow]')];
const CALL = { 'registry/hooks/PreAbilityCall.yaml': GUARDS.join('\n') };

describe('R-000-63: `match.kinds` of a hook', () => {
  test('is filtered when the plan is made: an operation by the kind of its implementation, a workflow as a workflow', () => {
    const { plan } = resolved({ ...FILES, ...CALL }, 'flow', 'dev');
    const ids = (hooks: { id: string }[] | undefined) => hooks?.map(({ id }) => id);
    expect(ids(plan.operations.op?.hooks.pre_call)).toEqual(['scripts']);
    expect(ids(plan.operations.web?.hooks.pre_call)).toEqual(['calls']);
    expect(ids(plan.ability.hooks.pre_call)).toEqual(['flows']);
  });

  test('`hooks list` names the kind that does not fit', () => {
    const files = { ...FILES, ...CALL };
    const { plan } = resolved(files, 'web', 'dev');
    const registry = registryOf(files);
    const hooks = explainHooks(registry, { ...hookLevelsOf(registry, plan), caller: undefined });
    const why = Object.fromEntries(hooks.map((hook) => [hook.id, hook.why]));
    expect(why).toMatchObject({
      calls: 'global: its match fits',
      scripts: 'its match does not fit: kinds script (here: api)',
      flows: 'its match does not fit: kinds workflow (here: api)',
    });
  });

  test('`hooks list` says which hooks an agent binds', () => {
    const files = {
      ...WITH_MODEL,
      ...agent('hooks: { pre_call: [own] }'),
      'registry/hooks/PreAbilityCall.yaml': 'hooks: [{ id: own, handler: { expression: { deny_if: "false" } } }]',
    };
    const registry = registryOf(files);
    const of = { ...hookLevelsOf(registry, resolved(files, 'helper').plan), caller: undefined };
    expect(explainHooks(registry, of)).toMatchObject([
      { id: 'own', order: 1, why: 'bound by registry/high-level/helper.yaml' },
    ]);
  });

  test('an agent cannot answer for a hook, and the message calls it one', () => {
    const handler = 'registry/hooks/PreAbilityCall.yaml';
    const asks = 'hooks: [{ id: own, blocking: true, match: {}, handler: { ability: { key: helper } } }]';
    const error = errorOf(() => resolved({ ...FILES, ...agent(), [handler]: asks }, 'op', 'dev'));
    expect(error.message).toBe('helper is an agent, and cannot answer for the hook own');
  });

  test('an unknown kind is refused, and so is a kind for an event of a session', () => {
    const unknown = { 'registry/hooks/PreAbilityCall.yaml': `hooks:\n${guard('g', '[shell]')}` };
    expect(errorOf(() => resolved({ ...FILES, ...unknown }, 'op', 'dev')).code).toBe('definition.invalid');
    const registry = registryOf({ ...FILES, 'registry/hooks/SessionStop.yaml': `hooks:\n${guard('g', '[script]')}` });
    const error = errorOf(() => resolveEventHooks(registry, 'SessionStop', { environment: 'dev', modules: [] }));
    expect(error.message).toMatch(/matches kinds/);
  });
});

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planDocuments } from '../../../src/authoring/routing-documents/plan-documents.js';
import { decideInProject } from '../../../src/choosing/decide/decide-in-project.js';
import { abilityIds } from '../../../src/definitions/find-ability.js';
import { loadRegistry, RegistryLoader } from '../../../src/definitions/load-registry.js';
import { lintProject } from '../../../src/lint/lint-project.js';
import { abilitiesOf } from '../../../src/operations/list-abilities.js';
import { prune } from '../../../src/operations/prune.js';
import { resolvePlan } from '../../../src/planning/resolve/resolve-plan.js';
import { DECIDING } from '../../../src/planning/route-targets.js';
import { lowLevel, registryOf, SCRIPT, SCRIPT_FILE, temporaryProject, WITH_MODEL } from '../temporary-project.js';

const OWN = 'id: generic\ntype: agent\nsummary: Ours.\ninstructions: Help.\noperations: [op.read]\n';
const READ = { ...SCRIPT_FILE, ...lowLevel('op.read', SCRIPT) };
const agentOf = (files: Record<string, string>) => registryOf(files).agents.get('generic');

describe('R-003-13: the agent `generic`', () => {
  test('exists without being defined, and can run where the project has a model', () => {
    const registry = registryOf(WITH_MODEL);
    expect(abilityIds(registry)).toEqual(['generic']);
    const { plan } = resolvePlan(registry, 'generic', 'dev');
    expect(plan.ability).toMatchObject({ id: 'generic', effects: 'read' });
    expect(abilitiesOf(registry, 'dev', undefined)).toMatchObject([{ id: 'generic', file: 'built-in' }]);
    expect(abilitiesOf(registryOf({}), 'dev', undefined)).toEqual([]);
  });

  test.each(['Do that via sub-agent: summarise these five mails.', 'write 10 different versions of the greeting'])(
    'takes what is delegated in a project without agents: %s',
    async (text) => {
      const place = { registry: registryOf(WITH_MODEL), environment: 'dev', scope: null, env: {} };
      const message = { id: 'm1', role: 'user', text, at: '2026-11-02T10:00:00Z' } as const;
      const { decision } = await decideInProject(place, { key: 'k', messages: [message], pending: null }, DECIDING);
      expect(decision).toMatchObject({ decision: 'delegate', target: { agentId: 'generic' } });
    },
  );

  test('is that of the project where the project defines one', () => {
    const registry = registryOf({ ...WITH_MODEL, ...READ, 'registry/high-level/generic.yaml': OWN });
    expect(registry.agents.get('generic')?.value).toMatchObject({ summary: 'Ours.', operations: ['op.read'] });
    expect(abilitiesOf(registry, 'dev', undefined).map(({ id }) => id)).toEqual(['generic', 'op.read']);
  });

  test.each([
    ['an operation has its id', { ...SCRIPT_FILE, ...lowLevel('generic', SCRIPT) }],
    ['its own file is broken', { 'registry/high-level/generic.yaml': OWN.replace('Help.', '') }],
    ['a file that may define it cannot be read', { 'registry/high-level/other.yaml': 'id: [' }],
  ])('is not there if %s', (_, files) => {
    expect(agentOf(files)).toBeUndefined();
  });

  test('goes when the project defines it, and comes back', () => {
    const { root, write } = temporaryProject({ ...WITH_MODEL, ...READ });
    const loader = new RegistryLoader(root);
    const summary = () => loader.load().agents.get('generic')?.value.summary;
    const builtIn = summary();
    write({ 'registry/high-level/generic.yaml': OWN });
    expect(summary()).toBe('Ours.');
    rmSync(join(root, 'registry/high-level/generic.yaml'));
    expect(summary()).toBe(builtIn);
  });

  test('is nothing that lint, the pages or prune report: it is not a definition of the project', () => {
    const { root } = temporaryProject({ 'ABILITY.md': '<!-- ability:high-level -->\n<!-- /ability:high-level -->\n' });
    expect(lintProject(new RegistryLoader(root))).toEqual({ findings: [], abilities: 0 });
    expect(JSON.stringify(planDocuments(loadRegistry(root), ['ABILITY.md']))).not.toContain('generic');
    const tasks = [{ ability_id: 'op.read', started_at: '2026-11-02T10:00:00Z' }];
    expect(prune(registryOf(READ), { unusedMs: 0, tasks }).unused.map(({ id }) => id)).toEqual(['op.read']);
  });
});

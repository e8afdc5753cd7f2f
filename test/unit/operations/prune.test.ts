import { expect, test } from 'vitest';
import { renderPrune } from '../../../src/doors/cli/commands/prune.js';
import { prune } from '../../../src/operations/prune.js';
import { agent, lowLevel, registryOf, SCRIPT, SCRIPT_FILE } from '../temporary-project.js';

const NOW = Date.parse('2026-11-02T10:00:00Z');
const tasks = [{ ability_id: 'op.read', started_at: '2026-11-02T09:00:00Z' }];
const seenIn = (files: Record<string, string>) =>
  prune(registryOf({ ...SCRIPT_FILE, ...lowLevel('op.read', SCRIPT), ...files }), { unusedMs: 1000, tasks, now: NOW });

test('R-000-94: agents that nobody calls are named, with what would miss them', () => {
  const flow = 'id: flow\ntype: workflow\nsummary: s\nsteps: [{ id: a, call: helper }]\n';
  const { unused } = seenIn({ ...agent('operations: [op.read]'), 'registry/high-level/flow.yaml': flow });
  expect(unused).toMatchObject([
    { id: 'flow', used: 'never', users: [] },
    { id: 'helper', used: 'never', users: ['flow'] },
    { id: 'op.read', used: 'rarely', users: ['helper'] },
  ]);
});

test('R-000-94: an agent and a workflow that say the same of themselves are alike', () => {
  const said = 'summary: Finds out from the logs why a build failed.';
  const flow = `id: flow\ntype: workflow\n${said}\nsteps: [{ id: a, call: op.read }]\n`;
  const { alike } = seenIn({ ...agent(said), 'registry/high-level/flow.yaml': flow });
  expect(alike).toEqual([{ ids: ['flow', 'helper'], likeness: 1 }]);
});

test('R-000-94: hooks, webhooks and schedules are users too', () => {
  const flow = `id: flow\ntype: workflow\nsummary: s\nsteps: [{ id: a, call: op.read }]
schedules: [{ id: nightly, cron: "0 3 * * *", environment: dev }]
triggers: [{ webhook: pushed, secret: "env:S", environment: dev }]\n`;
  const found = seenIn({
    ...lowLevel('op.guard', SCRIPT),
    ...lowLevel('op.hook', 'triggers: [{ webhook: sent, secret: "env:S", environment: dev }]', SCRIPT),
    'registry/high-level/flow.yaml': flow,
    'registry/hooks/PreAbilityCall.yaml':
      'hooks: [{ id: watch, blocking: true, match: {}, handler: { ability: op.guard } }]\n',
    'registry/hooks/PostAbilityCall.yaml': 'hooks: [{ id: apart, match: {} }]\n',
    'registry/config/hooks_impl.yaml': 'hooks: [{ id: apart, impl: { ability_id: op.guard } }]\n',
  });
  expect(found.unused).toMatchObject([
    { id: 'flow', used: 'never', users: ['webhook pushed', 'schedule nightly'] },
    { id: 'op.guard', used: 'never', users: ['hook apart', 'hook watch'] },
    { id: 'op.hook', used: 'never', users: ['webhook sent'] },
    { id: 'op.read', used: 'rarely', users: ['flow'] },
  ]);
  const shown = renderPrune(found, '90d', (_, text) => text);
  expect(shown).toContain('op.guard  no call known; used by hook apart, hook watch\n');
  expect(shown).not.toContain('never called');
  expect(renderPrune(seenIn(lowLevel('op.idle', SCRIPT)), '90d', (_, text) => text)).toContain(
    'op.idle  never called\n',
  );
});

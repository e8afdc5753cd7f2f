import { expect, test } from 'vitest';
import { DoorMetrics } from '../../../../../src/doors/http/metrics/door-metrics.js';
import { agent, lowLevel, registryOf, SCRIPT, SCRIPT_FILE, WITH_MODEL } from '../../../temporary-project.js';

test('workflows and agents have a series before their first end', async () => {
  const flow = 'id: flow\ntype: workflow\nsummary: s\nsteps: [{ id: a, call: op.read }]\n';
  const registry = registryOf({
    ...WITH_MODEL,
    ...SCRIPT_FILE,
    ...lowLevel('op.read', SCRIPT),
    ...agent(),
    'registry/high-level/flow.yaml': flow,
  });
  // Temporal does not answer.
  const metrics = await new DoorMetrics(() => 0).scrape({ ask: (use) => use({} as never), registry: () => registry });
  const named = metrics.matchAll(/^ability_task_ends_total\{ability="([^"]+)"/gm);
  expect([...new Set([...named].map(([, id]) => id))]).toEqual(['flow', 'helper']);
});

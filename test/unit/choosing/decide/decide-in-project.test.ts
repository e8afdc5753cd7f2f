import { expect, test } from 'vitest';
import { decideInProject } from '../../../../src/choosing/decide/decide-in-project.js';
import { DECIDING } from '../../../../src/planning/route-targets.js';
import { agent, lowLevel, registryOf, SCRIPT, SCRIPT_FILE, WITH_MODEL } from '../../temporary-project.js';

test('R-003-12, R-000-15: an agent is found by intent, delegated to, and never proposed as a workflow', async () => {
  const registry = registryOf({
    ...WITH_MODEL,
    ...SCRIPT_FILE,
    ...lowLevel('logs.read', 'summary: Read the logs of a build.', SCRIPT),
    ...agent('summary: Read the logs of a build and find out why it failed.'),
  });
  const place = { registry, environment: 'dev', scope: null, env: {} };
  const decided = (text: string) => {
    const message = { id: 'm1', role: 'user', text, at: '2026-11-02T10:00:00Z' } as const;
    return decideInProject(place, { key: 'k', messages: [message], pending: null }, DECIDING);
  };
  const { decision, targets } = await decided('read the logs of the build and find out why it failed');
  expect(targets).toMatchObject({
    agents: [{ id: 'helper' }, { id: 'generic' }],
    workflows: [],
    tools: [{ abilityId: 'logs.read' }],
  });
  expect(decision).toMatchObject({ decision: 'delegate', target: { agentId: 'helper' } });
  const { decision: read } = await decided('read the logs of build 42');
  expect(read).toMatchObject({ decision: 'tool', target: { extensionId: 'logs', capabilityId: 'read' } });
  expect((await decided('read the logs of the build via sub-agent helper')).decision).toMatchObject({
    decision: 'delegate',
    target: { agentId: 'helper' },
  });
});

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { decideInProject } from '../../../../src/choosing/decide/decide-in-project.js';
import type { LaneMessage } from '../../../../src/contracts/routing.js';
import { agent } from '../../../../src/definitions/formats/agent.js';
import { RegistryLoader } from '../../../../src/definitions/load-registry.js';
import { DECIDING } from '../../../../src/planning/route-targets.js';

const example = new RegistryLoader(fileURLToPath(new URL('../../../..', import.meta.url)), {}).load();
const [model = ''] = Object.keys(example.project.models);
/** Eight agents: those of the example project, and three whose summaries share words with delegations. */
const MORE = {
  agent_trainer: 'Trains support agents with made-up customer calls.',
  release_notes: 'Writes the release notes of a version from its merged changes.',
  travel_desk: 'Books flights and hotels for a business trip.',
};
const agents = new Map(example.agents);
for (const [id, summary] of Object.entries(MORE)) {
  const value = agent.parse({ id, type: 'agent', version: 1, summary, instructions: 'Do it.', model });
  agents.set(id, { value, file: `${id}.yaml`, locate: () => ({ file: `${id}.yaml` }) });
}
const registry = { ...example, agents, digest: 'with eight agents' };

/** The decision about the last of some messages; those of an assistant begin with a dash. */
async function decided(...said: string[]) {
  const messages = said.map(
    (text, at): LaneMessage => ({
      id: `m${at}`,
      role: text.startsWith('- ') ? 'assistant' : 'user',
      text: text.replace(/^- /, ''),
      at: new Date(Date.UTC(2026, 10, 2, 10, at)).toISOString(),
    }),
  );
  const place = { registry, environment: 'dev', scope: null, env: {} };
  return (await decideInProject(place, { key: 'k', messages, pending: null }, DECIDING)).decision;
}

test('there are eight agents', () => {
  expect(agents.size).toBe(8);
});

test.each([
  [['write 10 different versions of the welcome mail'], 'writer'],
  [['review the pull request of the login form'], 'code_review_agent'],
  [['review the pull request of the login form', 'do that via sub-agent'], 'code_review_agent'],
  [
    ['find out what our corpus says about blueberries, with citations', '- I can look.', 'via sub-agent please'],
    'research',
  ],
  [['the unit suite fails, debug it via sub-agent'], 'engineering'],
  [['count the stars in the sky and tell me a poem of them', 'do that via sub-agent'], 'generic'],
  [['what time is it in Lima?', '- I do not know.', 'let a sub-agent handle it'], 'generic'],
  [['book a flight and a hotel for the business trip via sub-agent'], 'travel_desk'],
  [['hand this over to the writer: a note about the move'], 'writer'],
])('%j goes to %s, by intent or else to generic (R-003-02, R-003-12, R-003-13, R-003-28)', async (said, agentId) => {
  expect(await decided(...said)).toMatchObject({ decision: 'delegate', target: { agentId } });
});

test('"do that via sub-agent" hands over the latest relevant task, and not an older one (R-003-28)', async () => {
  const said = [
    'review the pull request of the login form',
    '- Done: no findings.',
    'write 10 versions of the welcome mail',
  ];
  expect(await decided(...said, 'do that via sub-agent')).toMatchObject({ target: { agentId: 'writer' } });
});

test.each(['draft a plan for the move', 'make a workflow for the release'])(
  'consent is needed for a plan or a workflow: %s (R-003-19)',
  async (text) => {
    expect(await decided(text)).toMatchObject({ decision: 'delegate', needs_approval: true });
  },
);

test('a plain delegation that only reads needs no consent (R-003-18)', async () => {
  expect(await decided('write 10 different versions of the welcome mail')).toMatchObject({ needs_approval: false });
});

test('a short question that nothing fits is answered, and goes to no agent (R-003-22)', async () => {
  for (const text of ['how do I write a proposal?', 'what is a sub-agent?', 'who won yesterday?'])
    expect(await decided(text)).toMatchObject({ decision: 'respond', target: null });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Agent, connectAgent, doorOf } from '../fixtures/mcp-agent.js';
import { operation, type ProjectFiles, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const FILES: ProjectFiles = {
  'ability.yaml': projectFile('{ dev: {} }'),
  ...operation('op.plain', 'return { sum: input.a + input.b };', {
    yaml: [
      'input_schema: { type: object, required: [a, b], properties: { a: { type: integer }, b: { type: integer } } }',
      'output_schema: { type: object, required: [sum], properties: { sum: { type: integer } } }',
    ].join('\n'),
  }),
  ...workflow('ask_people', 'steps: [{ id: ask, approval: { title: Go ahead? } }]\noutput: done'),
};

let project: RunningProject;
beforeAll(async () => {
  project = await runProject(FILES);
  await project.run('op.plain', { a: 1, b: 1 });
});
afterAll(() => project.stop());

describe.each(['2026-07-28', '2025-11-25'] as const)('an agent that speaks %s', (protocol) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connectAgent(doorOf(project), { protocol });
  });
  afterAll(() => agent.close());

  test('lists, runs', async () => {
    console.log((await agent.client.listTools()).tools.map((t) => t.name));
    for (const [tool, args] of [
      ['ability_search', { query: 'plain' }],
      ['ability_search', {}],
      ['ability_describe', { id: 'op.plain' }],
      ['ability_describe', { id: 'ask_people' }],
      ['ability_plan', { id: 'op.plain', input: { a: 1, b: 2 } }],
      ['ability_plan', { id: 'op.plain', input: { a: 1 } }],
      ['ability_run', { id: 'op.plain', input: { a: 1, b: 2 } }],
      ['ability_run', { id: 'op.plain', input: { a: 1 } }],
      ['ability_run', { id: 'op.plan', input: { a: 1 } }],
      ['ability_run', { id: 'ask_people' }],
      ['approvals_list', {}],
      ['session_prompt', { text: 'hi' }],
    ] as const) {
      const t = Date.now();
      console.log(tool, JSON.stringify(args), JSON.stringify(await agent.call(tool, args)), Date.now() - t);
    }
    expect(1).toBe(1);
  });
});

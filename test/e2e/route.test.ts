import { afterAll, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, operation } from '../fixtures/project-folder.js';

const project = makeProject({
  ...operation('db.write.user_row', 'return 1;', { effects: 'write_idempotent' }),
  'registry/low-level/db.write.user_row.yaml': [
    'operation_key: db.write.user_row',
    'version: 1',
    'summary: Write one user row.',
    'effects: write_idempotent',
    'input_schema: { type: object, required: [user_id], properties: { user_id: { type: string } } }',
    'implementation: { kind: script, script: { path: scripts/db.write.user_row.mjs } }',
  ].join('\n'),
  'registry/high-level/signup.yaml': [
    ...['id: signup_e2e_test', 'type: workflow', 'version: 1', 'summary: Check that a user can sign up.'],
    'routing_hints: { keywords: [signup regression] }',
    'steps: [{ id: seed, call: db.write.user_row, with: { user_id: u-1 } }]',
  ].join('\n'),
});
afterAll(() => project.remove());
const at = { cwd: project.root };

test('R-001-25: `route` reports for each ability why it fits, what it changes, where it runs and what is missing', async () => {
  const { json, exitCode } = await abilityJson(['route', 'run the signup regression'], at);
  expect(exitCode).toBe(0);
  expect(json).toMatchObject({ environment: 'dev', scope: 'integration', fits: true, question: null });
  expect(json.suggestions).toEqual([
    {
      id: 'signup_e2e_test',
      level: 'high',
      score: expect.any(Number),
      reason: 'it has signup, regression of the request',
      effects: 'write_idempotent',
      given: {},
      missing: [],
      summary: 'Check that a user can sign up.',
      type: 'workflow',
      placement: 'local',
    },
  ]);
});

test('--detail sets the level of detail, and --step adds suggestions for each step', async () => {
  const args = ['route', 'signup', 'regression', '--detail', 'name', '--step', 'write the user row'];
  const { json } = await abilityJson(args, at);
  expect(json.suggestions[0]).not.toHaveProperty('summary');
  expect(json.steps).toMatchObject([
    { request: 'write the user row', suggestions: [{ id: 'db.write.user_row', missing: [{ name: 'user_id' }] }] },
  ]);
  const schema = await abilityJson(['route', 'write user u-7', '--detail', 'schema'], at);
  expect(schema.json.suggestions[0]).toMatchObject({ given: { user_id: 'u-7' }, input_schema: { type: 'object' } });
});

test('the text output asks for missing input, and reports that nothing fits', async () => {
  const { stdout } = await ability(['route', 'write a user row'], at);
  expect(stdout.split('\n')[0]).toMatch(/^db\.write\.user_row {2}low-level, 0\.\d\d, write_idempotent, local$/);
  expect(stdout).toContain('\nask  db.write.user_row needs user_id. What should it be?');
  expect(await ability(['route', 'pancakes for breakfast'], at)).toMatchObject({
    exitCode: 0,
    stdout: 'Nothing here fits.',
  });
  expect(await ability(['route', '-'], { ...at, input: 'signup regression\n' })).toMatchObject({
    stdout: expect.stringContaining('signup_e2e_test'),
  });
});

test('an empty request and an invalid scope are refused', async () => {
  expect((await abilityJson(['route', ' '], at)).json).toMatchObject({ error: { code: 'usage.invalid' } });
  expect((await abilityJson(['route', 'x', '--scope', '../..'], at)).exitCode).toBe(2);
});

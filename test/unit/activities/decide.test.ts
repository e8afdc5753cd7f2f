import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, expect, test } from 'vitest';
import { createDecide } from '../../../src/activities/decide.js';
import type { DecideRequest } from '../../../src/contracts/routing.js';
import { RegistryLoader } from '../../../src/definitions/load-registry.js';
import { makeProject, operation, projectFile } from '../../fixtures/project-folder.js';
import { answerChat, openChatEndpoint } from '../../fixtures/servers/chat-endpoint.js';

const endpoint = await openChatEndpoint(
  answerChat(() =>
    JSON.stringify({
      decision: 'respond',
      target: null,
      confidence: 0.9,
      rationale: 'The model said so',
      references: { refersTo: 'latest', refersToReason: 'It is' },
    }),
  ),
);
const files = operation('notes.search', 'return 1;', { yaml: 'use_cases: ["Search the notes for a text"]' });
const project = makeProject({ 'ability.yaml': projectFile(), ...files });
const modelProject = makeProject({
  'ability.yaml': projectFile('{ dev: {} }', 'policy: { router: { model: small } }'),
  ...files,
});
afterAll(async () => {
  await endpoint.close();
  project.remove();
  modelProject.remove();
});

const request = (text: string): DecideRequest => ({
  thread: { key: 'k', messages: [{ id: 'm1', role: 'user', text, at: '2026-03-10T09:15:00Z' }], pending: null },
  environment: 'dev',
  scope: null,
});
const decided = (root: string, text: string, env = {}) => {
  const decide = createDecide({ definitions: () => new RegistryLoader(root, {}).load(), env });
  return new MockActivityEnvironment().run(decide, request(text));
};

test('an activity decides from the definitions of its worker (R-003-03, R-003-14)', async () => {
  expect(await decided(project.root, 'search the notes for "invoice"')).toMatchObject({
    decision: 'tool',
    target: { extensionId: 'notes', capabilityId: 'search' },
    stage: 'b',
    router: 'rules',
    needs_approval: false,
  });
});

test('it uses the model that the project names, at the address that the worker has (R-003-07; C-25)', async () => {
  const env = { OPENAI_BASE_URL: endpoint.base };
  expect(await decided(modelProject.root, 'search the notes', env)).toMatchObject({
    decision: 'respond',
    router: 'model',
    rationale: 'The model said so',
  });
  expect(await decided(modelProject.root, 'search the notes')).toMatchObject({
    decision: 'tool',
    router: 'fallback',
    clamped: ['The model was not asked: neither OPENAI_BASE_URL nor OPENAI_API_KEY is set'],
  });
});

test('without definitions it fails with that reason', async () => {
  await expect(new MockActivityEnvironment().run(createDecide({}), request('x'))).rejects.toThrow('no definitions');
});

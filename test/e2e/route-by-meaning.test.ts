import { afterAll, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject } from '../fixtures/project-folder.js';
import { answerWell, answerWith, openEmbeddingsEndpoint } from '../fixtures/servers/embeddings-endpoint.js';

const endpoint = await openEmbeddingsEndpoint();
const low = (key: string, summary: string): string =>
  [`operation_key: ${key}`, 'version: 1', `summary: ${summary}`, 'effects: read'].join('\n');
const project = makeProject({
  'ability.yaml': 'format: 1\nproject: meaning\nenvironments: { dev: {} }\npolicy: { embeddings: { model: small } }\n',
  'registry/low-level/copy.yaml': low('billing.copy', 'Make a copy of a bill.'),
  'registry/low-level/mail.yaml': low('billing.mail', 'Mail the bill to its customer.'),
  'registry/low-level/news.yaml': low('news.mail', 'Mail the news.'),
});
afterAll(async () => {
  project.remove();
  await endpoint.close();
});
const at = { cwd: project.root, env: { OPENAI_BASE_URL: endpoint.base, OPENAI_API_KEY: 'sk-first-key' } };
/** Another key uses another pool, as in another process. */
const refused = { ...at, env: { ...at.env, OPENAI_API_KEY: 'sk-very-secret-key' } };
const request = ['route', 'post or send a copy of the invoice to its customer'];

test('`route` reports a ranking by words and meaning, in JSON and as text', async () => {
  const { json } = await abilityJson([...request, '--step', 'mail the news'], at);
  expect(json).toMatchObject({ ranker: 'hybrid' });
  expect(json.suggestions[0]).toMatchObject({ id: 'billing.copy' });
  expect(json.steps).toMatchObject([{ ranker: 'hybrid' }]);
  expect(json.steps[0].suggestions[0]).toMatchObject({ id: 'news.mail' });
  expect((await ability(request, at)).stdout).toMatch(/^billing\.copy.*\nby words and meaning$/s);
  expect((await ability(['route', 'post the receipt'], at)).stdout).toMatch(
    /^Nothing here fits\. Nearest, and not near enough: billing\.mail, .*\nby words and meaning$/,
  );
});

test('a failure of the endpoint is a warning, and does not change the exit code', async () => {
  endpoint.behave(answerWith('{"error":{"message":"sk-very-secret-key"}}', 401));
  try {
    const { json, exitCode } = await abilityJson(request, refused);
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({
      ranker: 'words',
      warning: `ranked by words alone: ${endpoint.host} answered 401`,
    });
    expect(json.suggestions[0]).toMatchObject({ id: 'billing.copy' });
    const { stdout, stderr } = await ability(request, refused);
    expect(stdout).toContain(`warning ranked by words alone: ${endpoint.host} answered 401`);
    expect(stdout + stderr).not.toContain('sk-very-secret-key');
  } finally {
    endpoint.behave(answerWell);
  }
});

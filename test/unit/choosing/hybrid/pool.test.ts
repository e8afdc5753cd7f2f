import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { poolOf } from '../../../../src/choosing/ability-pool.js';
import { suggest } from '../../../../src/choosing/suggest.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { makeProject } from '../../../fixtures/project-folder.js';
import {
  answerVectors,
  answerWell,
  answerWith,
  openEmbeddingsEndpoint,
} from '../../../fixtures/servers/embeddings-endpoint.js';

const endpoint = await openEmbeddingsEndpoint();
const low = (key: string, summary: string): string =>
  [`operation_key: ${key}`, 'version: 1', `summary: ${summary}`, 'effects: read'].join('\n');
const files = {
  'registry/low-level/copy.yaml': low('billing.copy', 'Make a copy of a bill.'),
  'registry/low-level/mail.yaml': low('billing.mail', 'Mail the bill to its customer.'),
  'registry/low-level/news.yaml': low('news.mail', 'Mail the news.'),
};
const projectWith = (policy: string) => {
  const project = makeProject({
    'ability.yaml': `format: 1\nproject: p\nenvironments: { dev: {} }\n${policy}`,
    ...files,
  });
  return { project, registry: loadRegistry(project.root) };
};
const { project, registry } = projectWith('policy: { embeddings: { model: small, timeout: 10s } }\n');
afterAll(async () => {
  project.remove();
  await endpoint.close();
});
beforeEach(() => {
  endpoint.behave(answerWell);
  endpoint.requests.length = 0;
});

const KEY = 'sk-very-secret-key';
const env = { OPENAI_BASE_URL: endpoint.base, OPENAI_API_KEY: KEY };
const REQUEST = 'post or send a copy of the invoice to its customer';
let requestCount = 0;
/** Each request uses its own pool, as separate processes do. */
const ask = (more: NodeJS.ProcessEnv = {}, text = REQUEST) => {
  requestCount += 1;
  return suggest(poolOf(registry, 'dev', null, { ...env, OPENAI_API_KEY: `${KEY}-${requestCount}`, ...more }), {
    text,
  });
};

test('without the setting nothing is sent, whatever the environment contains', async () => {
  const { project: plain, registry: words } = projectWith('');
  try {
    const { ranker, suggestions } = await suggest(poolOf(words, 'dev', null, env), { text: REQUEST });
    expect([ranker, suggestions[0]?.id]).toEqual(['words', 'billing.copy']);
    expect(endpoint.requests).toEqual([]);
  } finally {
    plain.remove();
  }
});

test('with the setting the meaning counts: a similar ability is named although it shares no word with the request', async () => {
  expect(registry.problems).toEqual([]);
  const other = await ask({}, 'post the receipt');
  expect(other).toMatchObject({
    ranker: 'hybrid',
    suggestions: [],
    nearest: ['billing.mail', ...[{}, {}].map(() => expect.any(String))],
  });
  expect((await ask({ OPENAI_API_KEY: '', OPENAI_BASE_URL: '' }, 'post the receipt')).nearest).toEqual([]);
  const { ranker, warning, suggestions } = await ask();
  expect([ranker, warning]).toEqual(['hybrid', undefined]);
  expect(suggestions[0]).toMatchObject({
    id: 'billing.copy',
    reason: expect.stringMatching(/^it has copy of the request; its likeness in meaning is 0\.\d\d$/),
  });
});

test('the vectors are stored in the project, without the texts or the key, and used by the next process', async () => {
  await ask();
  const folder = join(project.root, '.system', 'cache', 'embeddings');
  const [name = ''] = readdirSync(folder);
  const kept = readFileSync(join(folder, name), 'latin1');
  expect(name).toMatch(/^[0-9a-f]{16}\.bin$/);
  expect(kept).not.toContain(KEY);
  expect(kept).not.toContain('bill');
  endpoint.requests.length = 0;
  await ask();
  expect(endpoint.requests.map(({ body }) => body.input)).toEqual([[REQUEST]]);
  writeFileSync(join(folder, name), 'no vectors');
  expect((await ask()).ranker).toBe('hybrid');
  expect(endpoint.requests).toHaveLength(3);
});

test('a pool is reused for the same definitions and the same endpoint', () => {
  const pool = poolOf(registry, 'dev', null, env);
  expect(poolOf({ ...registry }, 'dev', null, { ...env })).toBe(pool);
  expect(poolOf(registry, 'dev', null, { ...env, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' })).not.toBe(pool);
});

test.each([
  ['too many requests', answerWith('', 429), `${endpoint.host} answered 429`],
  ['a broken answer', answerWith('{'), `${endpoint.host} answered with something else than vectors`],
  ['fewer vectors', answerVectors(() => []), `${endpoint.host} answered with 0 vectors for 1 texts`],
])('%s: the ranking is by words alone, with a warning', async (_, behaviour, reason) => {
  endpoint.behave(behaviour);
  const { ranker, warning, suggestions } = await ask();
  expect(suggestions[0]?.id).toBe('billing.copy');
  expect([ranker, warning]).toEqual(['words', `ranked by words alone: ${reason}`]);
});

test('the ranking is by words alone if there is no answer in time', async () => {
  endpoint.behave(() => {});
  const { project: hurried, registry: brief } = projectWith(
    'policy: { embeddings: { model: small, timeout: 200ms } }\n',
  );
  try {
    const { ranker, warning } = await suggest(poolOf(brief, 'dev', null, env), { text: REQUEST });
    expect([ranker, warning]).toEqual(['words', 'ranked by words alone: there was no answer within 200ms']);
  } finally {
    hurried.remove();
  }
});

test('the ranking is by words alone without an address, or if the policy allows only another one', async () => {
  const unset = await ask({ OPENAI_BASE_URL: '', OPENAI_API_KEY: '' });
  expect(unset.suggestions[0]?.id).toBe('billing.copy');
  expect(unset.warning).toBe('ranked by words alone: neither OPENAI_BASE_URL nor OPENAI_API_KEY is set');
  const { project: strict, registry: narrow } = projectWith(
    'policy: { embeddings: { model: small }, allowed_hosts: [api.acme.test] }\n',
  );
  try {
    const { warning } = await suggest(poolOf(narrow, 'dev', null, env), { text: REQUEST });
    expect(warning).toContain(`does not allow ${endpoint.host}`);
    expect(endpoint.requests).toEqual([]);
  } finally {
    strict.remove();
  }
});

test.each([
  '{}',
  '{ model: "" }',
  '{ model: m, timeout: 2m }',
  '{ model: m, timeout: 0s }',
  '{ model: m, base_url: "http://h.test" }',
])('the setting %s is refused', (setting) => {
  const { project: wrong, registry: read } = (() => {
    const made = makeProject({
      'ability.yaml': `format: 1\nproject: p\nenvironments: { dev: {} }\npolicy: { embeddings: ${setting} }\n`,
    });
    return { project: made, registry: () => loadRegistry(made.root) };
  })();
  try {
    expect(read).toThrow();
  } finally {
    wrong.remove();
  }
});

import { describe, expect, test } from 'vitest';
import { documentOf, importOf, mapped, operation } from './documents.js';

describe('the key of an operation', () => {
  test.each([
    ['createUser', 'acme.create_user'],
    ['repos/list-forOrg', 'acme.repos.list-for_org'],
    ['Get HTTPStatus (v2)', 'acme.get_http_status_v2'],
    ['Ärger', 'acme.rger'],
    ['...', 'acme.get.a.id'],
    ['', 'acme.get.a.id'],
  ])('%j is %s', async (operationId, key) => {
    const { operations } = await importOf(documentOf({ '/a/{id}': { get: operation({ operationId }) } }));
    expect(operations[0]?.key).toBe(key);
    expect(operations[0]?.definition.operation_key).toBe(key);
  });

  test('does not depend on later operations; a later duplicate gets a suffix', async () => {
    const paths = {
      '/a': { get: operation({ operationId: 'getUser' }) },
      '/b': { get: operation({ operationId: 'get_user' }) },
    };
    const { operations } = await importOf(documentOf(paths));
    expect(operations.map(({ key }) => key)).toEqual([
      'acme.get_user',
      expect.stringMatching(/^acme\.get_user_[0-9a-f]{8}$/),
    ]);
  });

  test('never exceeds the maximum length', async () => {
    const paths = {
      '/a': { get: operation({ operationId: 'x'.repeat(200) }), put: operation({ operationId: 'x'.repeat(201) }) },
    };
    const { operations } = await importOf(documentOf(paths));
    expect(new Set(operations.map(({ key }) => key)).size).toBe(2);
    for (const { key } of operations) expect(key.length).toBeLessThanOrEqual(100);
  });
});

test.each([
  ['get', 'external_read'],
  ['head', 'external_read'],
  ['options', 'external_read'],
  ['put', 'write_idempotent'],
  ['post', 'write_additive'],
  ['patch', 'write_additive'],
  ['delete', 'destructive'],
])('the effect of %s is %s', async (method, effects) => {
  expect((await mapped('/a', method, {})).definition.effects).toBe(effects);
});

test('texts of the document become summary, notes and keywords, without terminal control characters', async () => {
  const { definition } = await mapped('/a', 'get', {
    summary: '  Lists\n\tusers \u001b[31m\u202e ',
    description: 'x'.repeat(3000),
    tags: ['Users', 'Users', 'Admin'],
    deprecated: true,
  });
  expect(definition).toMatchObject({
    summary: 'Lists users [31m',
    routing_hints: { keywords: ['Users', 'Admin'] },
    implementation: { tags: ['deprecated'] },
  });
  expect(definition.notes).toHaveLength(1000);
});

test.each([
  ['Get User By ID', 'getUserById', 'Show a customer with the orders of this year.'],
  ['Get a user', 'getUserById', 'Get a user'],
])(
  'the description replaces a summary that only repeats the name of the operation: %s',
  async (summary, operationId, expected) => {
    const description = 'Show a customer with the orders of this year.';
    const { definition } = await mapped('/a', 'get', { summary, operationId, description });
    expect(definition.summary).toBe(expected);
  },
);

test('without text, the summary is method and path', async () => {
  expect((await mapped('/a/{id}', 'get', {})).definition.summary).toBe('GET /a/{id}');
});

test('operations that we cannot call are omitted, with the reason', async () => {
  const callbacks = { done: { '{$request.body#/url}': { post: operation() } } };
  const paths = { '/a': { post: operation({ callbacks }), trace: operation() }, '/b': { $ref: 'other.yaml' } };
  const webhooks = { created: { post: operation() } };
  const { operations, leftOut } = await importOf(documentOf(paths, { openapi: '3.1.0', webhooks }));
  expect(operations).toHaveLength(1);
  expect(leftOut).toEqual([
    { source: 'POST /a callback done', reason: 'it is called by the service, not by us' },
    { source: 'TRACE /a', reason: 'TRACE is no method that can be called' },
    { source: '/b', reason: 'it refers to other.yaml, outside the document' },
    { source: 'webhook created', reason: 'it is called by the service, not by us' },
  ]);
});

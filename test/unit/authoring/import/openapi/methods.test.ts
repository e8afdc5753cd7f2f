import { expect, test } from 'vitest';
import { namedLike } from '../../../../../src/authoring/import/openapi/methods.js';

test.each([
  ['post', '/issues/search', undefined, 'read'],
  ['post', '/a', 'searchIssues', 'read'],
  ['post', '/a', 'issues.batchGet', 'read'],
  ['post', '/v1/{name}:query', undefined, 'read'],
  ['post', '/items/_search', undefined, 'read'],
  ['post', '/users:batchDelete', 'users.batchDelete', 'deletion'],
  ['post', '/a', 'remove_user', 'deletion'],
  ['get', '/users/{id}/delete', undefined, 'deletion'],
  ['put', '/a', 'clearCache', 'deletion'],
  ['post', '/a', 'getOrDelete/delete', 'deletion'],
  ['get', '/a', 'searchIssues', undefined],
  ['put', '/search', undefined, undefined],
  ['delete', '/a', 'deleteUser', undefined],
  ['post', '/checkout', 'checkout', undefined],
  ['post', '/listings', 'createListing', undefined],
  ['post', '/users/{delete}', undefined, undefined],
  ['post', '/deleted-items', 'restoreDeletedItem', undefined],
] as const)('%s %s %s is named like %s', (method, path, operationId, expected) => {
  expect(namedLike(method, path, operationId)).toBe(expected);
});

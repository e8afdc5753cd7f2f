import { expect, test } from 'vitest';
import { seenHeaders } from '../../../src/planning/triggers/check-trigger.js';

const shown = [
  'content-type',
  'user-agent',
  'x-github-delivery',
  'x-github-event',
  'webhook-id',
  'webhook-timestamp',
  'idempotency-key',
];
const hidden = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'host',
  'forwarded',
  'x-forwarded-for',
  'x-hub-signature',
  'x-hub-signature-256',
  'webhook-signature',
  'x-gitlab-token',
  'x-api-key',
  'x-amz-security-token',
  'x-auth-user',
  '__proto__',
  'constructor',
  'content-length',
];

test('expressions see the headers of a delivery, except those that identify its sender', () => {
  const headers = Object.fromEntries([...shown, ...hidden].map((name) => [name, 'x']));
  expect(Object.keys(seenHeaders(headers)).sort()).toEqual(shown.sort());
  expect(seenHeaders({ 'x-many': ['a', 'b'], 'x-none': undefined })).toEqual({ 'x-many': 'a, b' });
});

import { expect, test } from 'vitest';
import { isHostAllowed } from '../../../src/rules/allowed-hosts.js';

test.each([
  ['https://api.acme.test/x', ['api.acme.test'], true],
  ['https://API.acme.test', ['api.ACME.test'], true],
  ['https://a.staging.acme.test', ['*.staging.acme.test'], true],
  ['https://staging.acme.test', ['*.staging.acme.test'], false],
  ['https://acme.test.evil.test', ['*.acme.test', 'acme.test'], false],
  ['https://evil.test/?.acme.test', ['*.acme.test'], false],
  ['https://acme.test@evil.test', ['acme.test'], false],
  ['http://127.0.0.1:8080', ['127.0.0.1:*'], true],
  ['http://127.0.0.1', ['127.0.0.1:*'], true],
  ['http://127.0.0.1:8080', ['127.0.0.1:8080'], true],
  ['http://127.0.0.1:8081', ['127.0.0.1:8080'], false],
  ['http://2130706433:8080', ['127.0.0.1:8080'], true],
  ['http://[::1]:8080', ['[::1]:*'], true],
  ['https://acme.test', ['acme.test:443'], true],
  ['http://acme.test', ['acme.test:443'], false],
  ['https://acme.test', [], false],
  ['https://acme.test', ['*'], true],
])('%s with %j: %s', (url, allowed, is) => {
  expect(isHostAllowed(new URL(url), allowed)).toBe(is);
});

test('an entry without a port allows the standard port of the scheme only', () => {
  expect(isHostAllowed(new URL('https://acme.test:443'), ['acme.test'])).toBe(true);
  expect(isHostAllowed(new URL('http://acme.test:80'), ['acme.test'])).toBe(true);
  expect(isHostAllowed(new URL('https://acme.test:8443'), ['acme.test'])).toBe(false);
});

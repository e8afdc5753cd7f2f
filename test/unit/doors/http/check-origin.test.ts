import { describe, expect, test } from 'vitest';
import { checkOrigin, hostnameOf, isLoopback } from '../../../../src/doors/http/check-origin.js';

const isOwn = (name: string): boolean => isLoopback(name) || name === 'ability.acme.test';
const check = (headers: Record<string, string | undefined>) => () => checkOrigin({ headers }, isOwn);
const codeOf = (action: () => void): string | undefined => {
  try {
    action();
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('a request is meant for this door', () => {
  test.each(['127.0.0.1:7230', '127.0.0.1', 'localhost:1', '[::1]:7230', 'LOCALHOST', 'ability.acme.test'])(
    'at %s',
    (host) => {
      expect(check({ host })).not.toThrow();
    },
  );

  test.each([
    undefined,
    '',
    'evil.test',
    'evil.test:7230',
    '127.0.0.1.evil.test',
    'localhost.evil.test',
    'user@127.0.0.1',
    '127.0.0.1@evil.test',
    '127.0.0.1/x',
    '127.0.0.1?x',
    '10.0.0.1',
    '0.0.0.0',
    'ability.acme.test.',
  ])('but not at %s', (host) => {
    expect(codeOf(check({ host }))).toBe('door.foreign_host');
  });
});

describe('a page may send requests', () => {
  test('if it belongs to this door', () => {
    expect(check({ host: 'localhost:7230', origin: 'http://localhost:7230' })).not.toThrow();
    expect(check({ host: 'localhost:7230', 'sec-fetch-site': 'same-origin' })).not.toThrow();
    expect(check({ host: 'localhost:7230', 'sec-fetch-site': 'none' })).not.toThrow();
    // The proxy terminates TLS.
    expect(check({ host: 'ability.acme.test', origin: 'https://ability.acme.test' })).not.toThrow();
  });

  test.each([
    { origin: 'http://evil.test' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'http://localhost' },
    { origin: 'http://localhost:7231' },
    { origin: 'http://127.0.0.1:7230' },
    { origin: 'file://localhost:7230' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://localhost:7230', 'sec-fetch-site': 'cross-site' },
  ])('but not if it belongs to another one: %j', (headers) => {
    expect(codeOf(check({ host: 'localhost:7230', ...headers }))).toBe('door.cross_site');
  });
});

test('the name of a host is read without brackets and port', () => {
  expect(hostnameOf('[::1]:80')).toBe('::1');
  expect(hostnameOf('A.b:1')).toBe('a.b');
  expect(hostnameOf('a b')).toBeUndefined();
  // The system reads this as loopback, so it is reported as loopback.
  expect(hostnameOf('0x7f.1')).toBe('127.0.0.1');
});

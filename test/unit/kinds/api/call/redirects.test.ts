import { describe, expect, test } from 'vitest';
import { type ApiRequest, followRedirect } from '../../../../../src/kinds/api/call/build-request.js';

const FROM: ApiRequest = {
  method: 'POST',
  url: new URL('https://one.test/a/b?key=the-secret-key&page=1'),
  headers: { authorization: 'Basic x', 'content-type': 'text/plain', accept: 'text/plain' },
  secretHeaders: ['authorization'],
  secretQuery: [{ name: 'key', value: 'the-secret-key' }],
  body: 'text',
};

/** The request that follows an answer with a status and a location. */
function follow(statusCode: number, location: string | string[] | undefined, from: Partial<ApiRequest> = {}) {
  return followRedirect({ statusCode, headers: { location } } as never, { ...FROM, ...from });
}

describe('an answer that is not a redirect is not followed', () => {
  test.each([
    ['a good one with a location', 201, '/c'],
    ['one that says the answer is the old one', 304, '/c'],
    ['one that leaves the choice to the caller', 300, '/c'],
    ['one without a location', 302, undefined],
    ['one with two', 302, ['/c', '/d']],
    ['one whose location is no address', 302, 'http://['],
  ])('%s', (_, status, location) => {
    expect(follow(status, location)).toBeUndefined();
  });
});

describe('the method of a redirect, which keeps the body if it keeps the method', () => {
  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'DELETE', 'DELETE'],
    [302, 'HEAD', 'HEAD'],
    [301, 'GET', 'GET'],
  ])('%i of %s becomes %s', (status, method, expected) => {
    const next = follow(status, '/c', { method });
    const isKept = method === expected;
    expect(next).toMatchObject({ method: expected, body: isKept ? 'text' : undefined });
    expect(next?.headers['content-type']).toBe(isKept ? 'text/plain' : undefined);
    expect(next?.headers.accept).toBe('text/plain');
  });
});

describe('credentials', () => {
  test('are also sent to an address on the same host', () => {
    const next = follow(307, '../c?x=1');
    expect(next?.url.href).toBe('https://one.test/c?x=1&key=the-secret-key');
    expect(next?.headers.authorization).toBe('Basic x');
    expect(next?.secretQuery).toEqual(FROM.secretQuery);
  });

  test('are added once if the service repeats them', () => {
    expect(follow(307, '/c?key=the-secret-key')?.url.search).toBe('?key=the-secret-key');
  });

  test.each(['https://two.test/c?key=the-secret-key&x=1', 'http://one.test/c?x=1', 'https://one.test:444/c?x=1'])(
    'never go to another host, scheme or port: %s',
    (location) => {
      const next = follow(307, location);
      expect(next?.url.search).toBe('?x=1');
      expect(next?.headers).toEqual({ 'content-type': 'text/plain', accept: 'text/plain' });
      expect(next?.secretQuery).toEqual([]);
    },
  );

  test.each([
    [
      'one of several',
      [FROM.secretQuery[0], { name: 'other', value: 'not-in-there' }],
      'https://two.test/the-secret-key',
    ],
    ['one in the form of an address', [{ name: 'key', value: 'a/b c' }], 'https://two.test/a%2Fb%20c'],
    ['one in the form of a form', [{ name: 'key', value: 'a/b c' }], 'https://two.test/?x=a%2Fb+c'],
  ])('refuse the redirect if the address of another host contains %s', (_, secretQuery, location) => {
    expect(() => follow(307, location, { secretQuery } as Partial<ApiRequest>)).toThrow(
      expect.objectContaining({ code: 'denied.host' }),
    );
  });

  test.each([
    'https://two.test/the-secret-key',
    'https://two.test/c?other=the-secret-key',
    'https://two.test/#the-secret-key',
  ])('refuse the redirect if another host has them in its address: %s', (location) => {
    expect(() => follow(307, location)).toThrow(expect.objectContaining({ code: 'denied.host' }));
  });
});

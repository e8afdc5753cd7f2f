import { describe, expect, test } from 'vitest';
import { CallLog } from '../../../../src/activities/call/call-log.js';
import {
  basicHeader,
  credentialOf,
  fillCredentials,
  formsOf,
  markCredentials,
  secretQueryOf,
  withSecrets,
} from '../../../../src/activities/connections/credentials.js';
import type { ApiImplementation } from '../../../../src/contracts/plan.js';
import { SecretSource } from '../../../../src/planning/secrets/secret-source.js';
import { errorOf } from '../../error-of.js';

const CREDENTIALS = { key: 'env:KEY', user: 'env:WHO', pin: 'env:PIN' };

/** A call whose worker has these secrets. */
function caller(own: Record<string, string> = {}) {
  const values = { KEY: 'the-secret-key', WHO: 'ada', PIN: '12', ...own };
  return { secrets: new SecretSource('/nowhere', 'dev', values), log: new CallLog(undefined, '', 1) };
}
const api = (auth: object) => ({ auth, credentials: CREDENTIALS }) as unknown as ApiImplementation['api'];

describe('a credential in a text', () => {
  test('is filled in everywhere, and hidden from the log', () => {
    const call = caller();
    expect(fillCredentials('a {credential:key} b {credential:key}', CREDENTIALS, call)).toBe(
      'a the-secret-key b the-secret-key',
    );
    expect(call.log.mask('the-secret-key')).toBe('***');
  });

  test.each(['other', 'toString', ''])('that is not configured is an error: %j', (name) => {
    expect(errorOf(() => credentialOf(name, CREDENTIALS, caller()))).toMatchObject({ code: 'config.invalid' });
  });

  test('without a value is missing', () => {
    expect(errorOf(() => credentialOf('key', CREDENTIALS, caller({ KEY: '' })))).toMatchObject({
      code: 'config.missing_credential',
    });
  });

  test('is marked by a text that no input can know', () => {
    const { text, secrets } = markCredentials('Bearer {credential:key}');
    const [[mark, name] = []] = [...secrets];
    expect(text).toBe(`Bearer ${mark}`);
    expect(name).toBe('key');
    expect(markCredentials('{credential:key}').text).not.toBe(mark);
  });
});

describe('user and password', () => {
  test('are absent if the definition has none', () => {
    expect(basicHeader(api({}), caller())).toBeUndefined();
    expect(basicHeader({ credentials: CREDENTIALS } as never, caller())).toBeUndefined();
  });

  test('are masked as a pair if one is too short to be masked alone', () => {
    const call = caller();
    basicHeader(api({ basic: { user: '{credential:user}', password: '{credential:pin}' } }), call);
    expect(call.log.mask('sent ada:12 to it')).toBe('sent *** to it');
  });

  test('may have a colon only in the password', () => {
    const basic = { user: '{credential:user}', password: '{credential:pin}' };
    expect(basicHeader(api({ basic }), caller({ PIN: '1:2' }))).toBe(
      `Basic ${Buffer.from('ada:1:2').toString('base64')}`,
    );
    expect(errorOf(() => basicHeader(api({ basic }), caller({ WHO: 'a:b' })))).toMatchObject({
      code: 'config.invalid',
    });
  });
});

describe('credentials in the query', () => {
  test('are masked with the text that the definition writes around them', () => {
    const call = caller();
    expect(secretQueryOf(api({ query: { key: 'id-{credential:pin}-x' } }), call)).toEqual([
      { name: 'key', value: 'id-12-x' },
    ]);
    expect(call.log.mask('?key=id-12-x')).toBe('?key=***');
    expect(secretQueryOf(api({}), call)).toEqual([]);
  });

  const secrets = [
    { name: 'a b', value: 'x&y' },
    { name: 'key', value: 'k' },
  ];

  test.each([
    ['http://x.test/', 'http://x.test/?a%20b=x%26y&key=k'],
    ['http://x.test/?q=1', 'http://x.test/?q=1&a%20b=x%26y&key=k'],
    ['http://x.test/?key=mine', 'http://x.test/?key=mine&a%20b=x%26y'],
    ['http://x.test/?key=mine&a%20b=', 'http://x.test/?key=mine&a%20b='],
  ])('are added to %s if it lacks them', (from, to) => {
    const url = new URL(from);
    expect(withSecrets(url, secrets).href).toBe(to);
    expect(url.href).toBe(from);
  });
});

test('a secret may appear as itself, in an address, in a form and in JSON', () => {
  expect(formsOf(`a 'b'"`)).toEqual([`a 'b'"`, "a%20'b'%22", 'a%20%27b%27%22', 'a+%27b%27%22', `a 'b'\\"`]);
  expect(formsOf('plain')).toEqual(['plain']);
});

import { expect, test } from 'vitest';
import { secretReference } from '../../../src/definitions/formats/values.js';
import { PROVIDER_NAME, providerReference } from '../../../src/rules/secret-reference.js';

test.each([
  ['vault:kv/db#password', { provider: 'vault', path: 'kv/db', field: 'password' }],
  ['gcp:db-password', { provider: 'gcp', path: 'db-password' }],
  [
    'aws:arn:aws:secretsmanager:eu-west-1:1:secret:db-Ab1',
    { provider: 'aws', path: 'arn:aws:secretsmanager:eu-west-1:1:secret:db-Ab1' },
  ],
  [
    'op:My Vault/My Login#section/one-time password',
    { provider: 'op', path: 'My Vault/My Login', field: 'section/one-time password' },
  ],
  ['a_b-1:x', { provider: 'a_b-1', path: 'x' }],
])('%s is a reference to a provider', (text, reference) => {
  expect(providerReference(text)).toEqual(reference);
  expect(secretReference.safeParse(text).success).toBe(true);
});

test.each(['env:NAME', 'file:secrets/x', 'https://a.test/x', 'http://a.test', 'hunter2', ':x', 'Vault:x', '1a:x', ''])(
  '%j is none',
  (text) => {
    expect(providerReference(text)).toBeUndefined();
  },
);

test.each([
  ['a path that begins with a dash', 'vault:-format=json#f'],
  ['a field that begins with a dash', 'vault:kv/db#-f'],
  ['a line break', 'vault:kv/db\n#f'],
  ['a line break at the end', 'vault:kv/db#f\n'],
  ['NUL', 'vault:kv\0db#f'],
  ['a control character', 'vault:kv/\u001b[2J#f'],
  ['a way out', 'vault:kv/../sys#f'],
  ['a way out at the end', 'vault:kv/..#f'],
  ['a way out in the field', 'vault:kv#a/..'],
  ['an absolute path', 'sops:/etc/shadow#f'],
  ['a quote', `sops:x#a"]["b`],
  ['a backslash', 'vault:kv\\db#f'],
  ['a variable', 'vault:$HOME#f'],
  ['a placeholder', 'vault:{field}#f'],
  ['two fields', 'vault:kv#a#b'],
  ['no path', 'vault:#f'],
  ['an empty field', 'vault:kv#'],
  ['a blank at the end', 'vault:kv #f'],
  ['letters that look like others', 'vault:kv/d\u0430ta#f'],
])('a reference with %s is refused, and not repeated', (_, text) => {
  const { error } = secretReference.safeParse(text);
  expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringMatching(/^The path and the field/)]);
});

test.each(['env', 'file', 'http', 'https', 'a:b', 'A', '1', '', 'a'.repeat(33)])('no provider is called %j', (name) => {
  expect(PROVIDER_NAME.test(name)).toBe(false);
});

test('a reference is read in linear time', () => {
  const started = performance.now();
  secretReference.safeParse(`vault:${'a/.'.repeat(100_000)}"`);
  expect(performance.now() - started).toBeLessThan(500);
});

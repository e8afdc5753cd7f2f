import { expect, test } from 'vitest';
import { isAddressAllowed, isHostAllowed, readHostEntry } from '../../../../src/rules/calls/allowed-hosts.js';

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
  ['http://[::1]:8080', ['[0:0::1]:8080'], true],
  ['http://[::1]:8080', ['::1', '::1:8080'], false],
  ['http://[::ffff:10.1.2.3]:8080', ['10.0.0.0/8:8080'], true],
  ['http://10.1.2.3:8080', ['10.0.0.0/8:8080'], true],
  ['http://10.1.2.3:8081', ['10.0.0.0/8:8080'], false],
  ['http://11.1.2.3:8080', ['10.0.0.0/8:8080'], false],
  ['http://10.evil.test:8080', ['10.0.0.0/8:8080'], false],
  ['http://[fd12::1]', ['[fd00::/8]'], true],
  ['http://acme.test:8080', ['acme.test:08080'], true],
  ['http://acme.test:8080', ['acme.test:80808', 'acme.test:'], false],
])('%s with %j: %s', (url, allowed, is) => {
  expect(isHostAllowed(new URL(url), allowed)).toBe(is);
});

test('an entry without a port allows the standard port of the scheme only', () => {
  expect(isHostAllowed(new URL('https://acme.test:443'), ['acme.test'])).toBe(true);
  expect(isHostAllowed(new URL('http://acme.test:80'), ['acme.test'])).toBe(true);
  expect(isHostAllowed(new URL('https://acme.test:8443'), ['acme.test'])).toBe(false);
});

/** Addresses to which no name may resolve unless they are listed, each in the forms that a resolver may return. */
const SPECIAL = [
  ...['127.0.0.1', '127.255.0.9', '0.0.0.0', '0.1.2.3', '169.254.169.254', '169.254.170.2', '168.63.129.16'],
  ...['100.64.0.1', '100.100.100.200', '100.127.255.255', '192.0.0.192', '192.0.2.1', '198.18.0.1', '198.19.9.9'],
  ...['224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255', '192.88.99.1', '203.0.113.7'],
  ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', 'fc00::1', 'fd00:ec2::254', 'fd20:ce::254'],
  ...['::ffff:127.0.0.1', '::ffff:169.254.169.254', '::ffff:100.64.0.1', '::127.0.0.1', '::7f00:1', '::a9fe:a9fe'],
  ...['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '2002:7f00:1::', '2001:0:7f00:1::', '2001:db8::1'],
  ...['::ffff:0:127.0.0.1', '100::1', '5f00::1', '4000::1'],
];
const NAMED = new URL('http://api.acme.test:8080');
const hostOf = (address: string): string => (address.includes(':') ? `[${address.split('%')[0]}]` : address);

test.each(SPECIAL)('a name must not resolve to %s unless that address is listed with the port', (address) => {
  const allowed = ['api.acme.test:8080', '*:*', '[*]:*', 'localhost:8080'];
  expect(isAddressAllowed(address, NAMED, allowed)).toBe(false);
  expect(isAddressAllowed(address, NAMED, [...allowed, `${hostOf(address)}:8081`, hostOf(address)])).toBe(false);
  expect(isAddressAllowed(address, NAMED, [...allowed, `${hostOf(address)}:8080`])).toBe(true);
  expect(isAddressAllowed(address, NAMED, [...allowed, `${hostOf(address)}:*`])).toBe(true);
});

test.each(['8.8.8.8', '10.1.2.3', '172.16.0.1', '192.168.1.1', '::ffff:10.1.2.3', '2606:4700::1111', '2a00:1450::1'])(
  'a name may resolve to %s without a listing',
  (address) => {
    expect(isAddressAllowed(address, NAMED, ['api.acme.test:8080'])).toBe(true);
  },
);

test('a listed address allows only itself, and a listed range all of its addresses', () => {
  const addresses = ['fd00::1', 'fd00::2', 'fd01::1', '127.0.0.1', '127.0.0.2'];
  const allowed = (entry: string) => addresses.filter((address) => isAddressAllowed(address, NAMED, [entry]));
  expect(allowed('[fd00::1]:8080')).toEqual(['fd00::1']);
  expect(allowed('[fd00::/16]:8080')).toEqual(['fd00::1', 'fd00::2']);
  expect(allowed('127.0.0.1:8080')).toEqual(['127.0.0.1']);
  expect(allowed('127.0.0.0/8:8080')).toEqual(['127.0.0.1', '127.0.0.2']);
});

test('an entry may have any port up to the highest', () => {
  expect(readHostEntry('a.test:65535')).toEqual({ host: 'a.test', ports: '65535' });
});

test('localhost allows the loopback only for itself, at its own port', () => {
  const at = (port: number) => new URL(`http://localhost:${port}`);
  expect(isAddressAllowed('::1', at(8080), ['localhost:8080'])).toBe(true);
  expect(isAddressAllowed('127.0.0.1', at(9999), ['localhost:8080', '*:*'])).toBe(false);
  expect(isAddressAllowed('169.254.169.254', at(8080), ['localhost:8080'])).toBe(false);
  expect(isAddressAllowed('127.0.0.1', new URL('http://localhost.:8080'), ['localhost:8080'])).toBe(false);
});

test('a value that is not an address is refused', () => {
  expect(isAddressAllowed('api.acme.test', NAMED, ['api.acme.test:8080'])).toBe(false);
  expect(isAddressAllowed('', NAMED, ['*:*'])).toBe(false);
});

test.each(['', ':80', '::1', 'fd00::/8', '[]', '[::1', 'a:b', 'a.test:0', 'a.test:65536'])(
  '%j is not a valid entry',
  (entry) => {
    expect(readHostEntry(entry)).toBeUndefined();
  },
);

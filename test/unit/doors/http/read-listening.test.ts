import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ListenFlags, readListening } from '../../../../src/doors/http/read-listening.js';

const folder = mkdtempSync(join(tmpdir(), 'ability-tls-'));
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => {
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const names = ['-subj', '/CN=ability.acme.test', '-addext', 'subjectAltName=DNS:ability.acme.test,IP:10.1.2.3'];
  execFileSync('openssl', [...args, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
});

const read = (flags: Partial<ListenFlags>, hasToken = true) =>
  readListening({ host: '127.0.0.1', port: '7230', ...flags }, hasToken);
const codeOf = (flags: Partial<ListenFlags>, hasToken = true): string | undefined => {
  try {
    read(flags, hasToken);
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('on this machine', () => {
  test.each(['127.0.0.1', 'localhost', '::1', '[::1]', '127.3.2.1'])('%s accepts requests without a token', (host) => {
    expect(read({ host }, false)).toMatchObject({ isLocal: true, tls: undefined, proxyHeader: undefined });
  });

  test('behind a proxy no request is accepted without a token, or the name that the proxy passes', () => {
    const listening = read({ behindProxy: 'Ability.acme.test' });
    expect(listening.isLocal).toBe(false);
    expect(['ability.acme.test', 'localhost', 'evil.test'].map(listening.isOwnHost)).toEqual([true, true, false]);
    expect(codeOf({ behindProxy: 'ability.acme.test' }, false)).toBe('door.no_token');
    expect(read({ trustProxyUser: 'X-Forwarded-User' }, false)).toMatchObject({
      isLocal: false,
      proxyHeader: 'x-forwarded-user',
    });
  });
});

describe('beyond this machine', () => {
  test.each(['0.0.0.0', '::', '10.1.2.3', 'ability.acme.test', '0', '127.0.0.1.evil.test'])(
    '%s requires TLS or a proxy, and a token',
    (host) => {
      expect(codeOf({ host: host === '0' ? '0.0.0.0' : host })).toBe('door.no_tls');
      const given = { host: host === '0' ? '0.0.0.0' : host, tlsCert: cert, tlsKey: key };
      expect(codeOf(given, false)).toBe('door.no_token');
      expect(read(given)).toMatchObject({ isLocal: false });
    },
  );

  test('host and port are where people open the page, unless they are those of all addresses or behind a proxy', () => {
    const tls = { tlsCert: cert, tlsKey: key };
    const forms = [
      { host: '127.0.0.1' },
      { host: '10.1.2.3', ...tls },
      { host: '0.0.0.0', ...tls },
      { behindProxy: 'a.test' },
    ];
    expect(forms.map((form) => read(form).isAddress)).toEqual([true, true, false, false]);
    expect(read({ trustProxyUser: 'X-User' }).isAddress).toBe(false);
  });

  test('no user header is trusted', () => {
    const given = { host: '10.1.2.3', tlsCert: cert, tlsKey: key, trustProxyUser: 'X-User' };
    expect(codeOf(given)).toBe('usage.invalid');
  });

  test('the names in a certificate are the names of the door', () => {
    const { isOwnHost } = read({ host: '0.0.0.0', tlsCert: cert, tlsKey: key });
    expect(['ability.acme.test', '10.1.2.3', 'evil.test', '10.1.2.4'].map(isOwnHost)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

test.each([
  { tlsCert: 'only.pem' },
  { tlsKey: 'only.pem' },
  { port: '65536' },
  { port: '-1' },
  { port: '80x' },
  { port: '' },
  { host: '' },
  { host: 'http://127.0.0.1' },
  { host: '127.0.0.1:80' },
  { behindProxy: 'https://x.test' },
  { trustProxyUser: 'authorization' },
  { trustProxyUser: 'x y' },
])('%j is refused', (flags) => {
  expect(codeOf(flags)).toBe('usage.invalid');
});

test('a certificate that cannot be used is named', () => {
  const none = join(folder, 'none.pem');
  expect(codeOf({ tlsCert: none, tlsKey: key })).toBe('door.not_listening');
  writeFileSync(none, 'no PEM');
  expect(() => read({ tlsCert: none, tlsKey: key })).toThrow(none);
});

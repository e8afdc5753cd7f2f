import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Connection } from '../../../../../src/client/index.js';
import { openOidc, readIssuer } from '../../../../../src/doors/http/oidc/open-oidc.js';
import { pageOf } from '../../../../../src/doors/http/page/page-door.js';
import { rightsOf } from '../../../../../src/rules/rights.js';
import { TokenFolder } from '../../../../../src/server/keys/tokens/token-folder.js';
import { openDoor } from '../../../../fixtures/http-door.js';
import { NO_PROVIDER } from '../../../../fixtures/no-provider.js';
import { operation } from '../../../../fixtures/project-folder.js';
import { startStubProvider } from '../../../../fixtures/stub-provider.js';
import { temporaryProject } from '../../../temporary-project.js';

const FLAGS = { oidcClient: 'ability', oidcGroups: 'groups' };

/** A door that signs people in with a provider that a test bends. */
async function signingDoor(flags: object = {}) {
  const provider = await startStubProvider('ability');
  const { root } = temporaryProject(operation('util.echo', 'return input;'));
  const paths = { root, tokens: `${root}/tokens`, records: `${root}/records` };
  const connection = { paths, project: 'p', store: { isShared: false }, ui: null } as unknown as Connection;
  const tokens = new TokenFolder(paths.tokens, 'p');
  const oidc = await openOidc({ ...FLAGS, oidcIssuer: provider.issuer, ...flags }, root, {});
  const page = pageOf({ root, tokens, isSecure: false, oidc });
  const door = await openDoor(connection, {
    page,
    authentication: {
      ...NO_PROVIDER,
      findToken: (text) => tokens.authenticate(text),
      cookie: page.cookie,
      rightsOfPerson: (_, groups) =>
        rightsOf(...(groups.includes('leads') ? (['read', 'approve'] as const) : (['read'] as const))),
    },
    mcp: undefined as never,
  });
  onTestFinished(async () => {
    await door.close();
    await provider.close();
  });
  /** As a browser that a page elsewhere leads there; `fetch` would send other headers. */
  const get = async (path: string, cookie = '') => {
    const headers = { cookie, 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' };
    const sent = request(new URL(path, door.url), { headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    const cookies = answer.headers['set-cookie'] ?? [];
    return {
      to: answer.headers.location ?? '',
      cookies,
      kept: cookies.map((one) => one.split(';')[0]).join('; '),
    };
  };
  /** Goes to the provider, and stops before the way back. */
  const leave = async (to = '/tasks/k') => {
    const begun = await get(`/page/oidc/start?to=${encodeURIComponent(to)}`);
    const { to: back } = await get(begun.to);
    return { back, attempt: begun.kept, cookies: begun.cookies };
  };
  const signIn = async () => {
    const { back, attempt } = await leave();
    return get(back, attempt);
  };
  const me = async (cookie: string) => (await fetch(`${door.url}/v1/me`, { headers: { cookie } })).json();
  return { provider, door, tokens, page, get, leave, signIn, me };
}

/** The cookie of a signed-in person among those of an answer; undefined: nobody was signed in. */
const sessionIn = (cookies: string[]) => cookies.find((one) => /^ability_[0-9a-f]+=abt_/.test(one))?.split(';')[0];

describe('a person comes back from the provider', () => {
  test('and is who the claims say, with the groups of the claim and their rights', async () => {
    const { provider, signIn, me, page } = await signingDoor();
    provider.bend.claims = { preferred_username: 'alice', groups: ['leads', 'x'] };
    const { to, cookies } = await signIn();
    expect(to).toBe('/tasks/k');
    expect(cookies.find((one) => one.startsWith(`${page.cookie}=`))).toMatch(
      /; HttpOnly; SameSite=Strict; Max-Age=28\d{3}$/,
    );
    expect(await me(sessionIn(cookies) ?? '')).toMatchObject({
      person: 'alice',
      groups: ['leads', 'x'],
      rights: ['read', 'approve'],
      signed_in: true,
    });
  });

  test('without the group, with the right to read alone', async () => {
    const { provider, signIn, me } = await signingDoor();
    provider.bend.claims = { preferred_username: 'bob', groups: ['other'] };
    expect(await me(sessionIn((await signIn()).cookies) ?? '')).toMatchObject({ person: 'bob', rights: ['read'] });
  });

  test('and signs out at the door, whatever was copied of the session, and then at the provider', async () => {
    const { door, provider, signIn, me } = await signingDoor();
    const cookie = sessionIn((await signIn()).cookies) ?? '';
    const left = await fetch(`${door.url}/page/sign-out`, { method: 'POST', headers: { cookie } });
    expect(await left.json()).toEqual({ next: expect.stringContaining(`${provider.issuer}/end`) });
    expect(await me(cookie)).toMatchObject({ code: 'door.unauthenticated' });
  });

  test('and is signed in for hours, not longer', async () => {
    const { signIn, tokens } = await signingDoor();
    const [, text = ''] = (sessionIn((await signIn()).cookies) ?? '').split('=');
    expect(tokens.authenticate(text, Date.now() + 7.9 * 3_600_000)?.person).toBe('alice');
    expect(tokens.authenticate(text, Date.now() + 8 * 3_600_000)).toBeUndefined();
  });
});

describe('nobody is signed in', () => {
  const now = Math.floor(Date.now() / 1000);
  test.each<[string, object]>([
    ['another audience', { claims: { preferred_username: 'eve', aud: 'other' } }],
    ['another issuer', { claims: { preferred_username: 'eve', iss: 'https://evil.test' } }],
    ['another nonce', { claims: { preferred_username: 'eve', nonce: 'x' } }],
    ['an expired token', { claims: { preferred_username: 'eve', exp: now - 3600, iat: now - 7200 } }],
    ['a foreign key', { key: 'foreign' }],
    ['no signature', { alg: 'none' }],
    [
      'several audiences, issued for another',
      { claims: { preferred_username: 'eve', aud: ['ability', 'x'], azp: 'x' } },
    ],
    ['groups that are no list', { claims: { preferred_username: 'eve', groups: 'leads' } }],
    ['groups that are elsewhere', { claims: { preferred_username: 'eve', _claim_names: { groups: 'src1' } } }],
  ])('by %s', async (_, bend) => {
    const { provider, signIn, door } = await signingDoor();
    Object.assign(provider.bend, bend);
    const { to, cookies } = await signIn();
    expect([to, sessionIn(cookies)]).toEqual(['/sign-in?failed=failed', undefined]);
    expect(door.notes.join()).toMatch(/^No one was signed in: /);
  });

  test.each<[string, object, object]>([
    ['without a name', {}, {}],
    ['with a name of two lines', { preferred_username: 'alice\nbob' }, {}],
    ['with a name in blanks', { preferred_username: ' alice' }, {}],
    ['with a list for a name', { preferred_username: ['alice'] }, {}],
    ['with an address that was not checked', { email: 'alice@acme.test' }, { oidcName: 'email' }],
  ])('%s', async (_, claims, flags) => {
    const { provider, signIn } = await signingDoor(flags);
    provider.bend.claims = { ...claims };
    const { to, cookies } = await signIn();
    expect([to, sessionIn(cookies)]).toEqual(['/sign-in?failed=name', undefined]);
  });

  test('by a code of another browser, a second time, or that was guessed', async () => {
    const { provider, get, leave } = await signingDoor();
    const [mine, theirs] = [await leave(), await leave()];
    const failed = async (back: string, cookie: string) => {
      const { to, cookies } = await get(back, cookie);
      expect(sessionIn(cookies)).toBeUndefined();
      return to;
    };
    // Another person's browser, without or with an attempt of its own.
    expect(await failed(theirs.back, '')).toBe('/sign-in?failed=late');
    expect(await failed(theirs.back, mine.attempt)).toBe('/sign-in?failed=late');
    // The code of an attempt under the state of another: PKCE binds it.
    const [stolen, own] = [new URL(theirs.back), new URL(mine.back)];
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    expect(await failed(own.href, mine.attempt)).toBe('/sign-in?failed=failed');
    own.searchParams.set('code', 'guessed');
    expect(await failed(own.href, mine.attempt)).toBe('/sign-in?failed=failed');
    expect(provider.refused).toBe(2);
    const fresh = await leave();
    expect(sessionIn((await get(fresh.back, fresh.attempt)).cookies)).toBeDefined();
    expect(await failed(fresh.back, fresh.attempt)).toBe('/sign-in?failed=failed');
  });

  test('who says no at the provider', async () => {
    const { get, leave } = await signingDoor();
    const { back, attempt } = await leave();
    const url = new URL(back);
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
    expect((await get(url.href, attempt)).to).toBe('/sign-in?failed=refused');
  });

  test('and nobody is led elsewhere', async () => {
    const { get, leave } = await signingDoor();
    for (const to of ['https://evil.test', '//evil.test', '/\\evil.test', 'tasks', '/a b']) {
      const { back, attempt } = await leave(to);
      expect((await get(back, attempt)).to).toBe('/inbox');
    }
  });
});

test('what belongs to an attempt is kept by the browser alone, for ten minutes, and for its way back', async () => {
  const { leave } = await signingDoor();
  const { cookies } = await leave();
  expect(cookies).toHaveLength(1);
  expect(cookies[0]).toMatch(/^ability_[0-9a-f]+_oidc=[\w-]+; Path=\/page\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/);
});

describe('a provider is refused', () => {
  test.each([
    'http://id.acme.test',
    'ftp://127.0.0.1',
    'id.acme.test',
    'https://a@id.acme.test',
    'https://id.acme.test?x=1',
  ])('at %s', (text) => {
    expect(() => readIssuer(text)).toThrow(expect.objectContaining({ code: 'usage.invalid' }));
  });

  test.each<[string, object, string]>([
    ['without a client', { oidcIssuer: 'https://id.acme.test' }, 'usage.invalid'],
    ['with flags of its own alone', { oidcClient: 'x' }, 'usage.invalid'],
    [
      'with a secret in the command',
      { oidcIssuer: 'https://id.acme.test', oidcClient: 'x', oidcSecret: 's' },
      'usage.invalid',
    ],
    [
      'with a secret that is not there',
      { oidcIssuer: 'https://id.acme.test', oidcClient: 'x', oidcSecret: 'env:NOT_SET' },
      'config.missing_credential',
    ],
    [
      'that does not ask for openid',
      { oidcIssuer: 'https://id.acme.test', oidcClient: 'x', oidcScope: 'email' },
      'usage.invalid',
    ],
    ...['4m', '31d', 'long'].map((oidcSession): [string, object, string] => [
      `with a session of ${oidcSession}`,
      { oidcIssuer: 'https://id.acme.test', oidcClient: 'x', oidcSession },
      'usage.invalid',
    ]),
    ['that does not answer', { oidcIssuer: 'http://127.0.0.1:9', oidcClient: 'x' }, 'door.no_provider'],
  ])('%s', async (_, flags, code) => {
    await expect(openOidc(flags, '/nowhere', {})).rejects.toMatchObject({ code });
  });

  test('keeps people signed in for as long as it is asked to', async () => {
    const provider = await startStubProvider('ability');
    onTestFinished(() => provider.close());
    const at = { ...FLAGS, oidcIssuer: provider.issuer };
    expect((await openOidc(at, '/nowhere', {}))?.sessionMs).toBe(8 * 3_600_000);
    expect((await openOidc({ ...at, oidcSession: '45m' }, '/nowhere', {}))?.sessionMs).toBe(45 * 60_000);
  });

  test('that calls itself otherwise', async () => {
    const provider = await startStubProvider('ability');
    onTestFinished(() => provider.close());
    const { issuer } = provider;
    provider.issuer = 'https://id.acme.test';
    await expect(openOidc({ ...FLAGS, oidcIssuer: issuer }, '/nowhere', {})).rejects.toMatchObject({
      code: 'door.no_provider',
    });
  });
});

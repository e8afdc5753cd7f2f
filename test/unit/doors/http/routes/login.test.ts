import { expect, onTestFinished, test } from 'vitest';
import type { Connection } from '../../../../../src/client/index.js';
import type { NewToken } from '../../../../../src/contracts/access.js';
import { authenticate } from '../../../../../src/doors/http/authenticate.js';
import { DeviceLogins } from '../../../../../src/doors/http/login/device-logins.js';
import { pageOf } from '../../../../../src/doors/http/page/page-door.js';
import { ALL_RIGHTS } from '../../../../../src/rules/rights.js';
import { TokenFolder } from '../../../../../src/server/keys/tokens/token-folder.js';
import { openDoor } from '../../../../fixtures/http-door.js';
import { NO_PROVIDER } from '../../../../fixtures/no-provider.js';
import { operation } from '../../../../fixtures/project-folder.js';
import { temporaryProject } from '../../../temporary-project.js';

/** Logins that ask at once: time does not matter here. */
class QuickLogins extends DeviceLogins {
  override take(deviceCode: string) {
    return super.take(deviceCode, Date.now() + 3000);
  }
}

async function doorWith(more: object = {}, logins: DeviceLogins | undefined = new QuickLogins(true)) {
  const { root } = temporaryProject(operation('util.echo', 'return input;'));
  const paths = { root, tokens: `${root}/tokens`, records: `${root}/records` };
  const connection = { paths, project: 'p', store: { isShared: false }, ui: null } as unknown as Connection;
  const tokens = new TokenFolder(paths.tokens, 'p');
  const page = pageOf({ root, tokens, isSecure: false, ...(logins && { logins }) });
  const rightsOfPerson = () => ALL_RIGHTS;
  const authentication = {
    ...NO_PROVIDER,
    rightsOfPerson,
    findToken: (text: string) => tokens.authenticate(text),
    cookie: page.cookie,
    ...more,
  };
  const door = await openDoor(connection, { page, authentication, mcp: undefined as never });
  onTestFinished(() => door.close());
  /** What a command line gets that this session confirms. */
  const loginBy = async (headers: Record<string, string>) => {
    const { body } = await door.call('POST', '/v1/login/device', { body: { client: 'laptop', expires: '1h' } });
    const confirmed = await door.call('POST', '/v1/login/confirm', {
      body: { user_code: body.user_code, decision: 'confirm' },
      headers,
    });
    if (confirmed.status !== 200) return confirmed;
    const taken = await door.call('POST', '/v1/login/token', { body: { device_code: body.device_code } });
    const kept = tokens.authenticate(taken.body.access_token);
    const shown = { headers: { authorization: `Bearer ${taken.body.access_token}` } };
    return { ...taken, kept, admitted: authenticate(authentication, shown).admitted };
  };
  const cookieOf = (token: Partial<NewToken>) => {
    const given = {
      person: 'alice',
      can: ['read' as const],
      expiresMs: 60_000,
      createdBy: { name: 'x', source: 'claimed' as const },
    };
    return { cookie: `${page.cookie}=${tokens.create({ ...given, ...token }).text}` };
  };
  return { door, tokens, loginBy, cookieOf };
}

test('a token gets the person, rights, limits and groups of the session, and ends with it', async () => {
  const { loginBy, cookieOf } = await doorWith();
  const more = {
    can: ['read', 'approve'] as const,
    within: { environments: ['dev'] },
    oidc: { issuer: 'https://id.test', subject: '7', groups: ['ops'] },
    page: true as const,
  };
  const { kept, body } = (await loginBy(cookieOf(more))) as never as {
    kept: Record<string, string>;
    body: { can: string[] };
  };
  // The groups give more than the token itself.
  expect(body.can).toEqual(['read', 'run', 'approve']);
  expect(kept).toMatchObject({ person: 'alice', ...more });
  expect(Date.parse(kept.expires_at ?? '') - Date.now()).toBeLessThanOrEqual(60_000);
});

test('what a proxy says of a person stays a claim', async () => {
  const { loginBy } = await doorWith({ proxyHeader: 'x-user' });
  const { kept, admitted } = (await loginBy({ 'x-user': 'bob' })) as never as Record<string, Record<string, string>>;
  if (!kept) throw new Error('no token');
  // The door does not sign for it either.
  expect(admitted).toBeNull();
  expect(kept).toMatchObject({ person: 'bob', can: ['read', 'run', 'approve'], claimed: true });
  expect(Date.parse(kept.expires_at ?? '') - Date.now()).toBeLessThanOrEqual(3_600_000);
});

test('the user who runs the door is not signed in, so confirms nothing', async () => {
  const { loginBy } = await doorWith({ local: { name: 'runner', source: 'claimed' } });
  expect(await loginBy({})).toMatchObject({ status: 401, body: { code: 'door.unauthenticated' } });
});

test('only the bearer of a token ends it', async () => {
  const { door, tokens, cookieOf } = await doorWith();
  const { cookie } = cookieOf({});
  const token = cookie.split('=')[1] ?? '';
  expect((await door.call('POST', '/v1/logout', { body: {}, headers: { cookie } })).status).toBe(401);
  expect(tokens.authenticate(token)).toBeDefined();
  expect((await door.call('POST', '/v1/logout', { body: {}, token })).body).toMatchObject({ status: 'ended' });
  expect(tokens.authenticate(token)).toBeUndefined();
});

test.each([
  [{ client: 'a\nb' }, 400, 'door.bad_request'],
  [{ client: 'a', expires: '13h' }, 400, 'door.bad_request'],
  [{ client: 'a', expires: '0s' }, 400, 'door.bad_request'],
])('a login with %j is refused', async (body, status, code) => {
  const { door } = await doorWith();
  expect(await door.call('POST', '/v1/login/device', { body })).toMatchObject({ status, body: { code } });
});

test('a door without logins says so', async () => {
  const { door } = await doorWith({}, null as never);
  const answer = await door.call('POST', '/v1/login/device', { body: { client: 'a' } });
  expect(answer).toMatchObject({ status: 501, body: { code: 'feature.unsupported' } });
});

import { describe, expect, test } from 'vitest';
import type { AccessToken } from '../../../../src/contracts/access.js';
import { type Authentication, authenticate, refuseWithoutRight } from '../../../../src/doors/http/authenticate.js';
import { provableUser } from '../../../../src/server/keys/proof-key.js';
import { NO_PROVIDER } from '../../../fixtures/no-provider.js';

const token = (more: Partial<AccessToken> = {}): AccessToken => ({
  id: '0123456789abcdef',
  project: 'acme',
  person: 'alice',
  can: ['read', 'run', 'approve'],
  created_at: '',
  created_by: 'root',
  expires_at: '',
  ...more,
});
const known: Record<string, AccessToken> = {
  good: token(),
  // No command creates such a token, but a file may contain one.
  bot: token({ id: 'b', agent: 'bot' }),
};
const door = (more: Partial<Authentication> = {}): Authentication => ({
  ...NO_PROVIDER,
  findToken: (text) => known[text],
  ...more,
});
const local = { name: 'me', source: 'claimed' } as const;
const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } });
const refused = (code: string) => expect.objectContaining({ code });

describe('a request with a token', () => {
  test('is made by the person of the token, with its rights', () => {
    const caller = authenticate(door(), bearer('good'));
    expect(caller).toMatchObject({ person: { name: 'alice' }, kind: 'person', token: 'good' });
    for (const right of ['read', 'run', 'approve'] as const) {
      expect(() => refuseWithoutRight(caller, right)).not.toThrow();
    }
  });

  test('of an agent is made by an agent for its person, and never approves', () => {
    const caller = authenticate(door(), bearer('bot'));
    expect(caller).toMatchObject({ person: { name: 'alice', agent: 'bot' }, kind: 'agent', name: 'b' });
    expect(() => refuseWithoutRight(caller, 'approve')).toThrow(refused('door.forbidden'));
  });

  test.each(['bad', '', 'good good', 'good\u00e9'])(
    'that is invalid is refused, whatever else the request contains: %j',
    (text) => {
      const all = door({ local, proxyHeader: 'x-user' });
      const shown = { headers: { authorization: `Bearer ${text}`, 'x-user': 'alice' } };
      expect(() => authenticate(all, shown)).toThrow(refused('door.unauthenticated'));
    },
  );

  test('in another form is refused', () => {
    for (const authorization of ['good', 'Basic good', 'Bearergood']) {
      expect(() => authenticate(door({ local }), { headers: { authorization } })).toThrow(
        refused('door.unauthenticated'),
      );
    }
  });
});

describe('whom the door vouches for', () => {
  const oidc = { issuer: 'https://id.acme.test', subject: 'u-1', groups: ['leads'] };
  const admitted = (more: Partial<AccessToken>) =>
    authenticate(door({ findToken: () => token(more), rightsOfPerson: () => ({ approve: [{}] }) }), bearer('good'))
      .admitted;

  test('is the bearer of a token, and whom a provider signed in', () => {
    expect(admitted({})).toEqual({ source: 'token', issuer: null, subject: '0123456789abcdef', groups: [] });
    expect(admitted({ page: true, oidc })).toEqual({ source: 'oidc', ...oidc });
    expect(admitted({ page: true, person: provableUser() })).toMatchObject({ source: 'token' });
  });

  test('is no one whose name is only a claim', () => {
    expect(admitted({ claimed: true })).toBeNull();
    expect(admitted({ claimed: true, oidc })).toBeNull();
    expect(admitted({ page: true, person: 'somebody-else' })).toBeNull();
  });

  test('an agent gets no rights of groups', () => {
    const caller = authenticate(
      door({ findToken: () => token({ agent: 'bot', oidc }), rightsOfPerson: () => ({ approve: [{}] }) }),
      bearer('good'),
    );
    expect(() => refuseWithoutRight(caller, 'approve')).toThrow(refused('door.forbidden'));
  });
});

describe('a request without a token', () => {
  test('is refused by default', () => {
    expect(() => authenticate(door(), { headers: {} })).toThrow(refused('door.unauthenticated'));
  });

  test('on this machine reads and runs as the user of the door, has no kind that a guard could let pass, and decides nothing', () => {
    const caller = authenticate(door({ local }), { headers: { 'x-user': 'alice' } });
    expect(caller.person).toEqual(local);
    expect(caller).not.toHaveProperty('kind');
    expect(() => refuseWithoutRight(caller, 'run')).not.toThrow();
    expect(() => refuseWithoutRight(caller, 'approve')).toThrow(refused('door.unauthenticated'));
  });

  test('behind a trusted proxy is made by the person that the proxy names, and by no one else', () => {
    const proxied = door({ proxyHeader: 'x-user', local });
    expect(authenticate(proxied, { headers: { 'x-user': ' alice ' } })).toMatchObject({ person: { name: 'alice' } });
    for (const name of [undefined, '', ' ', ['alice', 'bob'], 'a\u0007b', 'mallory, alice', 'x'.repeat(101)]) {
      expect(() => authenticate(proxied, { headers: { 'x-user': name } })).toThrow(refused('door.unauthenticated'));
    }
  });
});

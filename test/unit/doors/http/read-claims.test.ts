import { describe, expect, test } from 'vitest';
import type { AccessToken } from '../../../../src/contracts/access.js';
import { type Authentication, authenticate } from '../../../../src/doors/http/authenticate.js';
import { NO_PROVIDER } from '../../../fixtures/no-provider.js';

const TOKEN: AccessToken = {
  id: 'a',
  project: 'p',
  person: 'alice',
  can: ['read', 'run', 'approve'],
  created_at: '',
  created_by: '',
  expires_at: '',
};
const door: Authentication = {
  ...NO_PROVIDER,
  findToken: (text) => (text === 'secret' ? TOKEN : undefined),
  local: { name: 'owner', source: 'claimed' },
};
const socket: Authentication = { ...door, believesClaims: true };
const bearer = { authorization: 'Bearer secret' };

/** The name, kind and right to approve of the caller, or the code of the refusal. */
function ask(authentication: Authentication, headers: Record<string, string>): unknown {
  try {
    const { person, kind, rights } = authenticate(authentication, { headers });
    return [person.name, kind, (rights.approve ?? []).length > 0];
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('the user that a request claims to act for', () => {
  test.each<[string, Authentication, Record<string, string>, unknown]>([
    ['nothing over the socket', socket, {}, ['owner', undefined, false]],
    ['a name over the socket', socket, { 'ability-user': 'zo%C3%AB' }, ['zoë', undefined, false]],
    ['a kind over the socket', socket, { 'ability-caller': 'ci' }, ['owner', 'ci', false]],
    ['a kind that no one may claim', socket, { 'ability-caller': 'child' }, 'usage.invalid'],
    ['an empty name', socket, { 'ability-user': '%20' }, 'door.bad_request'],
    ['a name of two lines', socket, { 'ability-user': 'a%0Ab' }, 'door.bad_request'],
    ['a name that is not encoded', socket, { 'ability-user': '%E0%A4%A' }, 'door.bad_request'],
    ['a name as long as none', socket, { 'ability-user': 'x'.repeat(101) }, 'door.bad_request'],
    [
      'the person of its token',
      door,
      { ...bearer, 'ability-user': 'alice', 'ability-caller': 'person' },
      ['alice', 'person', true],
    ],
    ['another person than its token', door, { ...bearer, 'ability-user': 'bob' }, 'door.forbidden'],
    ['another person than its token, over the socket', socket, { ...bearer, 'ability-user': 'bob' }, 'door.forbidden'],
    ['another kind than its token', door, { ...bearer, 'ability-caller': 'ci' }, 'door.forbidden'],
    ['the user of the door, at its port', door, { 'ability-user': 'owner' }, ['owner', undefined, false]],
    ['another user, at its port', door, { 'ability-user': 'alice' }, 'door.forbidden'],
    ['a kind, at its port', door, { 'ability-caller': 'person' }, 'door.forbidden'],
    [
      'a name behind a proxy that names another',
      { ...door, local: undefined, proxyHeader: 'x-user' },
      { 'x-user': 'carol', 'ability-user': 'bob' },
      'door.forbidden',
    ],
  ])('%s', (_, authentication, headers, expected) => {
    expect(ask(authentication, headers)).toEqual(expected);
  });
});

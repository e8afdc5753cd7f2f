import { expect, onTestFinished, test } from 'vitest';
import type { Connection } from '../../../../../src/client/index.js';
import type { NewToken } from '../../../../../src/contracts/access.js';
import { cookieHeader, cookieToken, pageOf } from '../../../../../src/doors/http/page/page-door.js';
import { TokenFolder } from '../../../../../src/server/keys/tokens/token-folder.js';
import { openDoor } from '../../../../fixtures/http-door.js';
import { NO_PROVIDER } from '../../../../fixtures/no-provider.js';
import { operation } from '../../../../fixtures/project-folder.js';
import { temporaryProject } from '../../../temporary-project.js';

/** A door for a team, with its page. @param local whether it knows who runs it. */
async function teamDoor(local = false) {
  const { root } = temporaryProject(operation('util.echo', 'return input;'));
  const paths = { root, tokens: `${root}/tokens`, records: `${root}/records` };
  const connection = { paths, project: 'p', store: { isShared: false }, ui: null } as unknown as Connection;
  const tokens = new TokenFolder(paths.tokens, 'p');
  const page = pageOf({ root, tokens, isSecure: true });
  const findToken = (text: string) => tokens.authenticate(text);
  const who = local ? { local: { name: 'runner', source: 'claimed' as const } } : {};
  const door = await openDoor(connection, {
    page,
    authentication: { ...NO_PROVIDER, findToken, cookie: page.cookie, ...who },
    mcp: undefined as never,
  });
  onTestFinished(() => door.close());
  const send = (method: string, path: string, body?: object, cookie?: string) =>
    fetch(door.url + path, {
      method,
      redirect: 'manual',
      ...(body && { body: JSON.stringify(body) }),
      headers: { ...(body && { 'content-type': 'application/json' }), ...(cookie && { cookie }) },
    });
  const signIn = async (token: string) => {
    const answer = await send('POST', '/page/sign-in', { token });
    return { status: answer.status, cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
  };
  const me = async (cookie?: string) => (await send('GET', '/v1/me', undefined, cookie)).json();
  return { tokens, page, send, signIn, me };
}

const tokenOf = (more: Partial<NewToken> = {}): NewToken => ({
  ...{ person: 'alice', can: ['read'], expiresMs: 60_000, createdBy: { name: 'root', source: 'claimed' } },
  ...more,
});

test('a person signs in with a token, has its rights, and nothing else lets in', async () => {
  const { tokens, send, signIn, me } = await teamDoor();
  const { text, id } = tokens.create(tokenOf());
  expect(await signIn(`${text}x`)).toMatchObject({ status: 401, cookie: '' });
  const { status, cookie } = await signIn(text);
  expect(status).toBe(204);
  expect(await me(cookie)).toMatchObject({ person: 'alice', rights: ['read'], signed_in: true, environments: ['dev'] });
  expect(await me()).toMatchObject({ code: 'door.unauthenticated' });
  const decision = { key: 'k', approval: 'a', decision: 'approve' };
  expect((await send('POST', '/v1/operations/decide', decision, cookie)).status).toBe(403);
  tokens.revoke(id);
  expect(await me(cookie)).toMatchObject({ code: 'door.unauthenticated' });
});

test('who was let in and no longer is does not become the user who runs the door', async () => {
  const { tokens, signIn, me } = await teamDoor(true);
  expect(await me()).toMatchObject({ person: 'runner', rights: ['read', 'run'], signed_in: false });
  const { text, id } = tokens.create(tokenOf());
  const { cookie } = await signIn(text);
  tokens.revoke(id);
  expect(await me(cookie)).toMatchObject({ code: 'door.unauthenticated' });
});

test('to sign out ends what the page made, and leaves a token that is used elsewhere', async () => {
  const { tokens, send, page } = await teamDoor();
  const kept = tokens.create(tokenOf());
  const made = page.createToken(tokenOf({ page: true }));
  for (const { text } of [kept, made]) {
    const answer = await send('POST', '/page/sign-out', undefined, `${page.cookie}=${text}`);
    expect(answer.headers.get('set-cookie')).toMatch(/^ability_\w+=; .*Max-Age=0; Secure$/);
  }
  expect([kept, made].map(({ text }) => tokens.authenticate(text)?.id)).toEqual([kept.id, undefined]);
});

test('a door that gives no links takes none, and a view is opened from anywhere, without its data', async () => {
  const { send, page } = await teamDoor();
  const answer = await send('GET', '/page/open?link=abc');
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in?link=used']);
  expect(page.links).toBeUndefined();
});

test('the cookie is read by its whole name, and is for this site alone', () => {
  expect(cookieToken('other=1; ability_x=abt_1; ability_xy=abt_2', 'ability_x')).toBe('abt_1');
  expect(
    [undefined, '', 'ability_x=', 'ability_xy=1', 'ability_x'].map((text) => cookieToken(text, 'ability_x')),
  ).toEqual(Array(5).fill(undefined));
  const page = { cookie: 'ability_x', isSecure: false } as never;
  expect(cookieHeader(page, 'abt_1', 60)).toBe('ability_x=abt_1; Path=/; HttpOnly; SameSite=Strict; Max-Age=60');
});

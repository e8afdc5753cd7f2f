import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import { projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { apiAbility } from '../fixtures/servers/definitions.js';
import { json, send, startService } from '../fixtures/servers/recording-service.js';

type Service = Awaited<ReturnType<typeof startService>>;

const TOKEN = 'token-for-the-first-host-only';

let first: Service;
let second: Service;
/** Without a policy: only the endpoint itself may be reached. */
let bare: RunningProject;
/** Any name and port, but only the first service on the loopback. */
let wide: RunningProject;
/** Both services. */
let both: RunningProject;
let counter = 0;

beforeAll(async () => {
  first = await startService();
  second = await startService();
  const env = { '.env': `SERVICE_TOKEN=${TOKEN}\n` };
  const policy = (hosts: string[]) => projectFile('{ dev: {} }', `policy: { allowed_hosts: ${JSON.stringify(hosts)} }`);
  bare = await runProject(env);
  wide = await runProject({ 'ability.yaml': policy(['*:*', '[*]:*']), ...env });
  both = await runProject({ 'ability.yaml': policy([`127.0.0.1:${first.port}`, `127.0.0.1:${second.port}`]), ...env });
});
afterAll(async () => {
  for (const project of [bare, wide, both]) await project.stop();
  for (const service of [first, second]) await service.stop();
});

/** Calls an address with a credential in its headers. */
async function call(
  project: RunningProject,
  origin: string,
  path: string,
  api: JsonObject = {},
  input: JsonObject = {},
) {
  counter += 1;
  const key = `host.case_${counter}`;
  const headers = { Authorization: 'Bearer {credential:token}', 'X-Key': 'k {credential:token}', 'X-Plain': 'p' };
  const settings = { credentials: { token: 'env:SERVICE_TOKEN' } };
  project.write(apiAbility(key, origin, { path, headers, ...api }, { settings, more: { effects: 'write_additive' } }));
  return project.run(key, input);
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );
const DENIED = { status: 'failed', error: { code: 'denied.host' }, steps: [{ attempts: 1 }] };

describe('the policy', () => {
  test('allows the endpoints that it lists; without a policy, only the endpoint itself', async () => {
    expect(await call(bare, first.origin, '/bare')).toMatchObject({ status: 'succeeded' });
    expect(await call(both, second.origin, '/listed')).toMatchObject({ status: 'succeeded' });
  });

  test('refuses any other endpoint at preflight, with the place and a suggestion', async () => {
    const error = await failure(call(both, 'http://elsewhere.test:8080', '/x'));
    expect(error).toMatchObject({ code: 'denied.host', suggestion: expect.stringMatching(/policy\.allowed_hosts/) });
    expect(error.location).toMatchObject({ file: expect.stringMatching(/\.yaml$/) });
  });

  test('applies to the port, too', async () => {
    const error = await failure(call(both, 'http://127.0.0.1:1', '/x'));
    expect(error).toMatchObject({ code: 'denied.host' });
  });

  test.each([
    ['a name that leads to the loopback', () => `http://localhost:${first.port}`],
    ['the loopback as an address', () => first.origin],
    ['the loopback in another notation', () => `http://2130706433:${first.port}`],
    ['the loopback of IPv6', () => `http://[::1]:${first.port}`],
    ['the loopback inside an IPv6 address', () => `http://[::ffff:127.0.0.1]:${first.port}`],
    ['this host', () => `http://0.0.0.0:${first.port}`],
    ['the metadata service of a cloud', () => 'http://169.254.169.254:80'],
  ])('as wide as *:* does not open %s', async (_, origin) => {
    const result = await call(wide, origin(), '/inside');
    expect(result).toMatchObject(DENIED);
    expect(first.requestsOf('/inside')).toEqual([]);
  });
});

describe('a redirect', () => {
  const to = (service: Service, path: string, status = 302) =>
    send(status, 'text/plain', '', { location: `${service.origin}${path}` });

  test('to the same host is followed, including credentials', async () => {
    first.on('/moved', send(301, 'text/plain', '', { location: '/here' }));
    expect(await call(both, first.origin, '/moved')).toMatchObject({ status: 'succeeded', output: { ok: true } });
    expect(first.requestsOf('/here')[0]?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'x-plain': 'p' });
  });

  test('to another host that is allowed is followed without any credential', async () => {
    first.on('/away', to(second, '/arrived'));
    second.on('/arrived', to(first, '/back'));
    expect(await call(both, first.origin, '/away')).toMatchObject({ status: 'succeeded' });
    for (const request of [...second.requestsOf('/arrived'), ...first.requestsOf('/back')]) {
      expect(request.headers['x-plain']).toBe('p');
      expect(JSON.stringify(request.headers)).not.toContain(TOKEN);
    }
    expect(first.requestsOf('/back')).toHaveLength(1);
  });

  test('to a host that is not allowed is refused, and nothing is sent there', async () => {
    first.on('/forbidden', to(second, '/never'));
    expect(await call(bare, first.origin, '/forbidden')).toMatchObject(DENIED);
    first.on('/out', send(302, 'text/plain', '', { location: 'file:///etc/passwd' }));
    expect(await call(bare, first.origin, '/out')).toMatchObject(DENIED);
    expect(second.requestsOf('/never')).toEqual([]);
  });

  test('307 keeps method and body, 303 uses GET', async () => {
    first.on('/keep', to(first, '/kept', 307));
    first.on('/see', to(first, '/seen', 303));
    await call(both, first.origin, '/keep', { method: 'POST' }, { a: 1 });
    await call(both, first.origin, '/see', { method: 'POST' }, { a: 1 });
    expect(first.requestsOf('/kept')[0]).toMatchObject({ method: 'POST', body: '{"a":1}' });
    expect(first.requestsOf('/seen')[0]).toMatchObject({ method: 'GET', body: '' });
    expect(first.requestsOf('/seen')[0]?.headers).not.toHaveProperty('content-type');
  });

  test('that never ends is given up', async () => {
    first.on('/round', to(first, '/round'));
    const result = await call(both, first.origin, '/round');
    expect(result).toMatchObject({
      status: 'failed',
      error: { message: expect.stringMatching(/redirects more than/) },
    });
    expect(first.requestsOf('/round').length).toBeLessThan(20);
  });

  test('needs a location', async () => {
    first.on('/choices', json({ pick: 'one' }, 300));
    expect(await call(both, first.origin, '/choices')).toMatchObject({ status: 'failed', error: { code: 'http.300' } });
  });
});

import { getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { closeAgents, refuseForbiddenUrl } from '../../../../src/activities/connections/guarded-connections.js';
import { closedPort, type RecordingService, startService } from '../../../fixtures/servers/recording-service.js';
import { errorOf } from '../../error-of.js';
import { callService } from '../../kinds/api/call/called-api.js';

describe('a URL', () => {
  const refused = (url: string, allowed: string[]) => errorOf(() => refuseForbiddenUrl(new URL(url), allowed));

  test.each([
    ['https://a.test/x', ['a.test']],
    ['http://a.test:8080/', ['a.test:8080']],
    ['http://127.0.0.1/', ['127.0.0.1']],
    ['http://[::1]/', ['[::1]']],
  ])('%s is allowed by %j, repeatedly', (url, allowed) => {
    for (let times = 0; times < 2; times += 1) expect(() => refuseForbiddenUrl(new URL(url), allowed)).not.toThrow();
  });

  test.each([
    ['ftp://a.test/', ['*'], 'ftp: is no protocol of the web', 'the host or address'],
    ['file:///etc/passwd', ['*'], 'file: is no protocol of the web', 'the host or address'],
    ['https://b.test/', ['a.test'], 'does not allow b.test', 'the host or address'],
    ['http://127.0.0.1:81/', ['*:*'], 'the address 127.0.0.1', '`127.0.0.1:81`'],
    ['http://[::1]/', ['*:*'], 'the address ::1', '`[::1]:80`'],
    ['https://169.254.169.254/', ['*:*'], 'the address 169.254.169.254', '`169.254.169.254:443`'],
  ])('%s is denied under %j, repeatedly', (url, allowed, message, entry) => {
    for (let times = 0; times < 2; times += 1) {
      expect(refused(url, allowed)).toMatchObject({
        code: 'denied.host',
        message: expect.stringContaining(message),
        suggestion: expect.stringContaining(`Add ${entry.startsWith('`') ? 'the address itself' : entry}`),
      });
      expect(refused(url, allowed).suggestion).toContain(entry);
    }
  });

  test('that is allowed by one list is denied under another', () => {
    refuseForbiddenUrl(new URL('https://a.test/'), ['a.test']);
    expect(refused('https://a.test/', ['b.test']).code).toBe('denied.host');
  });

  test('is checked in the same way after more than a thousand others', () => {
    for (let n = 0; n < 1100; n += 1) refuseForbiddenUrl(new URL(`https://h${n}.test/`), ['*.test']);
    expect(() => refuseForbiddenUrl(new URL('https://h1.test/'), ['*.test'])).not.toThrow();
    expect(refused('https://h1.example/', ['*.test']).code).toBe('denied.host');
  });
});

describe('the addresses that a name resolves to', () => {
  let service: RecordingService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(async () => {
    await closeAgents();
    await service.stop();
  });
  const callBy = (host: string, allowed: string[], port = service.port) =>
    callService({ ...service, port, origin: `http://${host}:${port}` }, { path: '/x' }, {}, allowed);

  test.each([true, false])('are called if the policy allows them (several at once: %s)', async (several) => {
    const before = getDefaultAutoSelectFamily();
    onTestFinished(() => setDefaultAutoSelectFamily(before));
    setDefaultAutoSelectFamily(several);
    const allowed = [`localhost:${service.port}`, ...(several ? ['a.test'] : [])];
    expect(await callBy('localhost', allowed)).toEqual({ ok: true });
  });

  test('are denied if they are special and not listed themselves', async () => {
    await expect(callBy('localhost', ['*:*'])).rejects.toMatchObject({
      code: 'denied.host',
      message: expect.stringMatching(/^localhost resolves to .*127\.0\.0\.1.* port \d+$/),
      suggestion: expect.stringContaining(`127.0.0.1:${service.port}`),
    });
  });

  test('are called if they are listed, and the others are not', async () => {
    expect(await callBy('localhost', ['*:*', `127.0.0.1:${service.port}`])).toEqual({ ok: true });
  });

  test('do not exist for an unknown name, and the call had no effect', async () => {
    // A label of more than 63 characters is refused without a query to a server.
    const host = `${'x'.repeat(64)}.test`;
    await expect(callBy(host, ['*:*'])).rejects.toMatchObject({ code: 'unavailable.connection', unclear: false });
  });

  test('fail with the reason of the first one if none answers', async () => {
    const port = await closedPort();
    await expect(callBy('localhost', [`localhost:${port}`], port)).rejects.toMatchObject({
      code: 'unavailable.connection',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

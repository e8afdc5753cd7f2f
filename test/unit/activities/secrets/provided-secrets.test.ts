import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProvidedSecrets } from '../../../../src/activities/secrets/provided-secrets.js';
import { openSecrets } from '../../../../src/activities/secrets/secret-reader.js';
import { secretProviders } from '../../../../src/definitions/formats/secrets.js';
import { errorOfAsync } from '../../error-of.js';
import { groupsHere } from './groups-here.js';

let root: string;
let now = 0;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ability-provider-'));
  now = 0;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const ENV = { PATH: process.env.PATH ?? '', HOME: '/home/ada', PASSED: 'p', OTHER: 'of the worker', OWN: 'own-secret' };

/** @param sh what the program does. @param more of its definition. */
function providerOf(sh: string, more: object = {}, args = ['{path}', '{field}']) {
  writeFileSync(join(root, 'give.sh'), `#!/bin/sh\necho run >> runs\n${sh}\n`);
  chmodSync(join(root, 'give.sh'), 0o755);
  return secretProviders.parse({ p: { command: ['./give.sh', ...args], ...more } });
}

function opened(providers: ReturnType<typeof providerOf> | undefined) {
  const current = { providers };
  const secrets = new ProvidedSecrets({
    root,
    groups: groupsHere(),
    providers: () => current.providers,
    env: ENV,
    now: () => now,
  });
  return { secrets, current, read: (reference = 'p:db#f') => secrets.read('dev', reference) };
}

const runs = () =>
  existsSync(join(root, 'runs')) ? readFileSync(join(root, 'runs'), 'utf8').trim().split('\n').length : 0;

describe('what a program gets', () => {
  test('its arguments are those of the definition, each whole, whatever a shell would do with them', async () => {
    const { read } = opened(
      providerOf(`printf '<%s>' "$@"`, {}, ['a b', '-x={field}', '$HOME;{path}{path}', '{{.x}}']),
    );
    expect(await read('p:kv/a b@c#f g')).toBe('<a b><-x=f g><$HOME;kv/a b@ckv/a b@c><{{.x}}>');
  });

  test('its environment is PATH, HOME and what the definition names; its folder is the project', async () => {
    const env = { pass: ['PASSED', 'NOT_SET'], set: { FIXED: 'f' }, secrets: { TOKEN: 'env:OWN' } };
    const { read } = opened(providerOf('pwd -P; env | grep -v "^\\(PWD\\|_\\|SHLVL\\|OLDPWD\\)="; true', { env }));
    const [folder, ...lines] = (await read()).split('\n');
    expect(folder).toBe(root);
    expect(lines.filter((line) => !line.startsWith('ABILITY_CALL_ID=')).sort()).toEqual(
      ['FIXED=f', 'HOME=/home/ada', 'PASSED=p', `PATH=${ENV.PATH}`, 'TOKEN=own-secret'].sort(),
    );
  });

  test('a secret of its own that is not set is reported as such', async () => {
    const { read } = opened(providerOf('echo value', { env: { secrets: { TOKEN: 'env:NOT_SET' } } }));
    expect(await errorOfAsync(read)).toMatchObject({ code: 'config.missing_credential' });
    expect(runs()).toBe(0);
  });
});

describe('what it prints', () => {
  test.each([
    ['one line break at its end does not count', `printf 'a\\n'`, 'a'],
    ['nor one of Windows', `printf 'a\\r\\n'`, 'a'],
    ['a second one does', `printf 'a\\n\\n'`, 'a\n'],
    ['blanks count', `printf ' a '`, ' a '],
    ['lines count', `printf 'a\\nb'`, 'a\nb'],
    ['64 KiB are not too much', `head -c 65536 /dev/zero | tr '\\0' x`, 'x'.repeat(65_536)],
  ])('%s', async (_, sh, value) => {
    expect(await opened(providerOf(sh)).read()).toBe(value);
  });

  test.each([
    ['nothing', 'true', 'printed nothing'],
    ['a line break', 'echo', 'printed nothing'],
    ['too much', `head -c 65537 /dev/zero | tr '\\0' x`, 'printed more than 65536 bytes'],
    ['no text', `printf '\\377hunter2'`, 'printed something else than text in UTF-8'],
    ['NUL', `printf 'hunter2\\000'`, 'printed something else than text in UTF-8'],
    ['the secret, but with an exit code', 'echo hunter2; exit 3', 'ended with exit code 3'],
    ['the secret, but killed', 'echo hunter2; kill -9 $$', 'was killed by SIGKILL'],
  ])('%s is refused, and not repeated', async (_, sh, why) => {
    const error = await errorOfAsync(opened(providerOf(sh)).read);
    expect(error).toMatchObject({ code: 'secret.unavailable', details: { reference: 'p:db#f', provider: 'p' } });
    expect(error.message).toBe(`The provider p did not give p:db#f: ./give.sh ${why}`);
    expect(JSON.stringify([error.toProblem(), error.stack])).not.toContain('hunter2');
  });

  test('a program that is not there is reported', async () => {
    const providers = secretProviders.parse({ p: { command: ['no-such-program-here', '{path}'] } });
    const error = await errorOfAsync(() => opened(providers).read('p:db'));
    expect(error).toMatchObject({
      code: 'secret.unavailable',
      message: expect.stringContaining('could not be started'),
    });
  });

  test('after its time the whole process group is killed, also where it ignores the request to end', async () => {
    const { read } = opened(
      providerOf(`trap '' TERM; sleep 300 & echo $! > child; wait; sleep 300`, { timeout: '200ms' }),
    );
    expect((await errorOfAsync(read)).message).toContain('took longer than 200ms');
    const child = Number(readFileSync(join(root, 'child'), 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(child, 0)).toThrow('ESRCH'), { timeout: 5000 });
  });

  test('closing ends a program', async () => {
    const { secrets, read } = opened(providerOf('touch begun; exec sleep 300', { timeout: '30s' }));
    const reading = errorOfAsync(read);
    await vi.waitFor(() => expect(existsSync(join(root, 'begun'))).toBe(true), { timeout: 5000 });
    secrets.close();
    expect((await reading).code).toBe('secret.unavailable');
  });
});

describe('how often it runs', () => {
  test('50 calls at once share one run', async () => {
    const { read } = opened(providerOf('sleep 0.2; echo value'));
    expect(new Set(await Promise.all(Array.from({ length: 50 }, () => read())))).toEqual(new Set(['value']));
    expect(runs()).toBe(1);
  });

  test('50 calls at once share one failure, and the next call tries again', async () => {
    const { read } = opened(providerOf('test -e there && echo value'));
    const ends = await Promise.allSettled(Array.from({ length: 50 }, () => read()));
    expect(ends.every(({ status }) => status === 'rejected')).toBe(true);
    expect(runs()).toBe(1);
    writeFileSync(join(root, 'there'), '');
    expect(await read()).toBe('value');
  });

  test('a value counts for its ttl, then it is read again; the earlier one is still masked', async () => {
    const { secrets, read } = opened(providerOf('cat value', { ttl: '1m' }));
    writeFileSync(join(root, 'value'), 'first');
    expect(await read()).toBe('first');
    writeFileSync(join(root, 'value'), 'second');
    now = 59_999;
    expect(await read()).toBe('first');
    now = 60_000;
    expect(await read()).toBe('second');
    expect([runs(), secrets.valuesOf('dev', 'p:db#f')]).toEqual([2, ['second', 'first']]);
  });

  test('after its ttl a value is not used where the program fails', async () => {
    const { read } = opened(providerOf('cat value', { ttl: '1m' }));
    writeFileSync(join(root, 'value'), 'first');
    await read();
    rmSync(join(root, 'value'));
    now = 60_000;
    expect((await errorOfAsync(read)).code).toBe('secret.unavailable');
  });

  test('each reference and each environment has a value of its own', async () => {
    const { secrets, read } = opened(providerOf('echo "$1 $2 $(cat runs | wc -l)"'));
    await read('p:a#f');
    await read('p:a#g');
    await secrets.read('prod', 'p:a#f');
    expect(runs()).toBe(3);
  });

  test('a provider that was changed is asked at once', async () => {
    const providers = providerOf('echo "$1"');
    const { read, current } = opened(providers);
    expect(await read()).toBe('db');
    current.providers = providerOf('echo "$1"', {}, ['new-{path}', '{field}']);
    expect(await read()).toBe('new-db');
  });

  test('one that was changed while the earlier one ran is not answered with what that gave', async () => {
    const { secrets, read, current } = opened(
      providerOf('test "$1" = old && sleep 0.3; echo "$1-value"', {}, ['old', '{path}{field}']),
    );
    const earlier = read();
    const { p } = providerOf('test "$1" = old && sleep 0.3; echo "$1-value"', {}, ['new', '{path}{field}']);
    current.providers = { p } as never;
    expect(await read()).toBe('new-value');
    await earlier;
    expect(await read()).toBe('new-value');
    expect(secrets.valuesOf('dev', 'p:db#f')).toEqual(['new-value', 'old-value']);
  });
});

test.each([
  ['an unknown provider', 'q:db#f', 'names no provider of the project; it has p'],
  ['a missing field', 'p:db', 'end with a field'],
])('%s is config.invalid, and runs nothing', async (_, reference, message) => {
  const error = await errorOfAsync(() => opened(providerOf('echo value')).read(reference));
  expect(error).toMatchObject({ code: 'config.invalid', message: expect.stringContaining(message) });
  expect(runs()).toBe(0);
});

test('without readable definitions there is no provider', async () => {
  expect((await errorOfAsync(opened(undefined).read)).message).toContain('it has none');
});

describe('a reader', () => {
  const never = new AbortController().signal;

  test('reads each reference once, and resolves it; others are resolved as ever', async () => {
    const { secrets } = opened(providerOf('echo "value of $1"'));
    const reader = openSecrets(root, secrets, ENV)('dev');
    const wanted = ['p:a#f', 'p:a#f', 'env:OWN'].map((reference) => ({ reference }));
    const source = await reader.read(wanted, never);
    expect([source.resolve('p:a#f', 'token'), source.resolve('env:OWN', 'token'), runs()]).toEqual([
      'value of a',
      'own-secret',
      1,
    ]);
    expect(() => source.resolve('p:b#f', 'token')).toThrow('The token, p:b#f, is read by workers only');
    expect(runs()).toBe(1);
  });

  test('a source keeps what it was given, also once another value is known', async () => {
    const { secrets } = opened(providerOf('cat value', { ttl: '1m' }));
    const reader = openSecrets(root, secrets, ENV)('dev');
    const read = () => reader.read([{ reference: 'p:a#f' }], never);
    writeFileSync(join(root, 'value'), 'first');
    const earlier = await read();
    writeFileSync(join(root, 'value'), 'second');
    now = 60_000;
    const later = await read();
    expect([earlier, later].map((source) => source.resolve('p:a#f', ''))).toEqual(['first', 'second']);
    expect(new Set(later.valuesOf('p:a#f'))).toEqual(new Set(['second', 'first']));
  });

  test('a caller that gives up does not end the program, which others wait for', async () => {
    const { secrets } = opened(providerOf('sleep 0.3; echo value'));
    const reader = openSecrets(root, secrets, ENV)('dev');
    const late = new AbortController();
    const hasty = errorOfAsync(() => reader.read([{ reference: 'p:a#f' }], late.signal));
    const patient = reader.read([{ reference: 'p:a#f' }], never);
    late.abort(new Error('The time is up'));
    expect(await hasty).toMatchObject({ code: 'secret.unavailable', message: expect.stringContaining('in the time') });
    expect((await patient).resolve('p:a#f', '')).toBe('value');
  });

  test('a cancellation remains one', async () => {
    const reader = openSecrets(root, opened(providerOf('sleep 0.3; echo value')).secrets, ENV)('dev');
    const cancelled = new AbortController();
    const reading = reader.read([{ reference: 'p:a#f' }], cancelled.signal);
    const reason = Object.assign(new Error('cancelled'), { name: 'CancelledFailure' });
    cancelled.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });

  test('recalls what is not known, to mask it, and skips what fails', async () => {
    const { secrets } = opened(providerOf('test "$1" = gone && exit 1; echo "value of $1"'));
    const reader = openSecrets(root, secrets, ENV)('dev');
    expect(reader.valuesOf('p:a#f')).toEqual([]);
    const wanted = ['p:a#f', 'p:gone#f'].map((reference) => ({ reference }));
    await reader.recall(wanted);
    expect([reader.valuesOf('p:a#f'), reader.valuesOf('p:gone#f')]).toEqual([['value of a'], []]);
    now = 3_600_000;
    await reader.recall([{ reference: 'p:a#f' }]);
    expect(runs()).toBe(2);
  });
});

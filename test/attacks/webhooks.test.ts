import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { explainTask, findRecord, listTasks, readApprovals, waitForTask } from '../../src/client/index.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import { USUAL_LIMITS } from '../../src/doors/http/http-door.js';
import { readStart } from '../../src/server/temporal/read-start.js';
import { abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { type OpenDoor, openDoor, sendRaw } from '../fixtures/http-door.js';
import { operation, projectFile, shellOperation, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, TEST_KEYS } from '../fixtures/running-project.js';

const SECRET = 'a secret of the forge';
const OTHER = 'another secret of the forge';
const STANDARD = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let project: RunningProject;
let door: OpenDoor;

beforeAll(async () => {
  project = await runProject(
    {
      'ability.yaml': projectFile(
        '{ dev: { self_approval: false, approve: [destructive], approvers: [alice] }, prod: { protected: true } }',
        'default_environment: dev',
      ),
      '.env': `FORGE=${SECRET}\nOTHER=${OTHER}\nSTANDARD=${STANDARD}\n`,
      ...operation('util.note', "appendFileSync('noted.log', input.n + '\\n'); return input;", {
        yaml: [
          'input_schema: { type: object, required: [n], properties: { n: { type: string } } }',
          'scope: { environments: [dev] }',
          'hooks: { pre_create: [no_secrets] }',
          'triggers:',
          '  - webhook: forge',
          '    secret: "env:FORGE"',
          `    if: "webhook.body.action == 'opened'"`,
          '    input: { n: "${{ webhook.body.n }}" }',
          '    intent: Looks at what was opened.',
          '  - { webhook: other, secret: "env:OTHER", input: "${{ webhook.body }}", key: "x-${{ webhook.body.key }}" }',
          '  - { webhook: standard, secret: "env:STANDARD", environment: dev, input: { n: "${{ webhook.headers[\'webhook-id\'] }}" } }',
        ].join('\n'),
      }),
      ...shellOperation('db.drop', 'echo 1', {
        effects: 'destructive',
        args: [],
        yaml: 'triggers: [{ webhook: drops, secret: "env:FORGE", environment: dev }]',
      }),
      ...workflow(
        'keeps',
        `
triggers: [{ webhook: keeps, secret: "env:FORGE", environment: dev, input: { all: "\${{ webhook.headers }}" } }]
steps: [{ id: one, let: { n: 1 } }]
output: "\${{ input.all }}"`,
      ),
      'registry/hooks/PreAbilityCreate.yaml': `
hooks:
  - { id: no_secrets, handler: { expression: { deny_if: "input.n == 'secret'", reason: Not this., suggestion: Another. } } }
`,
    },
    { proves: true },
  );
  door = await openDoor(project.connection);
});
afterAll(async () => {
  await door.close();
  await project.stop();
});

const github = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
interface Forged {
  name?: string;
  secret?: string;
  headers?: Record<string, string>;
  at?: Pick<OpenDoor, 'url'>;
}
let sent = 0;
/** A delivery as GitHub sends it. */
const forge = (body: unknown, more: Forged = {}) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  sent += 1;
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'pull_request',
    'x-github-delivery': `delivery-${process.pid}-${sent}`,
    'x-hub-signature-256': github(text, more.secret ?? SECRET),
    ...more.headers,
  };
  return post(more.name ?? 'forge', text, headers, more.at);
};
const post = async (name: string, text: string, headers: Record<string, string>, at: Pick<OpenDoor, 'url'> = door) => {
  const answer = await fetch(`${at.url}/v1/webhooks/${name}`, { method: 'POST', body: text, headers });
  // biome-ignore lint/suspicious/noExplicitAny: what the door answers is what the tests look at
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
};
/** The headers of a message as the library of Standard Webhooks signs it. */
const standard = (body: string, id: string, at = new Date()) => ({
  'content-type': 'application/json',
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(STANDARD).sign(id, at, body),
});
const noted = (n: string): number => {
  const file = join(project.root, 'noted.log');
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line === n).length
    : 0;
};
const tasks = async (): Promise<number> => (await listTasks(project.connection, { limit: 1000 })).length;
const ended = async (key: string) => {
  // On a slow machine a delivery is answered before its task exists, and its record precedes the task.
  const wait = () => waitForTask(project.connection, key, { timeoutMs: 60_000 });
  const end = await vi.waitFor(wait, { timeout: 90_000, interval: 200 });
  if (end.kind !== 'ended') throw new Error(`${key} did not end`);
  return end.result;
};

describe('a signed delivery', () => {
  test('of GitHub starts one task, as its trigger defines, in the name of the webhook', async () => {
    const { status, body, headers } = await forge({ action: 'opened', n: 'first' });
    expect([status, body]).toEqual([
      202,
      { status: 'started', task_key: expect.stringMatching(/^webhook:forge:delivery-/), known: false },
    ]);
    expect(headers.get('location')).toBe(`/v1/tasks/${encodeURIComponent(body.task_key)}`);
    expect(await ended(body.task_key)).toMatchObject({
      status: 'succeeded',
      environment: 'dev',
      output: { n: 'first' },
      requested_by: { name: 'webhook:forge', source: 'webhook' },
    });
    expect((await findRecord(project.connection, body.task_key))?.intent).toBe('Looks at what was opened.');
    expect(noted('first')).toBe(1);
  });

  test('of Standard Webhooks starts one task, with the id of the message as its key', async () => {
    const { status, body } = await post('standard', '{"a":1}', standard('{"a":1}', 'msg_1'));
    expect([status, body]).toMatchObject([202, { status: 'started', task_key: 'webhook:standard:msg_1' }]);
    expect(await ended('webhook:standard:msg_1')).toMatchObject({ status: 'succeeded', output: { n: 'msg_1' } });
  });

  test('is one task, even if sent ten times at once and again through another door', async () => {
    const headers = { 'x-github-delivery': `ten-${process.pid}` };
    const key = `webhook:forge:ten-${process.pid}`;
    const all = await Promise.all(Array.from({ length: 10 }, () => forge({ action: 'opened', n: 'ten' }, { headers })));
    expect(new Set(all.map(({ status, body }) => `${status} ${body.task_key}`))).toEqual(new Set([`202 ${key}`]));
    expect(all.filter(({ body }) => !body.known)).toHaveLength(1);
    expect((await ended(key)).status).toBe('succeeded');
    await door.close();
    door = await openDoor(project.connection);
    const again = await forge({ action: 'opened', n: 'ten' }, { headers });
    expect(again).toMatchObject({ status: 202, body: { known: true, task_key: key } });
    expect(noted('ten')).toBe(1);
  });

  test('with the id of another delivery and another body starts nothing; each webhook has its own ids', async () => {
    const headers = { 'x-github-delivery': `taken-${process.pid}` };
    expect((await forge({ action: 'opened', n: 'mine' }, { headers })).status).toBe(202);
    const other = await forge({ action: 'opened', n: 'theirs' }, { headers });
    expect(other).toMatchObject({ status: 409, body: { code: 'task.key_conflict' } });
    const crossed = await forge({}, { name: 'drops', headers });
    expect(crossed).toMatchObject({
      status: 202,
      body: { task_key: `webhook:drops:taken-${process.pid}`, known: false },
    });
    await door.call('POST', `/v1/tasks/${encodeURIComponent(crossed.body.task_key)}/cancel`, { body: {} });
    expect(noted('theirs')).toBe(0);
  });

  test('and a token prove who asks: in result, record and `why`, also at a retry; a start by hand cannot say so', async () => {
    const body = { ability: 'util.note', input: { n: 'by-token' }, wait: '30s' };
    const run = await door.call('POST', '/v1/runs', { token: door.token('ada'), body });
    const ada = { name: 'ada', source: 'token' };
    expect(run.body).toMatchObject({ status: 'succeeded', requested_by: ada });
    const key = run.body.task_key as string;
    expect((await findRecord(project.connection, key))?.requested_by).toEqual(ada);
    expect((await explainTask(project.connection, key)).requested_by).toEqual(ada);
    const { body: again } = await door.call('POST', `/v1/tasks/${key}/retry`, { token: door.token('bob'), body: {} });
    expect((await ended(again.task_key)).requested_by).toEqual({ name: 'bob', source: 'token' });
    const named = await door.call('POST', '/v1/runs', { body });
    expect(named.body.requested_by).toEqual({ name: 'local', source: 'claimed' });
    const { temporal, codec, project: name } = project.connection;
    const begun = await readStart(temporal, codec, { workflowId: key });
    const { vouched, user } = begun?.given?.options ?? {};
    expect(vouched).toMatchObject({ source: 'token' });
    for (const options of [
      { user, vouched },
      { user: { name: 'bob' }, vouched },
    ]) {
      const start = {
        workflowId: `forged-${++sent}`,
        taskQueue: taskQueueOf(name, 'dev', 'local'),
        args: [{ n: 'x' }, options],
      };
      const end = await temporal.workflow.execute('util.note', start).catch((error: Error) => error.cause);
      expect(end).toMatchObject({ type: 'seal.invalid' });
    }
  });

  test('that needs approval waits for people, and is decided by people only', async () => {
    const { body } = await forge({}, { name: 'drops' });
    await expect
      .poll(async () => readApprovals(project.connection, body.task_key), { timeout: 30_000 })
      .toMatchObject([{ status: 'open', requested_by: { name: 'webhook:drops', source: 'webhook' } }]);
    await door.call('POST', `/v1/tasks/${encodeURIComponent(body.task_key)}/cancel`, { body: {} });
  });

  test.each([
    ['that a guard denies', 'secret', 'guard.denied', 'Not this.'],
    ['whose input breaks the contract', 7, 'input.invalid', 'n'],
  ])('%s is a task that ends as unavailable, which the list and `why` show; nothing runs', async (_, n, code, why) => {
    const before = await tasks();
    const { status, body } = await forge({ action: 'opened', n });
    expect([status, body.status]).toEqual([202, 'started']);
    expect(await ended(body.task_key)).toMatchObject({ status: 'unavailable', error: { code } });
    const story = await explainTask(project.connection, body.task_key);
    expect(story).toMatchObject({
      requested_by: { name: 'webhook:forge', source: 'claimed' },
      input: { n },
      error: { code },
    });
    expect(story.error?.message).toContain(why);
    const unavailable = () => listTasks(project.connection, { limit: 99, status: ['unavailable'] });
    await expect.poll(async () => (await unavailable()).map(({ task_key }) => task_key)).toContain(body.task_key);
    expect(await tasks()).toBe(before);
    expect(noted(String(n))).toBe(0);
  });

  test.each([
    ['without the field that `if` reads', { n: 'x' }, 'forge', 400, 'door.delivery_invalid'],
    ['without the field that `input` reads', { action: 'opened' }, 'forge', 400, 'door.delivery_invalid'],
    ['whose input is not an object', '[1]', 'other', 400, 'door.delivery_invalid'],
    ['that is not JSON', '{"n":', 'forge', 400, 'door.bad_request'],
  ])('%s is refused with a code, and reported to the operator of the door', async (_, body, name, status, code) => {
    const before = await tasks();
    const got = await forge(body, { name, secret: name === 'other' ? OTHER : SECRET });
    expect(got).toMatchObject({ status, body: { code } });
    expect(door.notes.at(-1)).toContain(`Webhook ${name}, delivery delivery-`);
    expect(await tasks()).toBe(before);
  });

  test.each(['a\r\nset-cookie: x=1', '../../etc/passwd', 'a:b', '', ' ', 'x'.repeat(80), 'a b', '${{ 1 }}', null, {}])(
    'whose key would be %j is refused, and the key does not become a header',
    async (key) => {
      const got = await forge({ key, n: 'k' }, { name: 'other', secret: OTHER });
      expect(got).toMatchObject({ status: 400, body: { code: 'door.delivery_invalid', details: { part: 'key' } } });
      expect(got.headers.get('set-cookie')).toBeNull();
    },
  );

  test('whose id is not a task key gets a key made from it', async () => {
    const id = 'task:approval:approval.requested'.replaceAll('.', '~');
    const one = await post('standard', '{}', standard('{}', id));
    const two = await post('standard', '{}', standard('{}', id));
    expect(one.body.task_key).toMatch(/^webhook:standard:[0-9a-f]{20}$/);
    expect(two.body).toEqual({ ...one.body, known: true });
  });

  test('without an id, and without a `key` in its trigger, is refused with a code', async () => {
    const got = await forge({ action: 'opened', n: 'x' }, { headers: { 'x-github-delivery': '' } });
    expect(got).toMatchObject({ status: 400, body: { code: 'door.delivery_invalid', details: { part: 'key' } } });
  });

  test('of several megabytes is one task as well', async () => {
    const { status, body } = await forge({ action: 'opened', n: 'large', more: 'x'.repeat(3_000_000) });
    expect([status, body.status]).toEqual([202, 'started']);
    const whole = await forge(
      { key: `large-${process.pid}`, n: 'y'.repeat(3_000_000) },
      { name: 'other', secret: OTHER },
    );
    expect(whole.status).toBe(202);
    expect((await ended(`webhook:other:x-large-${process.pid}`)).status).toBe('succeeded');
  });

  test('with a false `if`, or as the ping of GitHub, starts nothing', async () => {
    const before = await tasks();
    expect(await forge({ action: 'closed', n: 'x' })).toMatchObject({
      status: 200,
      body: { status: 'skipped', by: 'if' },
    });
    const ping = await forge({ zen: 'x' }, { headers: { 'x-github-event': 'ping' } });
    expect(ping).toMatchObject({ status: 200, body: { status: 'skipped', by: 'ping' } });
    expect(await tasks()).toBe(before);
  });

  test('leaves no signature, token or cookie in its task', async () => {
    const hidden = {
      authorization: 'Basic aGlkZGVu',
      cookie: 'hidden=1',
      'x-api-key': 'hidden',
      'x-forwarded-for': '1.2.3.4',
    };
    const { body } = await forge({}, { name: 'keeps', headers: { ...hidden, 'X-Shown': 'yes' } });
    const result = await ended(body.task_key);
    const names = Object.keys(result.output as object);
    expect(names).toEqual(expect.arrayContaining(['x-shown', 'x-github-event', 'x-github-delivery', 'content-type']));
    const record = JSON.stringify(await findRecord(project.connection, body.task_key));
    expect(names.join() + record).not.toMatch(/aGlkZGVu|hidden|sha256=|x-hub|forwarded|1\.2\.3\.4/);
  });
});

describe('a delivery is not accepted', () => {
  const BODY = '{"action":"opened","n":"forged"}';
  const json = { 'content-type': 'application/json', 'x-github-delivery': 'forged' };
  const good = github(BODY, SECRET);

  test.each<[string, string, string, Record<string, string>]>([
    ['with no signature', 'forge', BODY, {}],
    ['with a signature of SHA-1', 'forge', BODY, { 'x-hub-signature': 'sha1=00' }],
    [
      'with a wrong signature',
      'forge',
      BODY,
      { 'x-hub-signature-256': good.replace(/.$/, (last) => (last === '0' ? '1' : '0')) },
    ],
    ['with a signature in upper case', 'forge', BODY, { 'x-hub-signature-256': good.toUpperCase() }],
    ['with half a signature', 'forge', BODY, { 'x-hub-signature-256': good.slice(0, 40) }],
    ['with an empty signature', 'forge', BODY, { 'x-hub-signature-256': '' }],
    ['with the signature of another webhook', 'forge', BODY, { 'x-hub-signature-256': github(BODY, OTHER) }],
    ['with another body', 'forge', BODY.replace('forged', 'altered'), { 'x-hub-signature-256': good }],
    ['with an additional space', 'forge', `${BODY} `, { 'x-hub-signature-256': good }],
    ['with the token of a person instead', 'forge', BODY, { authorization: 'Bearer x' }],
    ['by Standard Webhooks with the secret of GitHub', 'forge', BODY, standard(BODY, 'crossed')],
    [
      'by GitHub with a good, and by Standard Webhooks with a wrong signature',
      'forge',
      BODY,
      { ...standard(BODY, 'two'), 'x-hub-signature-256': good },
    ],
    ['of Standard Webhooks that is too old', 'standard', BODY, standard(BODY, 'old', new Date(Date.now() - 301_000))],
    ['of Standard Webhooks from the future', 'standard', BODY, standard(BODY, 'new', new Date(Date.now() + 3_600_000))],
    ['of Standard Webhooks with another id', 'standard', BODY, { ...standard(BODY, 'one'), 'webhook-id': 'two' }],
    [
      'of Standard Webhooks with another time',
      'standard',
      BODY,
      {
        ...standard(BODY, 'one', new Date(Date.now() - 900_000)),
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      },
    ],
    ['of Standard Webhooks whose id contains a dot', 'standard', BODY, standard(BODY, 'a.b')],
    ['of Standard Webhooks without a time', 'standard', BODY, { 'webhook-id': 'x', 'webhook-signature': 'v1,x' }],
    [
      'of Standard Webhooks of another version',
      'standard',
      BODY,
      {
        ...standard(BODY, 'one'),
        'webhook-signature': standard(BODY, 'one')['webhook-signature'].replace('v1,', 'v1a,'),
      },
    ],
  ])('%s', async (_, name, text, headers) => {
    const before = await tasks();
    const got = await post(name, text, { ...json, ...headers });
    expect(got).toMatchObject({ status: 401, body: { code: 'door.unsigned' } });
    expect(got.headers.get('www-authenticate')).toBeNull();
    expect(await tasks()).toBe(before);
  });

  test('under an unknown name; without a signature the sender does not learn that it is unknown', async () => {
    expect(await post('nowhere', BODY, json)).toMatchObject({ status: 401, body: { code: 'door.unsigned' } });
    const signed = await post('nowhere', BODY, { ...json, 'x-hub-signature-256': good });
    expect(signed).toMatchObject({ status: 404, body: { code: 'door.no_webhook' } });
    for (const name of ['__proto__', 'constructor', '..%2fforge', 'Forge', 'x'.repeat(900)]) {
      const got = await post(name, BODY, { ...json, 'x-hub-signature-256': good });
      expect(got.status).toBe(404);
    }
  });

  test('under a name that a broken file may define; the operator learns of it, and the sender may send again', async () => {
    const file = 'registry/high-level/torn.yaml';
    project.write({ [file]: 'id: torn\ntriggers: [' });
    const got = await post('torn', BODY, { ...json, 'x-hub-signature-256': good });
    rmSync(join(project.root, file));
    expect(got).toMatchObject({ status: 500, body: { code: 'internal.error' } });
    expect(door.notes.at(-1)).toContain('POST /v1/webhooks/torn failed: Error: definition.syntax');
  });

  test.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['plain text', { 'content-type': 'text/plain' }, 415],
    ['no type', { 'content-type': '' }, 415],
    ['a page of another site', { origin: 'https://evil.test' }, 403],
    ['a foreign host', { host: 'evil.test' }, 421],
  ])('from %s, even if it is signed', async (_, headers, status) => {
    const got = await sendRaw(door.url, {
      method: 'POST',
      path: '/v1/webhooks/forge',
      headers: { ...json, 'x-hub-signature-256': good, ...headers },
      pieces: [BODY],
    });
    expect(got.status).toBe(status);
    expect(await explainTask(project.connection, 'forged').catch((error: Error) => error.message)).toBe(
      'There is no task forged',
    );
  });

  test.each([
    '{"action":"opened","n":"x","__proto__":{"polluted":1}}',
    '{"action":"opened","n":"x","a":[{"constructor":{"prototype":{"polluted":1}}}]}',
    `{"action":"opened","n":"x","a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    '{"action":"opened","n":"x","a":1e999}',
  ])('with a malformed or malicious body, number %#', async (text) => {
    const got = await forge(text);
    expect(got).toMatchObject({ status: 400, body: { code: 'door.bad_request' } });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each(['signed or not', 'without a signature at all'])(
    'of 100 MB, %s, and is not read to its end',
    async (how) => {
      const size = 100 * 1024 * 1024;
      const piece = Buffer.alloc(64 * 1024, 0x20);
      function* pieces() {
        for (let at = 0; at < size; at += piece.length) yield piece;
      }
      const headers = { ...json, ...(how === 'signed or not' && { 'x-hub-signature-256': good }) };
      const got = await sendRaw(door.url, { method: 'POST', path: '/v1/webhooks/forge', headers, pieces: pieces() });
      expect([0, 401, 413]).toContain(got.status);
      expect(got.written).toBeLessThan(size / 2);
    },
  );

  test('more often than the door allows', async () => {
    const strict = await openDoor(project.connection, {
      limits: { ...USUAL_LIMITS, rate: { burst: 3, perSecond: 0.001 } },
    });
    const all = [];
    for (let at = 0; at < 5; at += 1) all.push(await post('forge', BODY, json, strict));
    expect(all.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429]);
    await strict.close();
  });

  test('if the secret is not set; the operator learns that, and the sender does not', async () => {
    project.write({ '.env': `OTHER=${OTHER}\nSTANDARD=${STANDARD}\n` });
    const got = await forge({ action: 'opened', n: 'x' });
    expect(got).toMatchObject({ status: 500, body: { code: 'internal.error' } });
    expect(JSON.stringify(got.body)).not.toMatch(/FORGE|env/);
    expect(door.notes.at(-1)).toMatch(/Missing required configuration: FORGE/);
    project.write({ '.env': `FORGE=${SECRET}\nOTHER=${OTHER}\nSTANDARD=${STANDARD}\n` });
  });
});

/** The door as a process of its own, without a worker. */
async function serve(): Promise<{ at: Pick<OpenDoor, 'url'>; kill(): Promise<unknown>; stderr(): string }> {
  const env = { TEMPORAL_ADDRESS: inject('temporal').address, ABILITY_SEAL_KEYS: TEST_KEYS };
  const running = start(['serve', '--port', '0', '--json'], { cwd: project.root, env });
  let [stdout, stderr] = ['', ''];
  running.stderr?.on('data', (text: Buffer) => {
    stderr += String(text);
  });
  const url = await new Promise<string>((resolve, reject) => {
    running.stdout?.on('data', (text: Buffer) => {
      stdout += String(text);
      if (stdout.trimEnd().endsWith('}')) resolve((JSON.parse(stdout) as { url: string }).url);
    });
    running.then((end) => reject(new Error(`the door ended: ${end.stderr}`)), reject);
  });
  const kill = (): Promise<unknown> => {
    running.kill('SIGKILL');
    return running;
  };
  return { at: { url }, kill, stderr: () => stderr };
}

test(
  'a delivery accepted while no worker is up is one task once one is up, even if the door was killed (R-000-82)',
  LONG,
  async () => {
    await project.stopWorkers();
    const first = await serve();
    const send = (id: string, at: Pick<OpenDoor, 'url'>) =>
      forge({ action: 'opened', n: id }, { at, headers: { 'x-github-delivery': `${id}-${process.pid}` } });
    expect(await send('waits', first.at)).toMatchObject({ status: 202, body: { status: 'started', known: false } });
    // Killed while it accepts others: some have reached Temporal by then, some have not.
    const cut = ['cut0', 'cut1', 'cut2', 'cut3'].map((id) => send(id, first.at).catch(() => undefined));
    await expect.poll(async () => (await deliveries()).length, { timeout: 20_000 }).toBeGreaterThan(1);
    await first.kill();
    await Promise.all(cut);
    const second = await serve();
    const ids = ['waits', 'cut0', 'cut1', 'cut2', 'cut3'];
    const again = await Promise.all(ids.map((id) => send(id, second.at)));
    expect(again.map(({ status, body }) => `${status} ${body.status}`)).toEqual(ids.map(() => '202 started'));
    expect(again[0]?.body.known).toBe(true);
    await expect.poll(second.stderr).toContain('Receives webhooks at /v1/webhooks/forge, for util.note.');
    await second.kill();
    await project.restartWorkers();
    for (const id of ids) await expect.poll(() => noted(id), { timeout: 60_000 }).toBe(1);
    for (const id of ids) expect((await ended(`webhook:forge:${id}-${process.pid}`)).status).toBe('succeeded');
    expect(ids.map(noted)).toEqual(ids.map(() => 1));
  },
);

/** The tasks of deliveries that are still running. */
async function deliveries(): Promise<string[]> {
  const { temporal, project: name } = project.connection;
  const ids: string[] = [];
  const query = `AbilityProject = '${name}' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH 'webhook:'`;
  for await (const { workflowId } of temporal.workflow.list({ query })) ids.push(workflowId);
  return ids;
}

test.each([
  ['whose secret is not set', 'webhook: late, secret: "env:NOT_SET", environment: dev', 'config.missing_credential', 3],
  ['whose secret is too short', 'webhook: late, secret: "env:SHORT", environment: dev', 'config.invalid', 2],
  ['with the name of another', 'webhook: forge, secret: "env:FORGE", environment: dev', 'definition.duplicate', 2],
  ['without one of several environments', 'webhook: late, secret: "env:FORGE"', 'config.no_environment', 2],
  [
    'whose key is the same for each delivery',
    'webhook: late, secret: "env:FORGE", environment: dev, key: x',
    'definition.invalid',
    2,
  ],
])('the door does not start with a webhook %s, and names it', async (_, trigger, code, exitCode) => {
  const file = 'registry/high-level/late.yaml';
  project.write(workflow('late', `triggers: [{ ${trigger} }]\nsteps: [{ id: one, let: { n: 1 } }]`));
  const end = await abilityJson(['serve', '--port', '0'], { cwd: project.root, env: { SHORT: 'whsec_c2hvcnQ=' } });
  rmSync(join(project.root, file));
  expect(end).toMatchObject({ exitCode, json: { error: { code } } });
  expect(end.json.error.message + JSON.stringify(end.json.error.location)).toMatch(/late|forge/);
});

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createKey, PAYLOAD_KEYS, rotateKeys, SEAL_KEYS } from '../../src/server/keys/key-list.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFiles, projectFile, workflow } from '../fixtures/project-folder.js';
import { leftOf } from '../fixtures/secret-forms.js';
import { serveDoorIn } from '../fixtures/served-door.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';

const CANARY = 'canary-5be1';
const [OLD, NEW] = ['old', 'new'].map((id) => createKey(id, PAYLOAD_KEYS)) as [string, string];
const BOTH = rotateKeys(PAYLOAD_KEYS, `${OLD},${NEW}`);

const FILES: ProjectFiles = {
  ...operation('talk', 'return { said: input.text.repeat(input.times ?? 1) };'),
  ...operation('shout', 'throw new Error(`cannot shout ${input.text}`);'),
  ...workflow(
    'flow',
    `input_schema: { type: object, properties: { text: { type: string } } }
steps:
  - { id: ask, approval: { title: "Say \${{ input.text }}?" } }
  - { id: large, call: talk, with: { text: "\${{ input.text }}", times: 30000 } }
  - { id: bad, call: shout, with: { text: "\${{ input.text }}" } }`,
  ),
  ...workflow('waits', 'steps: [{ id: w, wait: { signal: go } }, { id: t, call: talk, with: { text: done } }]'),
};

/** All files below a folder, as they are on the disk. */
function bytesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describe('with ABILITY_PAYLOAD_KEYS', () => {
  test('neither database nor store of the runtime shows an input, output, error or comment; every door does', async () => {
    const project = makeProject({ 'ability.yaml': projectFile('{ dev: {} }'), ...FILES });
    const at = { cwd: project.root, env: { ABILITY_PAYLOAD_KEYS: OLD } };
    onTestFinished(async () => {
      await ability(['down'], at);
      project.remove();
    });
    const talked = await abilityJson(['run', 'talk', '--set', `text=${CANARY}`, '--intent', CANARY], at);
    expect(talked.json.output).toEqual({ said: CANARY });
    expect((await abilityJson(['run', 'flow', '--set', `text=${CANARY}`, '--key', 'f'], at)).exitCode).toBe(5);
    await ability(['approve', 'f', '--as', 'alice', '--comment', `${CANARY} it is`], at);
    await ability(['task', 'watch', 'f'], at);
    const why = await abilityJson(['why', 'f'], at);
    expect(why.json.error.message).toContain(`cannot shout ${CANARY}`);
    const { stdout } = await ability(['why', 'f'], at);
    expect(stdout).toContain(`${CANARY} it is`);
    // The attempts are read from the history.
    expect(stdout).toMatch(new RegExp(`attempt 2 failed: script.exit [^]*cannot shout ${CANARY}`));
    for (const folder of ['temporal', 'store']) {
      expect([folder, bytesBelow(join(project.root, '.system', folder)).includes(CANARY)]).toEqual([folder, false]);
    }
    const blind = await abilityJson(['task', 'result', 'f'], { ...at, env: { ABILITY_SOCKET: 'off' } });
    expect(blind.json.error).toMatchObject({ code: 'payload.unknown_key' });
    const wrong = await abilityJson(['task', 'list'], {
      ...at,
      env: { ABILITY_PAYLOAD_KEYS: 'x', ABILITY_SOCKET: 'off' },
    });
    expect(wrong.json.error).toMatchObject({ code: 'payload.no_key' });
  }, 120_000);
});

describe('a secret that a call printed', () => {
  test('is in no file, no answer of a door and nothing that the Temporal UI is served', {
    ...LONG,
    timeout: 120_000,
  }, async () => {
    const secret = `canary-${randomBytes(12).toString('hex')}`;
    const project = makeProject({
      'ability.yaml': projectFile('{ dev: {} }'),
      'registry/config/profiles.yaml': JSON.stringify({
        env_profiles: { secret: { pass: ['PATH'], secrets: { TOKEN: 'env:CANARY' } } },
      }),
      ...operation(
        'leaks',
        'console.error(process.env.TOKEN, Buffer.from(process.env.TOKEN).toString("base64")); throw new Error(process.env.TOKEN);',
        { script: ', env_profile: secret' },
      ),
    });
    const at = { cwd: project.root, env: { ABILITY_PAYLOAD_KEYS: OLD, CANARY: secret } };
    onTestFinished(async () => {
      await ability(['down'], at);
      project.remove();
    });
    const ran = await abilityJson(['run', 'leaks', '--key', 'c'], at);
    expect(ran.json).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('***') } });
    const door = await serveDoorIn(at);
    onTestFinished(async () => void (await door.stop()));
    const read = async (address: string) => {
      const answer = await fetch(address);
      expect([address, answer.status]).toEqual([address, 200]);
      return answer.text();
    };
    const ofDoor = ['', '/result', '/record', '/why', '/logs'].map((part) => `${door.url}/v1/tasks/c${part}`);
    const { ui } = JSON.parse(readFileSync(join(project.root, '.system/runtime.json'), 'utf8')) as { ui: string };
    const workflows = `${ui}/api/v1/namespaces/default/workflows`;
    const ofUi = [workflows, `${workflows}/c`, `${workflows}/c/history`];
    const answers = await Promise.all([...ofDoor, `${door.url}/v1/tasks`, ...ofUi].map(read));
    expect(answers.join()).toMatch(/leaks/);
    const payloads = [...answers.join().matchAll(/"data":\s*"([^"]+)"/g)].map(([, data]) =>
      Buffer.from(data ?? '', 'base64'),
    );
    expect(payloads.length).toBeGreaterThan(3);
    const shown = [...answers, ...payloads.map((data) => data.toString('latin1')), bytesBelow(project.root)];
    for (const text of shown) expect(leftOf(text, secret)).toBe(undefined);
  });
});

describe('on a server that several share', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTemporal();
  });
  afterAll(() => server.stop());

  function open() {
    const project = makeProject({ 'ability.yaml': projectFile('{ dev: {} }'), ...FILES });
    const seal = createKey('seal', SEAL_KEYS);
    const envOf = (keys: string | undefined) => ({
      TEMPORAL_ADDRESS: server.address,
      ABILITY_SEAL_KEYS: seal,
      ABILITY_PAYLOAD_KEYS: keys,
    });
    const json = (keys: string | undefined, ...args: string[]) =>
      abilityJson(args, { cwd: project.root, env: envOf(keys) });
    /** Once it serves tasks of its keys. */
    const worker = async (keys: string | undefined) => {
      const started = start(['worker'], { cwd: project.root, env: envOf(keys) });
      const serves = async () => (await json(keys, 'run', 'talk', '--set', 'text=up')).exitCode;
      await expect.poll(serves, { timeout: 60_000 }).toBe(0);
      return async () => {
        started.kill('SIGTERM');
        await started.catch(() => {});
      };
    };
    onTestFinished(() => project.remove());
    return { project, envOf, json, worker };
  }

  const RUNNING = 200;

  test(`keys rotate while ${RUNNING} tasks run; a worker without the key fails by its code, and loses nothing`, {
    ...LONG,
    timeout: 600_000,
  }, async () => {
    const { json, worker } = open();
    const first = await worker(OLD);
    const keys = Array.from({ length: RUNNING }, (_, index) => `r${index}`);
    const atOnce = Array.from({ length: 10 }, (_, lane) => keys.filter((_key, index) => index % 10 === lane));
    const each = (action: (key: string) => Promise<unknown>) =>
      Promise.all(
        atOnce.map(async (lane) => {
          for (const key of lane) await action(key);
        }),
      );
    await each((key) => json(OLD, 'run', 'waits', '--key', key, '--detach'));
    await first();
    // It decrypts the old ones, and encrypts with the new key.
    const second = await worker(BOTH);
    const early = new Set(keys.slice(0, RUNNING / 2));
    await each(async (key) => {
      if (!early.has(key)) return;
      await json(BOTH, 'task', 'signal', key, 'go');
      expect((await json(BOTH, 'task', 'watch', key)).json).toMatchObject({ status: 'succeeded' });
    });
    await json(BOTH, 'run', 'waits', '--key', 'fresh', '--detach');
    await second();
    // Workers with other keys, or with none.
    for (const others of [OLD, undefined]) {
      const stranger = await worker(others);
      await json(BOTH, 'task', 'signal', 'fresh', 'go');
      const end = await json(BOTH, 'task', 'watch', 'fresh', '--timeout', '90s');
      expect(end.json).toMatchObject({ error: { code: 'payload.unknown_key' } });
      await stranger();
    }
    const last = await worker(BOTH);
    const ends = async (key: string): Promise<void> => {
      await json(BOTH, 'task', 'signal', key, 'go');
      // Temporal tries again with pauses that have grown meanwhile.
      const status = async () => (await json(BOTH, 'task', 'watch', key)).json.status;
      await expect.poll(status, { timeout: 90_000 }).toBe('succeeded');
    };
    await Promise.all([each(async (key) => void (early.has(key) || (await ends(key)))), ends('fresh')]);
    await last();
  });

  test('the door decodes for the Temporal UI, for people who may read, and for no other page', async () => {
    const { project, envOf, json, worker } = open();
    const stop = await worker(OLD);
    onTestFinished(stop);
    await json(OLD, 'run', 'talk', '--set', `text=${CANARY}`, '--key', 'seen');
    const ui = 'http://ui.acme.test:8233';
    const door = await serveDoorIn({ cwd: project.root, env: { ...envOf(OLD), TEMPORAL_UI_ADDRESS: ui } });
    onTestFinished(async () => void (await door.stop()));
    const connection = await Connection.connect({ address: server.address });
    const { events } = await new Client({ connection }).workflow.getHandle('seen').fetchHistory();
    await connection.close();
    const payloads = (events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? []) as Payload[];
    const asJson = payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata ?? {}).map(([k, v]) => [k, Buffer.from(v).toString('base64')]),
      ),
      data: Buffer.from(data ?? []).toString('base64'),
    }));
    expect(JSON.stringify(asJson)).not.toContain(Buffer.from(CANARY).toString('base64').slice(0, 8));
    const decode = (headers: Record<string, string>, method = 'POST') =>
      fetch(`${door.url}/codec/decode`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(method === 'POST' && { body: JSON.stringify({ payloads: asJson }) }),
      });
    const preflight = await decode({ origin: ui, 'access-control-request-method': 'POST' }, 'OPTIONS');
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, ui]);
    const answer = await decode({ origin: ui, 'x-namespace': 'default' });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, ui]);
    const { payloads: decoded } = (await answer.json()) as { payloads: { data: string }[] };
    expect(decoded.map(({ data }) => Buffer.from(data, 'base64').toString()).join()).toContain(CANARY);
    for (const origin of ['http://evil.acme.test', 'http://ui.acme.test:9', 'null']) {
      const refused = await decode({ origin });
      expect([origin, refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([origin, 403, null]);
    }
    expect((await decode({ origin: ui, authorization: 'Bearer abt_wrong' })).status).toBe(401);
  }, 120_000);
});

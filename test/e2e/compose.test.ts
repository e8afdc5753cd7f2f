import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ATTRIBUTES } from '../../src/contracts/names.js';
import { abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { makeProject, projectFile } from '../fixtures/project-folder.js';
import { closedPort } from '../fixtures/servers/recording-service.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const KEYS = `main:${randomBytes(32).toString('base64url')}`;
const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });

function hasParser(): boolean {
  try {
    execFileSync('docker-compose', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('docker-compose.yml', () => {
  test.skipIf(!hasParser())('is accepted by docker-compose (needs docker-compose)', () => {
    const options = { cwd: ROOT, encoding: 'utf8', env: { ...process.env, ABILITY_SEAL_KEYS: KEYS } } as const;
    const shown = execFileSync('docker-compose', ['config'], options);
    expect(Object.keys(parse(shown).services).sort()).toEqual(Object.keys(compose.services).sort());
  });

  test('exposes no port beyond loopback', () => {
    for (const { ports = [] } of Object.values<{ ports?: string[] }>(compose.services)) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  });

  test('creates the search attributes that tasks carry', () => {
    const [script] = compose.services.namespace.command;
    for (const name of Object.keys(ATTRIBUTES)) expect(script).toContain(name);
  });
});

describe('the worker of docker-compose.yml, with its command and settings but no container', () => {
  let server: TestServer;
  let store: string;

  beforeAll(async () => {
    server = await startTemporal();
    store = mkdtempSync(join(tmpdir(), 'ability-store-'));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(store, { recursive: true, force: true });
  });

  test('serves tasks', async () => {
    const { command, environment } = compose.services.worker;
    const own = { TEMPORAL_ADDRESS: server.address, ABILITY_SEAL_KEYS: KEYS, ABILITY_STORE: store };
    expect(Object.keys(environment).sort()).toEqual([...Object.keys(own), 'TEMPORAL_NAMESPACE'].sort());
    // The ports of the file may be taken here.
    const port = String(await closedPort());
    const here = (text: string): string => text.replace('9465', port);
    const worker = start(command.map(here), { cwd: ROOT, env: { ...environment, ...own } });
    const options = { cwd: ROOT, env: own };
    const run = ['run', 'generate_example_data', '--set', 'count=3', '--env', 'dev'];
    const attempt = async () => (await abilityJson(run, options)).json;
    await expect.poll(async () => (await attempt()).status, { timeout: 40_000 }).toBe('succeeded');
    expect(environment.TEMPORAL_NAMESPACE).toBe('default');
    const [, program, ...args] = (compose.services.worker.healthcheck.test as string[]).map(here);
    const isHealthy = () => spawnSync(program as string, args).status === 0;
    await expect.poll(isHealthy, { timeout: 10_000 }).toBe(true);
    worker.kill('SIGTERM');
    expect(await worker).toMatchObject({ exitCode: 0 });
    expect(isHealthy()).toBe(false);
    expect(compose.services.worker.stop_grace_period).toBe('90s');
  });

  test('has a door beside it, with its settings, whose command is one that the door accepts', async () => {
    const { command, environment, healthcheck } = compose.services.serve;
    expect(environment).toEqual(compose.services.worker.environment);
    expect(healthcheck.test.join()).toContain('/v1/health');
    const project = makeProject({ 'ability.yaml': projectFile('{ dev: {} }') });
    const own = { TEMPORAL_ADDRESS: server.address, ABILITY_SEAL_KEYS: KEYS, ABILITY_STORE: store };
    const options = { cwd: project.root, env: { ...environment, ...own } };
    expect((await abilityJson(command, options)).json).toMatchObject({ error: { code: 'door.no_token' } });
    expect(await abilityJson(['token', 'create', '--person', 'ada', '--can', 'read'], options)).toMatchObject({
      exitCode: 0,
    });
    const port = String(await closedPort());
    const door = start(
      command.map((text: string) => text.replace('7230', port)),
      options,
    );
    const status = () =>
      fetch(`http://127.0.0.1:${port}/v1/health`).then(
        (answer) => answer.status,
        () => 0,
      );
    await expect.poll(status, { timeout: 20_000 }).toBe(200);
    door.kill('SIGTERM');
    expect(await door).toMatchObject({ exitCode: 0 });
    project.remove();
  });

  test('refuses to start without seal keys, which the file requires', async () => {
    const end = await abilityJson(['worker'], { cwd: ROOT, env: { TEMPORAL_ADDRESS: server.address } });
    expect(end).toMatchObject({ exitCode: 7, json: { error: { code: 'seal.no_key' } } });
    expect(compose.services.worker.environment.ABILITY_SEAL_KEYS).toMatch(/^\$\{ABILITY_SEAL_KEYS:\?/);
  });

  test('exits with 7 if the namespace does not exist, so that `restart:` takes effect', async () => {
    const env = { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: 'nowhere', ABILITY_SEAL_KEYS: KEYS };
    const end = await abilityJson(['worker'], { cwd: ROOT, env: { ...env, ABILITY_STORE: store } });
    expect(end).toMatchObject({ exitCode: 7, json: { error: { code: 'temporal.unavailable' } } });
    expect(end.json.error.message).toMatch(/namespace nowhere/);
  });

  test('a client reports a namespace that does not exist', async () => {
    const env = { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: 'nowhere' };
    for (const args of [
      ['run', 'generate_example_data', '--set', 'count=3', '--env', 'dev'],
      ['task', 'list'],
      ['task', 'show', 'x'],
    ]) {
      const end = await abilityJson(args, { cwd: ROOT, env });
      expect(end).toMatchObject({ exitCode: 7, json: { error: { code: 'temporal.unavailable' } } });
      expect(end.json.error.message).toMatch(/has no namespace nowhere/);
    }
  });
});

import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/server/temporal/ports.js';
import { abilityJson } from '../fixtures/called-command.js';
import { ability, start } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder } from '../fixtures/project-folder.js';
import { namesOf } from '../fixtures/read-metrics.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';

let server: TestServer;
let project: ProjectFolder;
let client: string;
let metrics: string;
let worker: ReturnType<typeof start>;

/** The worker has one checkout of the project, and the caller has another. */
beforeAll(async () => {
  server = await startTemporal();
  project = makeProject(operation('util.echo', 'console.log("hello"); return input;'));
  client = realpathSync(mkdtempSync(join(tmpdir(), 'ability-client-')));
  cpSync(project.root, client, { recursive: true });
  const keys = `main:${randomBytes(32).toString('base64url')}`;
  metrics = `127.0.0.1:${await freePort()}`;
  worker = start(['worker', '--metrics', metrics], { cwd: project.root, env: { ...env(), ABILITY_SEAL_KEYS: keys } });
});
afterAll(async () => {
  worker.kill('SIGTERM');
  await worker;
  await server.stop();
  project.remove();
  rmSync(client, { recursive: true, force: true });
});

const env = () => ({ TEMPORAL_ADDRESS: server.address });
const json = (...args: string[]) => abilityJson(args, { cwd: client, env: env() });

test('a worker serves its own metrics, and one that cannot reports that', async () => {
  await expect
    .poll(() => fetch(`http://${metrics}/metrics`).then((answer) => answer.text()), { timeout: 30_000 })
    .toMatch(/^temporal_worker_task_slots_available\{.*\} \d+$/m);
  // Every worker metric named by the dashboard and the page exists.
  const named = ['grafana/ability-runtime.json', 'metrics.md'].flatMap((path) => {
    const text = readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
    return text.match(/\btemporal_[a-z_]+[a-z]\b/g) ?? [];
  });
  expect(new Set(named).size).toBeGreaterThan(3);
  await expect
    .poll(
      async () => {
        const known = namesOf(await fetch(`http://${metrics}/metrics`).then((answer) => answer.text()));
        return [...new Set(named)].filter((name) => !known.has(name));
      },
      { timeout: 30_000 },
    )
    .toEqual([]);
  const keys = `main:${randomBytes(32).toString('base64url')}`;
  const second = await ability(['worker', '--metrics', metrics], {
    cwd: project.root,
    env: { ...env(), ABILITY_SEAL_KEYS: keys },
  });
  expect(second.exitCode).toBe(7);
  expect(second.stderr).toMatch(/door\.not_listening.*Address already in use/);
});

test('results and `ability open` lead to the page of the team, where its address is set', async () => {
  const page = 'https://ability.acme.test';
  const at = (more: Record<string, string>) => ({ cwd: client, env: { ...env(), ...more } });
  const run = () => json('run', 'util.echo', '--set', 'n:=7', '--key', 'seen');
  await expect.poll(async () => (await run()).json.status, { timeout: 40_000 }).toBe('succeeded');
  expect((await json('task', 'result', 'seen')).json.links.page).toBeNull();
  const known = at({ ABILITY_PAGE_ADDRESS: `${page}/` });
  expect((await abilityJson(['task', 'result', 'seen'], known)).json.links.page).toBe(`${page}/tasks/seen`);
  expect((await ability(['why', 'seen'], known)).stdout).toContain(`page: ${page}/tasks/seen\n`);
  expect((await abilityJson(['open', 'seen'], known)).json).toEqual({ url: `${page}/tasks/seen` });
  expect((await json('open', 'seen')).json.error).toMatchObject({ code: 'config.invalid' });
  for (const wrong of ['ability.acme.test', 'ftp://ability.acme.test', `${page}/page`, `${page}?a=b`]) {
    const { json: refused } = await abilityJson(['open', 'seen'], at({ ABILITY_PAGE_ADDRESS: wrong }));
    expect([wrong, refused.error.message]).toEqual([wrong, expect.stringContaining(wrong)]);
  }
});

test('a record in the folder of another worker is reported as such; the input comes from the history', async () => {
  const run = () => json('run', 'util.echo', '--set', 'n:=7', '--key', 'far');
  await expect.poll(async () => (await run()).json.status, { timeout: 40_000 }).toBe('succeeded');
  // A history does not keep the folder of its worker, and the host is the same.
  for (const command of ['record', 'logs']) {
    const end = await json('task', command, 'far');
    expect(end).toMatchObject({ exitCode: 2, json: { error: { code: 'record.missing' } } });
    expect(end.json.error.suggestion).toContain('its worker runs in another folder');
  }
  expect((await json('task', 'get', 'far')).json).toEqual({ n: 7 });
  expect((await json('task', 'get', 'far', 'n')).json).toBe(7);
  expect(await json('task', 'record', 'unknown-key')).toMatchObject({ json: { error: { code: 'task.not_found' } } });
});

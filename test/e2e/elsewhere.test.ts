import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder } from '../fixtures/project-folder.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';

let server: TestServer;
let project: ProjectFolder;
let client: string;
let worker: ReturnType<typeof start>;

/** The worker has one checkout of the project, the caller another one. */
beforeAll(async () => {
  server = await startTemporal();
  project = makeProject(operation('util.echo', 'console.log("hello"); return input;'));
  client = realpathSync(mkdtempSync(join(tmpdir(), 'ability-client-')));
  cpSync(project.root, client, { recursive: true });
  const keys = `main:${randomBytes(32).toString('base64url')}`;
  worker = start(['worker'], { cwd: project.root, env: { ...env(), ABILITY_SEAL_KEYS: keys } });
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

test('a record that is elsewhere is reported with its host; the input comes from the history', async () => {
  const run = () => json('run', 'util.echo', '--set', 'n:=7', '--key', 'far');
  await expect.poll(async () => (await run()).json.status, { timeout: 40_000 }).toBe('succeeded');
  for (const command of ['record', 'logs']) {
    const end = await json('task', command, 'far');
    expect(end).toMatchObject({ exitCode: 2, json: { error: { code: 'record.remote' } } });
    expect(end.json.error.message).toContain(`is on ${hostname()}, where its worker keeps it: ${project.root}`);
  }
  expect((await json('task', 'get', 'far')).json).toEqual({ n: 7 });
  expect((await json('task', 'get', 'far', 'n')).json).toBe(7);
  expect(await json('task', 'record', 'nobody')).toMatchObject({ json: { error: { code: 'task.not_found' } } });
});

import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import { openStore } from '../../src/server/store/open-store.js';
import { makeS3Client } from '../../src/server/store/s3/s3-objects.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { type S3Server, startS3 } from '../fixtures/servers/s3-server.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';

const { server, why } = await startS3();
const temporary = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'ability-test-shared-')));

/** A folder, and S3 if it is available. */
const STORES: [string, () => Promise<string>][] = [['a folder', async () => temporary()]];
if (server) STORES.push(['S3', () => bucketOf(server)]);
else test.skip(`a shared store in S3 (skipped: ${why})`, () => {});

async function bucketOf({ env }: S3Server): Promise<string> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const Bucket = `ability-${randomUUID()}`;
  await (await makeS3Client()).send(new CreateBucketCommand({ Bucket }));
  return `s3://${Bucket}/team`;
}
afterAll(async () => {
  vi.unstubAllEnvs();
  await server?.stop();
});

let temporal: TestServer;
let at: { address: string; ui: string };
beforeAll(async () => {
  temporal = await startTemporal();
  at = { address: temporal.address, ui: temporal.ui };
});
afterAll(() => temporal.stop());

describe.each(STORES)('a shared store in %s', (_, make) => {
  let store: string;
  let project: RunningProject;
  /** The folder of the project on another machine. */
  let elsewhere: string;
  const inStore = async (): Promise<string[]> =>
    (await openStore(store, null).listNamed('tasks/')).map(({ name }) => name.replace(/\d{8}T\d{9}Z-\w+-\w+/, 'LOG'));

  beforeAll(async () => {
    store = await make();
    project = await runProject(
      {
        'ability.yaml': projectFile(),
        ...operation('s.adds', 'return 1;', { effects: 'write_additive' }),
        ...operation('s.says', 'console.log(`it says ${input.text}`); return { text: input.text };'),
        ...operation(
          's.waits',
          'console.log("begun"); while (!existsSync(input.file)) await sleep(50); console.log("over"); return 1;',
        ),
        ...workflow('inner', 'steps: [{ id: b, call: s.says, with: { text: inner } }]'),
        ...workflow(
          'outer',
          'steps: [{ id: a, call: s.says, with: { text: outer } }, { id: i, call: inner, with: {} }]\noutput: "${{ steps.a.output.text }}"',
        ),
      },
      { ...at, store },
    );
    elsewhere = temporary();
    for (const part of ['ability.yaml', 'registry', 'scripts']) {
      cpSync(join(project.root, part), join(elsewhere, part), { recursive: true });
    }
  });
  afterAll(async () => {
    await project.stop();
    for (const folder of [elsewhere, ...(store.startsWith('/') ? [store] : [])]) {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  async function end(name: string, input: JsonObject = {}): Promise<{ id: string; result: unknown }> {
    const { id } = await project.create(name, input);
    const ended = await project.wait(id);
    return { id, result: ended.kind === 'ended' ? ended.result : ended };
  }
  const there = (withStore = true) => ({
    cwd: elsewhere,
    env: { TEMPORAL_ADDRESS: project.connection.address, ABILITY_STORE: withStore ? store : undefined },
  });

  test('gives the record and the logs of a task to machines that do not have them', async () => {
    const { id: key } = await end('outer');
    const record = await abilityJson(['task', 'record', key], there());
    expect(record).toMatchObject({
      exitCode: 0,
      json: { task_key: key, host: hostname(), result: { status: 'succeeded', output: 'outer' } },
    });
    const { stdout } = await ability(['task', 'record', key], there());
    expect(stdout).toContain(key);
    const logs = await abilityJson(['task', 'logs', key], there());
    expect(logs).toMatchObject({ exitCode: 0, json: [{ step: 'a', stream: 'stdout', text: 'it says outer' }] });
    expect(await ability(['task', 'logs', key, 'other'], there())).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('There are logs of: a'),
    });
    // Lines that are in the worker's folder are not shown twice.
    const here = await abilityJson(['task', 'logs', key], { ...there(), cwd: project.root });
    expect(here.json).toHaveLength(1);
  });

  test('is required in another folder: without it the record is missing there', async () => {
    const { id: key } = await end('s.says', { text: 'x' });
    for (const what of ['record', 'logs']) {
      const { exitCode, stderr } = await ability(['task', what, key], there(false));
      expect({ what, exitCode, stderr }).toMatchObject({
        what,
        stderr: expect.stringMatching(/record\.missing/),
      });
    }
  });

  test('shows what a call writes while it runs', async () => {
    const file = join(elsewhere, randomUUID());
    const { id } = await project.create('s.waits', { file });
    const lines = async (): Promise<string[]> => {
      const { json } = await abilityJson(['task', 'logs', id], there());
      return Array.isArray(json) ? json.map(({ text }: { text: string }) => text) : [];
    };
    await expect.poll(lines, { timeout: 20_000, interval: 200 }).toEqual(['begun']);
    expect(await abilityJson(['task', 'record', id], there())).toMatchObject({ exitCode: 0, json: { result: null } });
    const followed = ability(['task', 'logs', id, '--follow'], there());
    writeFileSync(file, '');
    await project.wait(id);
    const { exitCode, stdout } = await followed;
    expect({ exitCode, lines: stdout.split('\n').map((line) => line.replace(/.*: /, '')) }).toEqual({
      exitCode: 0,
      lines: ['begun', 'over'],
    });
  });

  test('keeps nothing of a deleted task, nor of the tasks it called', async () => {
    const { id: key } = await end('outer');
    const { id: other } = await end('s.says', { text: 'stays' });
    const of = async (task: string): Promise<string[]> =>
      (await inStore()).filter((name) => name.includes(`/${task}/`));
    const name = project.connection.project;
    expect(await of(key)).toEqual([
      `tasks/${name}/${key}/children/i/logs/b/LOG.jsonl`,
      `tasks/${name}/${key}/children/i/record.json`,
      `tasks/${name}/${key}/children/i/tool_call.md`,
      `tasks/${name}/${key}/logs/a/LOG.jsonl`,
      `tasks/${name}/${key}/record.json`,
      `tasks/${name}/${key}/tool_call.md`,
    ]);
    expect(await ability(['task', 'delete', key, '--yes'], there())).toMatchObject({ exitCode: 0 });
    expect(await of(key)).toEqual([]);
    expect(await of(other)).toHaveLength(3);
    for (const what of ['record', 'logs']) {
      expect(await ability(['task', what, key], there())).toMatchObject({
        stderr: expect.stringContaining('task.deleted'),
      });
    }
  });

  test('holds values that are too large for a history, and every command reads them', async () => {
    const text = 'x'.repeat(300_000);
    const { id: key } = await end('s.says', { text });
    const { exitCode, json } = await abilityJson(['task', 'result', key], there());
    expect({ exitCode, isWhole: json.output.text === text }).toEqual({ exitCode: 0, isWhole: true });
  });

  test('stores the mark of a call that must not be repeated, before the call begins', async () => {
    const { result } = await end('s.adds');
    expect(result).toMatchObject({ status: 'succeeded' });
    const marks = store.startsWith('/')
      ? readdirSync(join(store, 'marks'))
      : await openStore(store, null).listNamed('effect-marks/');
    expect(marks).toHaveLength(1);
  });

  test('is checked by doctor', async () => {
    const { json } = await abilityJson(['doctor'], there());
    const [check] = json.checks.filter(({ name }: { name: string }) => name === 'store');
    expect(check).toMatchObject({ status: 'ok', message: expect.stringContaining(store) });
    expect(await openStore(store, null).listNamed('doctor/')).toEqual([]);
  });
});

test('an unusable store fails no task with small values, and what is missing in it is counted', async () => {
  const folder = temporary();
  const store = join(folder, 'file');
  const project = await runProject(
    { 'ability.yaml': projectFile(), ...operation('s.says', 'console.log("a line"); return 1;') },
    { ...at, store },
  );
  rmSync(store, { recursive: true, force: true });
  writeFileSync(store, 'in the way');
  expect(await project.run('s.says')).toMatchObject({ status: 'succeeded', output: 1 });
  const { id } = await project.create('s.says');
  await project.wait(id);
  expect(project.host().sharedMissing).toBeGreaterThan(0);
  const env = { TEMPORAL_ADDRESS: at.address, ABILITY_STORE: store };
  const record = await abilityJson(['task', 'record', id], { cwd: project.root, env });
  expect(record).toMatchObject({ exitCode: 0, json: { result: { status: 'succeeded' } } });
  const logs = await ability(['task', 'logs', id], { cwd: project.root, env });
  expect(logs).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('a line') });
  await project.stop();
  rmSync(folder, { recursive: true });
});

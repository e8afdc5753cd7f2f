import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder, workflow } from '../fixtures/project-folder.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';

const KEYS = `main:${randomBytes(32).toString('base64url')}`;
/** Larger than what stays in a history. */
const LARGE = 200_000;

// Workers are started and stopped many times, and Temporal waits ten seconds before it tries another one.
vi.setConfig({ testTimeout: 180_000 });

let server: TestServer;
let here: ProjectFolder;
let there: string;
let shared: string;
/** The running workers, by folder and store. */
const workers = new Map<string, ReturnType<typeof start>>();

beforeAll(async () => {
  server = await startTemporal();
  here = makeProject({
    ...operation('two.grow', 'return { text: input.text + input.text, by: "planned" };'),
    ...operation('two.once', 'appendFileSync(input.file, "x"); return { size: input.text.length, by: "planned" };', {
      effects: 'write_additive',
    }),
    ...operation('two.small', 'return { by: "planned" };'),
    ...workflow(
      'hops',
      `
steps:
  - { id: a, call: two.grow, with: { text: "\${{ input.text }}" } }
  - { id: ask, approval: { title: Go on? } }
  - { id: b, call: two.once, with: { text: "\${{ steps.a.output.text }}", file: "\${{ input.file }}" } }
  - { id: again, approval: { title: And back? } }
  - { id: c, call: two.grow, with: { text: "\${{ steps.a.output.text }}" } }
output: { size: "\${{ steps.b.output.size }}", end: "\${{ size(steps.c.output.text) }}", by: "\${{ steps.b.output.by }}" }`,
    ),
    ...workflow(
      'mixed',
      `
steps:
  - { id: a, call: two.grow, with: { text: "\${{ input.text }}" } }
  - { id: b, call: two.once, with: { text: "\${{ steps.a.output.text }}", file: "\${{ input.file }}" } }
output: { size: "\${{ steps.b.output.size }}" }`,
    ),
    ...workflow('pinned', 'steps: [{ id: ask, approval: { title: Go on? } }, { id: a, call: two.small, with: {} }]'),
  });
  const folder = () => realpathSync(mkdtempSync(join(tmpdir(), 'ability-other-host-')));
  there = folder();
  shared = folder();
  cpSync(here.root, there, { recursive: true });
  for (const name of ['two.grow', 'two.once', 'two.small']) {
    const script = join(there, `scripts/${name}.mjs`);
    writeFileSync(script, readFileSync(script, 'utf8').replaceAll('"planned"', '"edited"'));
  }
  writeFileSync(join(there, 'registry/high-level/hops.yaml'), 'this: [is nothing');
});
afterAll(async () => {
  await serve(undefined);
  await server.stop();
  here.remove();
  for (const path of [there, shared]) rmSync(path, { recursive: true, force: true });
});

const env = (store?: string) => ({
  TEMPORAL_ADDRESS: server.address,
  ABILITY_SEAL_KEYS: KEYS,
  ABILITY_STORE: store,
});

/** Makes sure that exactly these folders have a worker; one that already runs continues. */
async function serve(store: string | undefined, ...folders: string[]): Promise<void> {
  const wanted = new Map(folders.map((cwd) => [`${cwd} ${store}`, cwd]));
  await Promise.all([...workers].filter(([name]) => !wanted.has(name)).map(([name]) => stopWorker(name)));
  const missing = [...wanted].filter(([name]) => !workers.has(name));
  await Promise.all(missing.map(([name, cwd]) => startWorker(name, cwd, store)));
}
async function startWorker(name: string, cwd: string, store: string | undefined): Promise<void> {
  const worker = start(['worker'], { cwd, env: env(store) });
  workers.set(name, worker);
  await new Promise<void>((resolve, reject) => {
    worker.stderr?.on('data', (chunk: Buffer) => String(chunk).includes('Serving') && resolve());
    worker.then(({ stderr }) => reject(new Error(String(stderr))));
  });
}
async function stopWorker(name: string): Promise<void> {
  const worker = workers.get(name);
  workers.delete(name);
  worker?.kill('SIGTERM');
  await worker;
}
const caller = (store?: string) => ({ cwd: here.root, env: env(store) });
const json = (args: string[], store?: string) => abilityJson(args, caller(store));
const input = (file: string) => {
  const path = join(here.root, `${file}.json`);
  writeFileSync(path, JSON.stringify({ text: 'x'.repeat(LARGE), file: join(here.root, file) }));
  return `@${path}`;
};
const effects = (file: string) => {
  try {
    return readFileSync(join(here.root, file), 'utf8');
  } catch {
    return '';
  }
};
const run = (id: string, key: string, store?: string) =>
  json(['run', id, '--key', key, '--input', input(key), '--timeout', '60s'], store);

describe('two workers with one store', () => {
  test('pass a task with large values back and forth, and run what was planned', async () => {
    await serve(shared, here.root);
    expect(await run('hops', 'hop', shared)).toMatchObject({ exitCode: 5 });
    await serve(shared, there);
    await ability(['approve', 'hop', '--yes'], caller(shared));
    expect(await json(['task', 'watch', 'hop'], shared)).toMatchObject({ exitCode: 5 });
    await serve(shared, here.root);
    await ability(['approve', 'hop', '--yes'], caller(shared));
    const { exitCode, json: result } = await json(['task', 'watch', 'hop'], shared);
    expect({ exitCode, status: result.status, output: result.output }).toEqual({
      exitCode: 0,
      status: 'succeeded',
      output: { size: 2 * LARGE, end: 4 * LARGE, by: 'planned' },
    });
    expect(effects('hop')).toBe('x');
  });

  test('share the work on many tasks at once', async () => {
    await serve(shared, here.root, there);
    const keys = Array.from({ length: 6 }, (_, n) => `shared-${n}`);
    const ends = await Promise.all(keys.map((key) => run('mixed', key, shared)));
    for (const end of ends) expect(end).toMatchObject({ exitCode: 0, json: { output: { size: 2 * LARGE } } });
    expect(keys.map(effects)).toEqual(keys.map(() => 'x'));
  });
});

describe('two workers that do not share their stores', () => {
  /** Tasks that start here, wait for an approval, and are decided while only the other worker runs. */
  beforeAll(async () => {
    await serve(undefined, here.root);
    const begun = await Promise.all([run('hops', 'split'), json(['run', 'pinned', '--key', 'edited'])]);
    expect(begun).toMatchObject([{ exitCode: 5 }, { exitCode: 5 }]);
    await serve(undefined, there);
    // What cannot be shown is not decided.
    const decided = await Promise.all(['split', 'edited'].map((key) => json(['approve', key, '--yes'])));
    expect(decided).toMatchObject([{ exitCode: 7, json: { error: { code: 'worker.unavailable' } } }, { exitCode: 0 }]);
  });

  test('refuse a script that was edited for the other worker', async () => {
    const { exitCode, json: result } = await json(['task', 'watch', 'edited']);
    expect({ exitCode, error: result.error }).toMatchObject({
      exitCode: 1,
      error: { code: 'script.changed', suggestion: expect.stringContaining('ABILITY_STORE') },
    });
  });

  test('refuse with a code what they cannot read, and the task continues where it can be read', async () => {
    const { exitCode, json: result } = await json(['task', 'watch', 'split']);
    expect({ exitCode, error: result.error }).toMatchObject({
      exitCode: 7,
      error: { code: 'store.not_shared', suggestion: expect.stringContaining('ABILITY_STORE') },
    });
    expect(effects('split')).toBe('');
    await serve(undefined, here.root);
    const approve = async () => (await json(['approve', 'split', '--yes'])).exitCode;
    await expect.poll(approve, { timeout: 60_000 }).toBe(0);
    await expect
      .poll(async () => (await json(['task', 'watch', 'split', '--timeout', '20s'])).exitCode, { timeout: 60_000 })
      .toBe(5);
    expect(effects('split')).toBe('x');
  });

  test('return no wrong result, never repeat an effect, and leave no task hanging without a message', async () => {
    await serve(undefined, here.root, there);
    const keys = Array.from({ length: 6 }, (_, n) => `apart-${n}`);
    const ends = await Promise.all(keys.map((key) => run('mixed', key)));
    for (const { exitCode, json: end } of ends) {
      if (exitCode === 0 && !('$ref' in end.output)) expect(end.output).toEqual({ size: 2 * LARGE });
      else expect(`${exitCode} ${JSON.stringify(end)}`).toContain('store.not_shared');
    }
    for (const key of keys) expect(effects(key).length).toBeLessThanOrEqual(1);
  });
});

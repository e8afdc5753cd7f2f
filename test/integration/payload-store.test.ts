import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { awaitResult, type Connection, connect, decide, viewTask, waitForTask } from '../../src/client/index.js';
import { LONG } from '../fixtures/extent.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { scriptAbility } from '../fixtures/servers/definitions.js';

let project: RunningProject;
const store = () => join(project.root, '.system/store');

beforeAll(async () => {
  const make = 'console.error("made"); return { text: "x".repeat(input.bytes) };';
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {}, asks: { approve: [write_idempotent] } }'),
    ...operation('s.idempotent', make, { effects: 'write_idempotent' }),
    ...operation('s.additive', make, { effects: 'write_additive' }),
    ...scriptAbility('s.fails', 'scripts/s.fails.mjs', 'console.log(JSON.stringify("x".repeat(300_000)));', {
      script: { args: [] },
      body: { fail_if: 'true' },
      more: { effects: 'write_additive' },
    }),
    ...operation('s.slow', 'await sleep(2000); return 1;'),
    ...workflow(
      'slow',
      'steps: [{ id: a, call: s.idempotent, with: { bytes: 300000 } }, { id: b, call: s.slow, with: {} }]\noutput: "${{ steps.a.output }}"',
    ),
    ...workflow(
      'grows',
      `
steps:
  - { id: a, call: s.idempotent, with: { bytes: 700000 } }
  - { id: b, call: s.idempotent, with: { bytes: 10, left: "\${{ steps.a.output }}", right: "\${{ steps.a.output }}" } }
output: "\${{ steps.b.status }}"`,
    ),
    ...workflow(
      'doubles',
      'steps: [{ id: a, call: s.idempotent, with: { bytes: 700000 } }]\noutput: ["${{ steps.a.output }}", "${{ steps.a.output }}"]',
    ),
  });
});
afterAll(() => project.stop());

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

describe('a store that cannot be written', () => {
  const breakStore = () => {
    rmSync(store(), { recursive: true, force: true });
    writeFileSync(store(), 'in the way');
  };
  const mendStore = () => rmSync(store(), { force: true });
  /** Runs an action while a file takes the place of the folder of the store. */
  async function withoutStore<T>(action: () => Promise<T>): Promise<T> {
    mkdirSync(join(project.root, '.system'), { recursive: true });
    breakStore();
    try {
      return await action();
    } finally {
      mendStore();
    }
  }

  test('does no harm below 1 MiB if the call may be repeated', async () => {
    const result = await withoutStore(() => project.run('s.idempotent', { bytes: 900_000 }));
    expect(result).toMatchObject({ status: 'succeeded', steps: [{ attempts: 1 }] });
    expect((result.output as { text: string }).text.length).toBe(900_000);
  });

  test('is store.full above 1 MiB if the call may be repeated', async () => {
    const result = await withoutStore(() => project.run('s.idempotent', { bytes: 1_500_000 }));
    expect(result).toMatchObject({ status: 'failed', error: { code: 'store.full' } });
    expect(result.error?.message).toContain(store());
  });

  test('prevents the start of a call that may not be repeated, so there is no mark', async () => {
    const result = await withoutStore(() => project.run('s.additive', { bytes: 10 }));
    expect(result).toMatchObject({ status: 'failed', error: { code: 'store.full' } });
    expect(result.error?.message).toContain('was not started');
  });

  test('is an unknown outcome if such a call has started and only its values cannot be stored', async () => {
    mkdirSync(store(), { recursive: true });
    const folders = Array.from({ length: 256 }, (_, n) => join(store(), n.toString(16).padStart(2, '0')));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    for (const folder of folders) writeFileSync(folder, 'in the way');
    const result = await project.run('s.additive', { bytes: 1_500_000 });
    for (const folder of folders) rmSync(folder);
    expect(result).toMatchObject({
      status: 'unknown',
      error: { code: 'outcome.unknown', details: { seen: { code: 'store.full' } } },
      steps: [{ status: 'unknown', attempts: 1 }],
    });
  });

  test('is reported to a caller whose input would have to be stored', async () => {
    const text = 'x'.repeat(1_500_000);
    const error = await withoutStore(() => failure(project.create('s.idempotent', { bytes: 1, text })));
    expect(error).toMatchObject({ code: 'store.full' });
  });

  test(
    'loses no task that grows too large later: it gets stuck, says why, and continues once the store is repaired',
    LONG,
    async () => {
      const created = await withoutStore(async () => {
        const tasks = await Promise.all(['grows', 'doubles'].map((ability) => project.create(ability)));
        for (const error of await Promise.all(tasks.map(({ id }) => failure(project.wait(id))))) {
          if (error !== undefined) expect(error).toMatchObject({ code: 'store.full' });
        }
        return tasks;
      });
      for (const { id } of created) {
        const { status, error } = await awaitResult(project.connection, id);
        expect(`${status} ${error?.code}`).toMatch(/^(succeeded undefined|failed store\.full)$/);
      }
    },
  );
});

describe('a client without the store', () => {
  let stranger: Connection;

  beforeAll(async () => {
    vi.stubEnv('ABILITY_STORE', join(project.root, 'another-store'));
    const { project: name, address } = project.connection;
    stranger = await connect({ root: project.root, project: name, address });
    vi.unstubAllEnvs();
  });
  afterAll(() => stranger.close());

  test('prints the envelope of a large output, with a warning', async () => {
    const { id } = await project.create('s.idempotent', { bytes: 300_000 });
    await project.wait(id);
    const end = await waitForTask(stranger, id, { timeoutMs: 20_000 });
    expect(end).toMatchObject({
      kind: 'ended',
      result: {
        status: 'succeeded',
        output: { $ref: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: 300_011 },
        warnings: [expect.stringMatching(/^store\.not_shared: /)],
      },
    });
    expect((await viewTask(stranger, id)).result.output).toMatchObject({ bytes: 300_011 });
  });

  test('may view a task that holds a large value, and wait for it', async () => {
    const { id } = await project.create('slow');
    const status = async () => (await viewTask(project.connection, id)).view?.progress.b?.status;
    await expect.poll(status, { timeout: 20_000 }).toBe('running');
    const waiting = waitForTask(stranger, id, { timeoutMs: 20_000 });
    const [seen, end] = await Promise.allSettled([viewTask(stranger, id, 'anyone'), waiting]);
    expect(seen).toMatchObject({ value: { result: { ability_id: 'slow', status: 'running' } } });
    expect(end).toMatchObject({
      value: { kind: 'ended', result: { status: 'succeeded', output: { bytes: 300_011 } } },
    });
  });

  test('reads the end of a failed task, whatever its details contain', async () => {
    const { id } = await project.create('s.fails');
    await project.wait(id);
    const result = await awaitResult(stranger, id);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'fail_if.matched' }, output: null });
  });

  test('reads the end of a task whose approvals showed a large value', async () => {
    const input = { bytes: 10, text: 'x'.repeat(300_000) };
    const { id } = await project.create('s.idempotent', input, { environment: 'asks' });
    expect(await project.wait(id, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
    await decide(project.connection, id, 'approve', { by: 'tester' });
    await project.wait(id);
    expect(await awaitResult(stranger, id)).toMatchObject({ status: 'succeeded', output: { text: 'xxxxxxxxxx' } });
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { decide, readApprovals, viewTask } from '../../src/client/index.js';
import { AbilityError } from '../../src/contracts/problem.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { LONG } from '../fixtures/extent.js';
import { killProcesses } from '../fixtures/kill-process.js';
import { operation, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, TEST_KEYS } from '../fixtures/running-project.js';

const SENT = 100;

let project: RunningProject;
/** Has its own queues, where no worker has been killed before. */
let quiet: RunningProject;
const workers = new Set<number | undefined>();

beforeAll(async () => {
  project = await runProject(
    {
      ...operation('once.done', 'appendFileSync("effects", "done\\n"); return 1;', { effects: 'write_additive' }),
      ...operation('slow.read', 'await sleep(2500); return 1;'),
      // The pause keeps the kill away from the effect: a write that a kill interrupts is rightly `unknown`.
      ...workflow(
        'asks',
        'steps: [{ id: ask, approval: { title: Go? } }, { id: pause, wait: 5s }, { id: do, call: once.done }]',
      ),
      ...workflow(
        'beside',
        `
steps:
  - id: p
    parallel:
      confirm: { approval: { title: Soon?, timeout: 1s } }
      other: { call: slow.read, with: {} }`,
      ),
      ...workflow(
        'cleaning',
        `
steps: [{ id: a, let: { x: 1 } }]
finally:
  - { id: ask, approval: { title: Remove? } }
  - { id: do, if: 'steps.ask.status == "succeeded"', call: once.done, with: {} }`,
      ),
    },
    { placements: ['cloud'] },
  );
  quiet = await runProject(
    {
      ...operation('once.slow', 'appendFileSync("effects", "done\\n"); await sleep(20_000); return 1;', {
        effects: 'write_additive',
      }),
      ...workflow('asks_slow', 'steps: [{ id: ask, approval: { title: Go? } }, { id: do, call: once.slow }]'),
    },
    { placements: ['cloud'] },
  );
});
/** The first test leaves a worker running; if that test is skipped, start one here. */
beforeAll(async () => {
  if (LONG.skip) await startWorker(project);
});
afterAll(async () => {
  await killProcesses(...workers);
  await Promise.all([project.stop(), quiet.stop()]);
});

async function startWorker({ root }: RunningProject): Promise<{ kill(): Promise<void> }> {
  const env = {
    ...process.env,
    WORKER_ROOT: root,
    WORKER_PROJECT: loadRegistry(root).project.project,
    WORKER_ADDRESS: inject('temporal').address,
    ABILITY_SEAL_KEYS: TEST_KEYS,
  };
  const program = fileURLToPath(new URL('../fixtures/plain-worker.mjs', import.meta.url));
  const { pid, stdout } = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  workers.add(pid);
  await once(stdout, 'data');
  return { kill: () => killProcesses(pid) };
}
/** The effects so far; empty if no test has caused any yet. */
const effects = ({ root } = project): string => {
  const file = join(root, 'effects');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const approvalsOf = async (key: string, { connection } = project) => (await viewTask(connection, key)).result.approvals;
async function waitingTask(ability: string, { create, connection } = project): Promise<string> {
  const { id } = await create(ability);
  await expect.poll(async () => (await readApprovals(connection, id)).length, { timeout: 20_000 }).toBe(1);
  return id;
}
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'counted',
    (error) => (error instanceof AbilityError ? error.code : String(error)),
  );
const resultOf = async (key: string, { wait } = project) => {
  const end = await wait(key);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};

test('one decision sent 100 times, with kill -9 of the worker in the middle, counts once and has one effect', {
  ...LONG,
  timeout: 120_000,
}, async () => {
  const first = await startWorker(project);
  const key = await waitingTask('asks');
  const sending = Array.from({ length: SENT }, () =>
    codeOf(decide(project.connection, key, 'approve', { by: 'alice' })),
  );
  await Promise.race(sending);
  await first.kill();
  await startWorker(project);
  const codes = await Promise.all(sending);
  expect(await resultOf(key)).toMatchObject({ status: 'succeeded' });
  const [approval] = await approvalsOf(key);
  expect(approval?.decisions).toHaveLength(1);
  expect(effects()).toBe('done\n');
  // A caller that gets no answer in time receives one of these codes; the decision may have counted all the same.
  const unanswered = ['worker.unavailable', 'placement.no_worker', 'temporal.unavailable'];
  const known = ['counted', 'approval.ignored', 'task.closed', ...unanswered];
  expect(codes.filter((code) => !known.includes(code))).toEqual([]);
  expect(codes.filter((code) => code === 'counted').length).toBeLessThanOrEqual(1);
});

test('kill -9 while the effect of a decision runs: it happens once, and the task reports that it may have taken place', {
  ...LONG,
  timeout: 180_000,
}, async () => {
  const first = await startWorker(quiet);
  const key = await waitingTask('asks_slow', quiet);
  const sending = Array.from({ length: SENT }, () => codeOf(decide(quiet.connection, key, 'approve', { by: 'alice' })));
  await expect.poll(() => effects(quiet), { timeout: 60_000, interval: 20 }).toBe('done\n');
  const step = async () => (await viewTask(quiet.connection, key)).view?.progress.do;
  await expect.poll(async () => (await step())?.status, { timeout: 60_000 }).toBe('running');
  await first.kill();
  await startWorker(quiet);
  expect((await Promise.all(sending)).filter((code) => code === 'counted')).toHaveLength(1);
  expect(await resultOf(key, quiet)).toMatchObject({
    status: 'unknown',
    error: { code: 'outcome.unknown', step: 'do' },
  });
  const [approval] = await approvalsOf(key, quiet);
  expect(approval?.decisions).toHaveLength(1);
  expect(effects(quiet)).toBe('done\n');
});

test('an approval that expires while a parallel branch runs denies the task, and the branch completes', async () => {
  const { id } = await project.create('beside');
  expect(await resultOf(id)).toMatchObject({
    status: 'denied',
    error: { code: 'approval.expired' },
    approvals: [{ status: 'expired' }],
    steps: expect.arrayContaining([expect.objectContaining({ id: 'other', status: 'succeeded' })]),
  });
});

test('a denial inside `finally` makes a task that succeeded fail, with the code of the denial', async () => {
  const before = effects();
  const key = await waitingTask('cleaning');
  await decide(project.connection, key, 'deny', { by: 'bob', comment: 'keep it' });
  expect(await resultOf(key)).toMatchObject({
    status: 'failed',
    error: { code: 'approval.denied', message: expect.stringMatching(/bob denied .*keep it/) },
  });
  expect(effects()).toBe(before);
});

test('of a simultaneous approval and denial one counts, and the other is refused with a reason; after the end it is too late', async () => {
  const key = await waitingTask('asks');
  const codes = await Promise.all([
    codeOf(decide(project.connection, key, 'approve', { by: 'alice' })),
    codeOf(decide(project.connection, key, 'deny', { by: 'bob' })),
  ]);
  expect(codes.filter((code) => code === 'counted')).toHaveLength(1);
  expect(['approval.ignored', 'task.closed']).toContain(codes.find((code) => code !== 'counted'));
  await project.wait(key);
  const [approval] = await approvalsOf(key);
  expect(approval?.decisions).toHaveLength(1);
  expect(await codeOf(decide(project.connection, key, 'approve', { by: 'carol' }))).toBe('task.closed');
});

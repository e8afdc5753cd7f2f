import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelTask, viewTask } from '../../src/client/index.js';
import type { LockState } from '../../src/contracts/concurrency.js';
import { LOCK_SIGNALS, lockIdOf, QUERIES } from '../../src/contracts/names.js';
import { digestOf } from '../../src/rules/canonical.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { newRunAfter, startTemporal, type TestServer } from '../fixtures/temporal-server.js';

/** Events after which the server suggests a new run; by default it takes thousands. */
const EVENTS = 40;

let server: TestServer;
let flows: Flows;

beforeAll(async () => {
  server = await startTemporal({ settings: newRunAfter(EVENTS) });
  flows = await startFlows({}, server);
});
afterAll(async () => {
  await flows.project.stop();
  await server.stop();
});

const view = async (id: string) => (await viewTask(flows.project.connection, id)).result;
const ended = async (id: string) => {
  const end = await flows.project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};
const handleOf = (id: string) => flows.project.connection.temporal.workflow.getHandle(id);
const isLaterRun = async (id: string): Promise<boolean> => {
  const { raw, runId } = await handleOf(id).describe();
  return raw.workflowExecutionInfo?.firstRunId !== runId;
};

test('a lock continues as a new run with all its holders and waiting tasks, and so do a holder and a waiting task', async () => {
  const file = flows.file('order');
  const ability = flows.define(`
concurrency: { key: the key }
steps:
  - { id: begin, call: util.note, with: { file: "\${{ input.file }}", text: "begin \${{ input.name }}" } }
  - { id: busy, foreach: "[1,2,3,4,5,6,7,8,9,10,11,12]", as: n, steps: [{ id: c, call: util.echo, with: {} }] }
  - { id: gate, if: "input.name == '0'", wait: { signal: go } }
  - { id: end, call: util.note, with: { file: "\${{ input.file }}", text: "end \${{ input.name }}" } }`);
  const ids: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    const { id } = await flows.project.create(ability, { file, name: String(n) });
    ids.push(id);
    await expect.poll(async () => (await view(id)).concurrency?.asked_at ?? null, { timeout: 20_000 }).not.toBeNull();
  }
  const [first, second, third] = ids as [string, string, string];
  const lock = lockIdOf(flows.project.connection.project, 'dev', digestOf('the key'));
  await expect.poll(() => isLaterRun(first), { timeout: 30_000 }).toBe(true);
  await expect.poll(() => isLaterRun(lock), { timeout: 60_000 }).toBe(true);
  // Signals that it does not wait for also lengthen the history of a waiting task.
  for (let n = 0; n < EVENTS; n += 1) await handleOf(second).signal('noise', n);
  await expect.poll(() => isLaterRun(second), { timeout: 30_000 }).toBe(true);
  expect((await view(second)).status).toBe('waiting');
  await cancelTask(flows.project.connection, third);
  await handleOf(first).signal('go', null);
  for (const id of ids) expect((await ended(id)).status).toBe(id === third ? 'cancelled' : 'succeeded');
  const names = ids.flatMap((id, n) => (id === third ? [] : [`begin ${n}`, `end ${n}`]));
  expect(flows.lines('order')).toEqual(names);
  await expect.poll(async () => (await handleOf(lock).describe()).status.name, { timeout: 20_000 }).toBe('COMPLETED');
}, 180_000);

test('a lock that always has requests left still continues as a new run', async () => {
  const lock = lockIdOf(flows.project.connection.project, 'dev', digestOf('crowded'));
  // Its holder is a real execution that accepts any signal; the others do not exist, so an answer is always pending.
  const ability = flows.define('concurrency: { key: crowded }\nsteps: [{ id: gate, wait: { signal: go } }]');
  const { id } = await flows.project.create(ability, {});
  await expect.poll(async () => (await view(id)).concurrency?.granted_at ?? null, { timeout: 20_000 }).not.toBeNull();
  let isOver = false;
  const waiting = async () => (await handleOf(lock).query<LockState>(QUERIES.lock)).line.length;
  const crowd = (async () => {
    for (let n = 0; !isOver; n += 1) {
      const request = { task: `missing-${n}`, run: 'r', token: `t-${n}`, limit: 1, on_busy: 'wait' };
      await Promise.all(
        Array.from({ length: 8 }, (_, more) =>
          handleOf(lock).signal(LOCK_SIGNALS.enter, { ...request, task: `${request.task}-${more}` }),
        ),
      );
      // On a slow machine, more requests arrive than the lock answers; the backlog stays bounded.
      if (!isOver && n % 5 === 4) await expect.poll(waiting, { timeout: 30_000 }).toBeLessThan(60);
    }
  })();
  await expect
    .poll(() => isLaterRun(lock), { timeout: 30_000 })
    .toBe(true)
    .finally(() => {
      isOver = true;
    });
  await crowd;
  await handleOf(id).signal('go', null);
  expect((await ended(id)).status).toBe('succeeded');
  await expect.poll(async () => (await handleOf(lock).describe()).status.name, { timeout: 60_000 }).toBe('COMPLETED');
}, 120_000);

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cancelTask } from '../../src/client/index.js';
import { LOCK_SIGNALS, lockIdOf, SLOT_SIGNAL } from '../../src/contracts/names.js';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import { digestOf } from '../../src/rules/canonical.js';
import { abilityJson } from '../fixtures/called-command.js';
import { makeProject, workflow } from '../fixtures/project-folder.js';
import { gated, startTurns } from '../fixtures/turns.js';
import { times, WHOLE } from './extent.js';

const turns = await startTurns();
const { flows, fresh, ended, untilStatus, untilHolding, go, start, lockIsOver, lineOf, linesOf, view } = turns;
afterAll(() => flows.project.stop());

const newest = flows.define(gated('{ key: "k-${{ input.file }}", on_busy: newest }'));
const two = flows.define(gated('{ key: "k-${{ input.file }}", on_busy: newest, limit: 2 }'));
const handles = flows.define(`
steps:
  - id: inner
    call: ${newest}
    with: { file: "\${{ input.file }}", name: inner }
    on_error: [{ errors: [concurrency.replaced], output: gave way }]
output: "\${{ steps.inner.output }}"`);

/** Starts a task that has to wait, and waits until it does. */
const waiting = async (ability: string, file: string, name: string): Promise<string> => {
  const id = await start(ability, file, name);
  await untilStatus(id, 'waiting');
  return id;
};
/** Starts a task, and waits until it is admitted. */
const holding = async (ability: string, file: string, name: string): Promise<string> => {
  const id = await start(ability, file, name);
  await untilHolding(id);
  return id;
};
const expectReplaced = async (id: string, by: string, file: string): Promise<void> => {
  const result = await ended(id);
  expect(result).toMatchObject({
    status: 'failed',
    error: { code: 'concurrency.replaced', details: { key: `k-${file}`, replaced_by: by } },
    concurrency: { refused: true, replaced_by: by, granted_at: null },
  });
  expect(result.error?.message).toContain(by);
  expect(result.steps.map(({ status }) => status)).toEqual(['skipped', 'skipped', 'skipped']);
};

describe('on_busy: newest', () => {
  test('a newer task replaces the waiting one, which ends before any step and names the newer one', async () => {
    const file = fresh();
    const first = await holding(newest, file, 'first');
    const second = await waiting(newest, file, 'second');
    const third = await waiting(newest, file, 'third');
    await expectReplaced(second, third, file);
    const fourth = await waiting(newest, file, 'fourth');
    await expectReplaced(third, fourth, file);
    expect(await lineOf(file)).toEqual({ in: [first], waiting: [fourth] });
    expect((await view(first)).status).toBe('running');
    await go(first);
    expect((await ended(first)).status).toBe('succeeded');
    await untilHolding(fourth);
    await go(fourth);
    expect(await ended(fourth)).toMatchObject({ status: 'succeeded', concurrency: { held_by: [first] } });
    expect(linesOf(file)).toEqual(['begin first', 'end first', 'begin fourth', 'end fourth']);
    await lockIsOver(file);
  });

  test('of many tasks at once one is admitted, one waits, and each of the others names a later one', async () => {
    const file = fresh();
    const count = times(6, 40);
    const ids = await Promise.all(Array.from({ length: count }, (_, n) => start(newest, file, `n${n}`)));
    await expect
      .poll(async () => (await Promise.all(ids.map(view))).filter(({ status }) => status === 'failed').length, {
        timeout: 40_000,
      })
      .toBe(count - 2);
    const { in: inside, waiting: line } = await lineOf(file);
    expect([inside.length, line.length]).toEqual([1, 1]);
    const results = await Promise.all(ids.filter((id) => ![...inside, ...line].includes(id)).map(ended));
    for (const { error, task_key } of results) {
      expect(error).toMatchObject({ code: 'concurrency.replaced' });
      // Following who replaced whom leads to the waiting task, since a later task is never replaced by an earlier one.
      const by = new Map(results.map((one) => [one.task_key, one.concurrency?.replaced_by]));
      let last: string | null | undefined = task_key;
      for (let steps = 0; last && by.has(last) && steps <= count; steps += 1) last = by.get(last);
      expect(line).toEqual([last]);
    }
    for (const id of [...inside, ...line]) {
      await untilHolding(id);
      await go(id);
      expect((await ended(id)).status).toBe('succeeded');
    }
    expect(linesOf(file)).toHaveLength(4);
    await lockIsOver(file);
  });

  test.runIf(WHOLE)('with a limit that many tasks are admitted, none is cancelled, and one waits', async () => {
    const file = fresh();
    const inside = [await holding(two, file, 'a'), await holding(two, file, 'b')];
    const third = await waiting(two, file, 'c');
    const fourth = await waiting(two, file, 'd');
    await expectReplaced(third, fourth, file);
    expect(await lineOf(file)).toEqual({ in: inside, waiting: [fourth] });
    for (const id of inside) await go(id);
    await untilHolding(fourth);
    await go(fourth);
    for (const id of [...inside, fourth]) expect((await ended(id)).status).toBe('succeeded');
  });

  test.runIf(WHOLE)('a task that only waits is neither replaced nor replaces another', async () => {
    const file = fresh();
    const first = await holding('gated', file, 'first');
    const patient = await waiting('gated', file, 'patient');
    const older = await waiting(newest, file, 'older');
    const other = await waiting('gated', file, 'other');
    const newer = await waiting(newest, file, 'newer');
    await expectReplaced(older, newer, file);
    expect(await lineOf(file)).toEqual({ in: [first], waiting: [patient, newer, other] });
    for (const id of [first, patient, newer, other]) {
      await untilHolding(id);
      await go(id);
      expect((await ended(id)).status).toBe('succeeded');
    }
  });

  test('the replacement of a called workflow can be handled by its caller', async () => {
    const file = fresh();
    const first = await holding(newest, file, 'first');
    const caller = await start(handles, file, 'caller');
    await untilStatus(`${caller}/inner`, 'waiting');
    const second = await waiting(newest, file, 'second');
    expect(await ended(caller)).toMatchObject({ status: 'succeeded', output: 'gave way' });
    for (const id of [first, second]) {
      await untilHolding(id);
      await go(id);
      await ended(id);
    }
  });

  test.runIf(WHOLE)(
    'a task that is cancelled while it is replaced ends once, and the newer one is admitted',
    async () => {
      for (let turn = 0; turn < times(2, 20); turn += 1) {
        const file = fresh();
        const first = await holding(newest, file, 'first');
        const second = await waiting(newest, file, 'second');
        const [third] = await Promise.all([
          start(newest, file, 'third'),
          cancelTask(flows.project.connection, second).catch(() => {}),
        ]);
        expect((await ended(second)).status).toMatch(/^(failed|cancelled)$/);
        await untilStatus(third, 'waiting');
        await expect.poll(() => lineOf(file)).toEqual({ in: [first], waiting: [third] });
        for (const id of [first, third]) {
          await untilHolding(id);
          await go(id);
          expect((await ended(id)).status).toBe('succeeded');
        }
        expect(linesOf(file)).not.toContain('begin second');
      }
    },
  );

  test.runIf(WHOLE)(
    'a second request of a task that was already replaced does not end the newer one: one of the two is admitted',
    async () => {
      const file = fresh();
      const { temporal, project } = flows.project.connection;
      const first = await holding(newest, file, 'first');
      const second = await waiting(newest, file, 'second');
      const { raw } = await temporal.workflow.getHandle(second).describe();
      const third = await waiting(newest, file, 'third');
      await expectReplaced(second, third, file);
      const again = { task: second, run: raw.workflowExecutionInfo?.firstRunId, limit: 1, on_busy: 'wait' };
      const lock = temporal.workflow.getHandle(lockIdOf(project, 'dev', digestOf(`k-${file}`)));
      await lock.signal(LOCK_SIGNALS.enter, { ...again, newest: true, again: true });
      await expect.poll(() => lineOf(file)).toEqual({ in: [first], waiting: [third] });
      for (const id of [first, third]) {
        await untilHolding(id);
        await go(id);
        expect((await ended(id)).status).toBe('succeeded');
      }
    },
  );

  test('the message that a task was replaced is accepted only with the token of its request', async () => {
    const file = fresh();
    const first = await holding(newest, file, 'first');
    const second = await waiting(newest, file, 'second');
    const handle = flows.project.connection.temporal.workflow.getHandle(second);
    for (const token of [undefined, 'x', 5]) {
      await handle.signal(SLOT_SIGNAL, { answer: 'busy', held_by: [], replaced_by: 'mallory', token });
    }
    expect((await view(second)).status).toBe('waiting');
    for (const id of [first, second]) {
      await untilHolding(id);
      await go(id);
      expect((await ended(id)).status).toBe('succeeded');
    }
  });

  test.runIf(WHOLE)(
    'a worker that is restarted between the two loses neither, and what was answered stays valid',
    async () => {
      const file = fresh();
      const first = await holding(newest, file, 'first');
      const second = await waiting(newest, file, 'second');
      await flows.project.restartWorkers();
      const third = await waiting(newest, file, 'third');
      await expectReplaced(second, third, file);
      await flows.project.restartWorkers();
      for (const id of [first, third]) {
        await untilHolding(id);
        await go(id);
        expect((await ended(id)).status).toBe('succeeded');
      }
    },
  );

  test.runIf(WHOLE)(
    'kill -9 of the runtime at any moment: one task is admitted, one waits, and the others were replaced',
    async () => {
      const project = makeProject(
        workflow('deploy', 'concurrency: { key: k, on_busy: newest }\nsteps: [{ id: gate, wait: { signal: go } }]'),
      );
      const run = (...args: string[]) => abilityJson(args, { cwd: project.root });
      const kill = () => {
        const { pid }: RuntimeFile = JSON.parse(readFileSync(join(project.root, '.system/runtime.json'), 'utf8'));
        process.kill(pid, 'SIGKILL');
      };
      const resultOf = async (key: string) => (await run('task', 'show', key)).json;
      try {
        await run('run', 'deploy', '--key', 'k0', '--detach');
        await expect.poll(async () => (await resultOf('k0')).concurrency?.granted_at, { timeout: 20_000 }).toBeTruthy();
        const keys = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6'];
        for (const [n, key] of keys.entries()) {
          expect((await run('run', 'deploy', '--key', key, '--detach')).exitCode).toBe(0);
          // The kills range from before any of the work to after all of it.
          await new Promise((resolve) => setTimeout(resolve, n * 30));
          kill();
        }
        const last = keys.at(-1) as string;
        await expect.poll(async () => (await resultOf(last)).status, { timeout: 60_000 }).toBe('waiting');
        for (const key of keys.slice(0, -1)) {
          await expect.poll(async () => (await resultOf(key)).status, { timeout: 60_000 }).toBe('failed');
          expect((await resultOf(key)).error.code).toBe('concurrency.replaced');
        }
        for (const key of ['k0', last]) {
          await run('task', 'signal', key, 'go');
          expect((await run('task', 'watch', key, '--timeout', '60s')).json.status).toBe('succeeded');
        }
        expect(await run('task', 'result', 'k1')).toMatchObject({ exitCode: 1 });
      } finally {
        await run('down', '--yes').catch(() => {});
        project.remove();
      }
    },
    300_000,
  );
});

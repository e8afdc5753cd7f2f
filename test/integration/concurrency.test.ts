import { afterAll, describe, expect, test } from 'vitest';
import { cancelTask, pauseTask, resumeTask, retryTask } from '../../src/client/index.js';
import { retryBy } from '../fixtures/caller.js';
import { isWhole, LONG, LONGER } from '../fixtures/extent.js';
import { mostInside, SPAN, startTurns } from '../fixtures/turns.js';

const { flows, fresh, linesOf, ended, view, untilStatus, untilHolding, go, start, lockIsOver, lineOf } =
  await startTurns();
afterAll(() => flows.project.stop());

describe('tasks with the same key', () => {
  test.each([['one', 1] as const, ...(isWhole('LONG') ? [['two', 2] as const] : [])])(
    '%s: ten run %i at once, never more, in order of arrival',
    LONGER,
    async (ability, limit) => {
      const file = fresh();
      const names = Array.from({ length: 10 }, (_, n) => `n${n}`);
      const ids: string[] = [];
      for (const [n, name] of names.entries()) {
        // On a busy machine, short ones may not overlap.
        const { id } = await flows.project.create(ability, { file, name, ms: limit > 1 && n === 0 ? 3000 : 250 });
        ids.push(id);
        await expect
          .poll(async () => (await view(id)).concurrency?.asked_at ?? null, { timeout: 20_000 })
          .not.toBeNull();
      }
      for (const id of ids) expect((await ended(id)).status).toBe('succeeded');
      const lines = linesOf(file);
      expect(lines).toHaveLength(20);
      expect(mostInside(lines)).toBe(limit);
      const granted = await Promise.all(
        ids.map(async (id) => Date.parse((await view(id)).concurrency?.granted_at ?? '')),
      );
      expect(granted).toEqual([...granted].sort((a, b) => a - b));
      if (limit === 1) expect(lines).toEqual(names.flatMap((name) => [`begin ${name}`, `end ${name}`]));
      await lockIsOver(file);
    },
  );

  test('exclude each other also if they start all at once', LONG, async () => {
    const file = fresh();
    const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => start('one', file, `n${n}`)));
    for (const id of ids) expect((await ended(id)).status).toBe('succeeded');
    expect(mostInside(linesOf(file))).toBe(1);
  });

  test('a waiting task reports this, and for which task it waits, and can be cancelled; its place is free again', async () => {
    const file = fresh();
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const second = await start('gated', file, 'second');
    await untilStatus(second, 'waiting');
    const third = await start('gated', file, 'third');
    await untilStatus(third, 'waiting');
    expect(await view(second)).toMatchObject({ concurrency: { key: `k-${file}`, held_by: [first], granted_at: null } });
    await cancelTask(flows.project.connection, second);
    expect(await ended(second)).toMatchObject({ status: 'cancelled', steps: [{ status: 'skipped' }, {}, {}] });
    await expect.poll(() => lineOf(file)).toEqual({ in: [first], waiting: [third] });
    await go(first);
    await ended(first);
    await untilStatus(third, 'running');
    await go(third);
    expect(await ended(third)).toMatchObject({ status: 'succeeded', concurrency: { held_by: [first] } });
    expect(linesOf(file)).toEqual(['begin first', 'end first', 'begin third', 'end third']);
    await lockIsOver(file);
  });

  test('tasks with another key or in another environment do not wait', LONG, async () => {
    const [file, other] = [fresh(), fresh()];
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    await untilHolding(await start('gated', other, 'other'));
    await untilHolding(await start('gated', file, 'prod', { environment: 'prod' }));
    expect((await view(first)).status).toBe('running');
    await expect.poll(() => linesOf(file), { timeout: 10_000 }).toEqual(['begin first', 'begin prod']);
  });

  test(
    'a paused task keeps its turn, and a task paused while it waits takes its turn without starting',
    LONG,
    async () => {
      const file = fresh();
      const { connection } = flows.project;
      const first = await start('gated', file, 'first');
      await untilHolding(first);
      await pauseTask(connection, first);
      const second = await start('gated', file, 'second');
      await untilStatus(second, 'waiting');
      await pauseTask(connection, second);
      await go(first);
      await resumeTask(connection, first);
      await ended(first);
      await untilHolding(second);
      expect(linesOf(file)).toEqual(['begin first', 'end first']);
      await resumeTask(connection, second);
      await go(second);
      expect((await ended(second)).status).toBe('succeeded');
    },
  );

  test('direct runs and retries take their turn as well', LONG, async () => {
    const file = fresh();
    const failing = flows.define(`
concurrency: { key: "k-\${{ input.file }}" }
steps: [{ id: no, fail: { code: no_luck, message: no } }]`);
    const failed = await flows.project.create(failing, { file });
    expect((await ended(failed.id)).status).toBe('failed');
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const direct = await start('one', file, 'direct', { direct: true });
    await untilStatus(direct, 'waiting');
    const retried = await retryTask(flows.project.connection, failed.id, { ...retryBy(), run: true });
    await untilStatus(retried.id, 'waiting');
    expect(await lineOf(file)).toEqual({ in: [first], waiting: [direct, retried.id] });
    await go(first);
    expect((await ended(direct)).status).toBe('succeeded');
    expect((await ended(retried.id)).error?.code).toBe('no_luck');
    await lockIsOver(file);
  });

  test('time in line does not count as working time', LONG, async () => {
    const file = fresh();
    const short = flows.define(`timeout: 1s\nconcurrency: { key: "k-\${{ input.file }}" }\n${SPAN}`);
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const second = await start(short, file, 'second');
    await untilStatus(second, 'waiting');
    const came = Date.parse((await view(second)).concurrency?.asked_at ?? '');
    await expect.poll(() => Date.now() - came, { timeout: 10_000 }).toBeGreaterThan(1500);
    await go(first);
    expect((await ended(second)).status).toBe('succeeded');
  });
});

describe('on_busy: refuse', () => {
  test('ends at once, before any effect, and names the key and its holder', async () => {
    const file = fresh();
    const first = await start('refuses', file, 'first');
    await untilHolding(first);
    const refused = await flows.project.run('refuses', { file, name: 'second' });
    expect(refused).toMatchObject({
      status: 'failed',
      error: { code: 'concurrency.busy', details: { key: `k-${file}`, held_by: [first], limit: 1 } },
      concurrency: { refused: true, granted_at: null },
    });
    expect(refused.error?.message).toBe(`k-${file} is held by ${first}, and this task does not wait`);
    expect(linesOf(file)).toEqual(['begin first']);
    await go(first);
    await ended(first);
    await lockIsOver(file);
  });

  test('of a called workflow can be handled by its caller', async () => {
    const file = fresh();
    const first = await start('refuses', file, 'first');
    await untilHolding(first);
    const result = await flows.run(
      `steps: [{ id: inner, call: refuses, with: { file: "\${{ input.file }}", name: x }, on_error: [{ errors: [concurrency], output: busy }] }]\noutput: "\${{ steps.inner.output }}"`,
      { file },
    );
    expect(result).toMatchObject({ status: 'succeeded', output: 'busy' });
  });
});

describe('on_busy: cancel_older', () => {
  test('cancels holders and waiting tasks, and starts when their undo is done', LONG, async () => {
    const file = fresh();
    const first = await start('newest', file, 'first');
    await untilHolding(first);
    await expect.poll(() => linesOf(file), { timeout: 10_000 }).toEqual(['begin first']);
    const waits = await start('gated', file, 'waits');
    await untilStatus(waits, 'waiting');
    const second = await start('newest', file, 'second');
    expect((await ended(waits)).status).toBe('cancelled');
    const cancelled = await ended(first);
    expect(cancelled.status).toBe('cancelled');
    expect(cancelled.warnings).toEqual([`It was cancelled for ${second}, a later task with the same concurrency key.`]);
    await untilHolding(second);
    await expect
      .poll(() => linesOf(file), { timeout: 10_000 })
      .toEqual(['begin first', 'begin undo first', 'end undo first', 'finally first', 'begin second']);
    await go(second);
    expect((await ended(second)).status).toBe('succeeded');
    await lockIsOver(file);
  });

  test('of many at once, only the last one remains', async () => {
    const file = fresh();
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const id = await start('newest', file, `n${n}`);
      await expect.poll(async () => (await view(id)).concurrency?.asked_at ?? null, { timeout: 20_000 }).not.toBeNull();
      ids.push(id);
    }
    const last = ids.pop() as string;
    for (const id of ids) expect((await ended(id)).status).toBe('cancelled');
    await untilHolding(last);
    expect((await view(last)).status).toBe('running');
  });
});

describe('a called workflow', () => {
  test(
    'with the key of its caller shares its turn, one at a time, so that no task waits for itself',
    LONG,
    async () => {
      const file = fresh();
      const result = await flows.run(
        `
concurrency: { key: "k-\${{ input.file }}" }
steps:
  - id: both
    parallel:
      a: { call: one, with: { file: "\${{ input.file }}", name: a, ms: 300 } }
      b: { call: one, with: { file: "\${{ input.file }}", name: b, ms: 300 } }
output: "\${{ steps.both.output }}"`,
        { file },
      );
      expect(result).toMatchObject({ status: 'succeeded', output: { a: 'a', b: 'b' } });
      expect(mostInside(linesOf(file))).toBe(1);
      await lockIsOver(file);
    },
  );

  test('waits for a task that is not its caller, and is cancelled with its caller', LONG, async () => {
    const file = fresh();
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const yaml = 'steps: [{ id: inner, call: one, with: { file: "${{ input.file }}", name: inner, ms: 1 } }]';
    const caller = flows.define(yaml);
    const [kept, dropped] = [await start(caller, file, ''), await start(caller, file, '')];
    await untilStatus(`${kept}/inner`, 'waiting');
    await untilStatus(`${dropped}/inner`, 'waiting');
    await cancelTask(flows.project.connection, dropped);
    expect((await ended(dropped)).status).toBe('cancelled');
    await go(first);
    expect((await ended(kept)).status).toBe('succeeded');
    await lockIsOver(file);
  });
});

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fakeWorkflow, World } from '../../property/fake-workflow.js';

const { CancellationScope, condition, isCancellation, sleep } = fakeWorkflow;

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const newWorld = (): World => new World(undefined, undefined, (ms) => void vi.setSystemTime(ms));

test('time passes at once, in order, and for all waits', async () => {
  const world = newWorld();
  const seen: string[] = [];
  await world.run(async () => {
    const begun = Date.now();
    const later = sleep(7_200_000).then(() => seen.push(`later ${Date.now() - begun}`));
    await sleep(3_600_000);
    seen.push(`sooner ${Date.now() - begun}`);
    await later;
  });
  expect(seen).toEqual(['sooner 3600000', 'later 7200000']);
});

test('cancellation reaches the waits of nested scopes', async () => {
  const world = newWorld();
  const ended = await world.run(async () => {
    world.after(10, () => world.root.cancel());
    const waits = [sleep(1000), condition(() => false), condition(() => false, 1000)];
    const nested = CancellationScope.cancellable(() => CancellationScope.cancellable(() => sleep(1000)));
    const all = await Promise.allSettled([...waits, nested]);
    return { at: world.now, all: all.map((end) => end.status === 'rejected' && isCancellation(end.reason)) };
  });
  expect(ended).toEqual({ at: 10, all: [true, true, true, true] });
});

test('a scope that cannot be cancelled shields what is in it, even if it is opened after the cancellation', async () => {
  const world = newWorld();
  const at = await world.run(async () => {
    world.after(10, () => world.root.cancel());
    await CancellationScope.nonCancellable(() => sleep(100));
    await CancellationScope.nonCancellable(() => CancellationScope.cancellable(() => sleep(100)));
    await expect(sleep(100)).rejects.toSatisfy(isCancellation);
    return world.now;
  });
  expect(at).toBe(200);
});

test('a scope with a time-out cancels what is in it and nothing else', async () => {
  const world = newWorld();
  const at = await world.run(async () => {
    const outside = sleep(100);
    await expect(CancellationScope.withTimeout(50, () => sleep(1000))).rejects.toSatisfy(isCancellation);
    await outside;
    return world.now;
  });
  expect(at).toBe(100);
});

test('a workflow that waits forever is detected', async () => {
  await expect(newWorld().run(() => condition(() => false))).rejects.toThrow(/never comes/);
});

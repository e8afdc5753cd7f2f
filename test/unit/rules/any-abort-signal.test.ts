import { getEventListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anyAbortSignal, endsWithin, signalWithin } from '../../../src/rules/any-abort-signal.js';

test('fires with the reason of the first signal that fires, even if it fired before', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const { signal } = anyAbortSignal([one.signal, other.signal]);
  expect(signal.aborted).toBe(false);
  other.abort('other');
  one.abort('one');
  expect(signal.reason).toBe('other');
  expect(anyAbortSignal([new AbortController().signal, one.signal]).signal.reason).toBe('one');
  expect(anyAbortSignal([]).signal.aborted).toBe(false);
});

test('once released, it holds no listeners and no longer fires', () => {
  const long = new AbortController();
  const all = Array.from({ length: 100 }, () => anyAbortSignal([long.signal]));
  expect(getEventListeners(long.signal, 'abort')).toHaveLength(100);
  for (const { release } of all) release();
  expect(getEventListeners(long.signal, 'abort')).toEqual([]);
  long.abort();
  expect(all.some(({ signal }) => signal.aborted)).toBe(false);
});

test('once fired, it holds no listeners', () => {
  const one = new AbortController();
  const { signal } = anyAbortSignal([one.signal]);
  one.abort();
  expect(signal.aborted).toBe(true);
  expect(getEventListeners(one.signal, 'abort')).toEqual([]);
});

test('released before the time is up, it holds no listeners and is never late', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const stop = new AbortController();
  const within = signalWithin(10, [stop.signal]);
  within.release();
  vi.advanceTimersByTime(20);
  expect(within.isLate()).toBe(false);
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

test('work that ends in time returns or fails with its own error, and leaves no timer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  expect(await endsWithin(10, Promise.resolve('x'))).toBe(true);
  await expect(endsWithin(10, Promise.reject(new Error('mine')))).rejects.toThrow('mine');
  expect(vi.getTimerCount()).toBe(0);
});

test('work that does not end in time is late', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const ends = endsWithin(10, new Promise(() => {}));
  vi.advanceTimersByTime(10);
  expect(await ends).toBe(false);
});

test('fires once the time is up, and reports whether that was the cause', async () => {
  const late = signalWithin(1, []);
  await wait(20);
  expect([late.signal.aborted, late.isLate()]).toEqual([true, true]);
  const stop = new AbortController();
  const stopped = signalWithin(60_000, [stop.signal]);
  stop.abort('stop');
  expect([stopped.signal.reason, stopped.isLate()]).toEqual(['stop', false]);
  stopped.release();
});

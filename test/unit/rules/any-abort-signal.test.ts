import { getEventListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { anyAbortSignal, signalWithin } from '../../../src/rules/any-abort-signal.js';

test('fires with the reason of the first that does, also where that was before', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const { signal } = anyAbortSignal([one.signal, other.signal]);
  expect(signal.aborted).toBe(false);
  other.abort('other');
  one.abort('one');
  expect(signal.reason).toBe('other');
  expect(anyAbortSignal([new AbortController().signal, one.signal]).signal.reason).toBe('one');
  expect(anyAbortSignal([]).signal.aborted).toBe(false);
});

test('released it holds nothing, and fires no more', () => {
  const long = new AbortController();
  const all = Array.from({ length: 100 }, () => anyAbortSignal([long.signal]));
  expect(getEventListeners(long.signal, 'abort')).toHaveLength(100);
  for (const { release } of all) release();
  expect(getEventListeners(long.signal, 'abort')).toEqual([]);
  long.abort();
  expect(all.some(({ signal }) => signal.aborted)).toBe(false);
});

test('fires once the time is up, and says that it was that', async () => {
  const late = signalWithin(1, []);
  await wait(20);
  expect([late.signal.aborted, late.isLate()]).toEqual([true, true]);
  const stop = new AbortController();
  const stopped = signalWithin(60_000, [stop.signal]);
  stop.abort('stop');
  expect([stopped.signal.reason, stopped.isLate()]).toEqual(['stop', false]);
  stopped.release();
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startTimer } from '../../../src/server/start-timer.js';

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([1, 100, 30 * DAY_MS, 365 * DAY_MS])('an action runs after %d ms, not before', (ms) => {
  const action = vi.fn();
  startTimer(ms, action);
  vi.advanceTimersByTime(ms - 1);
  expect(action).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(action).toHaveBeenCalledOnce();
});

test('a cancelled action does not run, however much of the time has passed', () => {
  const action = vi.fn();
  const stops = [
    startTimer(100, action),
    startTimer(60 * DAY_MS, action),
    startTimer(Number.POSITIVE_INFINITY, action),
  ];
  vi.advanceTimersByTime(99);
  stops[0]?.();
  vi.advanceTimersByTime(40 * DAY_MS);
  stops[1]?.();
  vi.advanceTimersByTime(400 * DAY_MS);
  expect(action).not.toHaveBeenCalled();
});

test('a time in the past counts as no time', () => {
  const action = vi.fn();
  startTimer(-5, action);
  vi.advanceTimersByTime(0);
  expect(action).toHaveBeenCalledOnce();
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AbilityError } from '../../../../../../src/contracts/problem.js';
import { startDeadline } from '../../../../../../src/doors/cli/commands/following/deadline.js';
import type { Context } from '../../../../../../src/doors/cli/program/context.js';

const exit = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  exit.mockClear();
  printJson.mockClear();
});
afterEach(() => void vi.useRealTimers());

const printJson = vi.fn();

const startFrom = (timeout: string | undefined, timeoutMs: number | undefined, began = performance.now()) =>
  startDeadline(
    { began, flags: { json: true }, terminal: { printJson, leave: exit } } as unknown as Context,
    { timeout, timeoutMs, approvalMs: undefined },
    'No task was created',
  );

test('the time counts from the start of the command, not of the watch', () => {
  const began = performance.now();
  vi.advanceTimersByTime(700);
  const { signal, stopAndReadRest } = startFrom('1s', 1000, began);
  vi.advanceTimersByTime(299);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ code: 'wait.timeout', message: expect.stringContaining('within 1s') });
  expect(stopAndReadRest()).toBe(0);
});

test('the wait for the task gets the remaining time, and the deadline is no longer watched', () => {
  const { signal, stopAndReadRest } = startFrom('1s', 1000);
  vi.advanceTimersByTime(400);
  expect(stopAndReadRest()).toBe(600);
  vi.advanceTimersByTime(5000);
  expect(signal.aborted).toBe(false);
  expect(exit).not.toHaveBeenCalled();
});

test('what ends in time by itself gets a second more, and then its own error', () => {
  const { signal, handOver } = startFrom('1s', 1000);
  vi.advanceTimersByTime(400);
  expect(handOver(() => new AbilityError({ code: 'wait.timeout', message: 'it goes on' }))).toBe(600);
  vi.advanceTimersByTime(1599);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ code: 'wait.timeout', message: 'it goes on' });
});

test('what has not been reached then keeps the error of before', () => {
  const { signal, handOver } = startFrom('1s', 1000);
  expect(handOver(() => undefined)).toBe(1000);
  vi.advanceTimersByTime(2000);
  expect(signal.reason).toMatchObject({
    code: 'wait.timeout',
    message: expect.stringContaining('No task was created'),
  });
});

test('a limit of thirty days is not cut short', () => {
  const { signal, stopAndReadRest } = startFrom('30d', 30 * 86_400_000);
  vi.advanceTimersByTime(86_400_000);
  expect(signal.aborted).toBe(false);
  expect(stopAndReadRest()).toBe(29 * 86_400_000);
});

test('without a limit there is no deadline', () => {
  const { signal, stopAndReadRest } = startFrom(undefined, undefined);
  vi.advanceTimersByTime(1e9);
  expect([signal.aborted, stopAndReadRest()]).toEqual([false, undefined]);
});

test('what no worker has taken up is repeated in the error, with the command that helps', () => {
  const { signal, stalled } = startFrom('13s', 13_000);
  const message = 'No worker has taken up the next turn of preflight:k for 5 s, on the queue p-dev-local';
  stalled({ task: 'k', what: 'turn', queue: 'p-dev-local', message, suggestion: 'Start a worker: ability worker' });
  vi.advanceTimersByTime(13_000);
  expect(signal.reason).toMatchObject({
    code: 'wait.timeout',
    message: `No task was created within 13s, counted from the start of the command: ${message}`,
    suggestion: 'Start a worker: ability worker',
  });
});

test('work that cannot be cancelled does not hold up the command, which exits with 6 a second later and states why', () => {
  startFrom('1s', 1000);
  vi.advanceTimersByTime(1999);
  expect(exit).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(exit).toHaveBeenCalledExactlyOnceWith(6);
  const error = expect.objectContaining({ code: 'wait.timeout' });
  expect(printJson).toHaveBeenCalledExactlyOnceWith({ status: 'error', error });
});

test('a command that has ended is not ended again: the program that called it goes on', () => {
  const { done } = startFrom('1s', 1000);
  vi.advanceTimersByTime(1500);
  done();
  vi.advanceTimersByTime(5000);
  expect(exit).not.toHaveBeenCalled();
  expect(printJson).not.toHaveBeenCalled();
});

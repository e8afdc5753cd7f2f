import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GrowingLog } from '../../../../src/worker/share/store-share.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a log is written as a whole some seconds after a line, and at its end', () => {
  const written: string[] = [];
  const log = new GrowingLog((bytes) => written.push(Buffer.from(bytes).toString()));
  log.append('a\n');
  log.append('b\n');
  expect(written).toEqual([]);
  vi.advanceTimersByTime(3000);
  expect(written).toEqual(['a\nb\n']);
  vi.advanceTimersByTime(60_000);
  expect(written).toHaveLength(1);
  log.append('c\n');
  log.end();
  log.end();
  vi.advanceTimersByTime(60_000);
  expect(written).toEqual(['a\nb\n', 'a\nb\nc\n']);
});

test('a large log that grows all the time is written only a few times a minute', () => {
  const written: number[] = [];
  const log = new GrowingLog((bytes) => written.push(bytes.length));
  log.append('x'.repeat(100_000));
  for (let second = 0; second < 60; second += 1) {
    log.append('x');
    vi.advanceTimersByTime(1000);
  }
  expect(written.length).toBeLessThanOrEqual(7);
});

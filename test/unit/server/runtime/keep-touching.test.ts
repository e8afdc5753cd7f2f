import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pathsOf } from '../../../../src/server/project-paths.js';
import { keepTouching } from '../../../../src/server/runtime/keep-touching.js';

let root: string;
const file = (): string => pathsOf(root).touchFile;
/** Makes the last touch look old. */
const forget = (): void => utimesSync(file(), 0, 0);
const isTouched = (): boolean => statSync(file()).mtimeMs > 0;

beforeEach(() => {
  vi.useFakeTimers();
  root = mkdtempSync(join(tmpdir(), 'ability-test-touch-'));
  mkdirSync(pathsOf(root).system);
  writeFileSync(file(), '');
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

test.each([
  ['every second, since the runtime may have been started with a shorter limit', undefined, 1000],
  ['three times within a short limit', '900', 300],
])('a caller with an open connection touches the file %s, until it is closed', (_, limit, ms) => {
  vi.stubEnv('ABILITY_RUNTIME_IDLE_MS', limit);
  const stop = keepTouching(pathsOf(root));
  for (let turn = 0; turn < 5; turn += 1) {
    forget();
    vi.advanceTimersByTime(ms);
    expect(isTouched()).toBe(true);
  }
  stop();
  forget();
  vi.advanceTimersByTime(600_000);
  expect(isTouched()).toBe(false);
});

test('a project that was removed in the meantime stays removed', () => {
  const stop = keepTouching(pathsOf(root));
  rmSync(pathsOf(root).system, { recursive: true });
  vi.advanceTimersByTime(5000);
  stop();
  expect(existsSync(pathsOf(root).system)).toBe(false);
});

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CurrentLine } from '../../../../src/activities/call/call-log.js';
import type { LogLine } from '../../../../src/activities/call/log-lines.js';
import { Masker } from '../../../../src/planning/secrets/masking/masker.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'current-line-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const line = (text: string): LogLine => ({ time: 'now', step: 'a', attempt: 1, stream: 'stdout', text });

/** Shows a line. @returns the file, the line (which can be removed again), and the text in the file. */
function shown(text: string, secrets: string[] = [], before: string[] = []) {
  const file = join(folder, 'logs', 'a.now');
  const current = new CurrentLine(file, new Masker(secrets));
  current.show(line(text), before.map(line));
  return { file, current, text: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).text : undefined };
}

test.each([
  ['working', 'working'],
  ['10 %\r20 %', '20 %'],
  ['10 %\r', '10 %'],
  ['10 %\r20 %\r  ', '20 %'],
  ['\r', ''],
  ['x'.repeat(5000), 'x'.repeat(1000)],
])('shows the last visible part of an unfinished line: %j', (text, seen) => {
  expect(shown(text).text).toBe(seen);
});

test('masks the secrets of the line', () => {
  expect(shown('key the-secret-key!', ['the-secret-key']).text).not.toContain('the-secret-key');
});

test('does not yet show a line in which a secret may have begun', () => {
  expect(shown('the-sec', ['the-secret-key']).text).toBeUndefined();
});

test('leaves nothing behind once the line is removed', () => {
  const { file, current } = shown('working');
  expect(existsSync(`${file}.new`)).toBe(false);
  current.remove();
  expect(existsSync(file)).toBe(false);
});

test('a folder that cannot be created does not fail the call', () => {
  const file = join(folder, 'a.now');
  new CurrentLine(file, new Masker()).show(line('x'), []);
  new CurrentLine(join(file, 'b', 'c.now'), new Masker()).show(line('x'), []);
  expect(readFileSync(file, 'utf8')).toContain('x');
});

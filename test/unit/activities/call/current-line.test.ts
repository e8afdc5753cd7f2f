import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CurrentLine } from '../../../../src/activities/call/current-line.js';
import type { LogLine } from '../../../../src/activities/call/log-lines.js';
import { Masker } from '../../../../src/planning/secrets/masking/masker.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'current-line-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const line = (text: string): LogLine => ({ time: 'now', step: 'a', attempt: 1, stream: 'stdout', text });

/** Shows a line; gives what the file says, and the line that can take it away. */
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
])('of a line that does not end what is to be seen last is shown: %j', (text, seen) => {
  expect(shown(text).text).toBe(seen);
});

test('its secrets are masked', () => {
  expect(shown('key the-secret-key!', ['the-secret-key']).text).not.toContain('the-secret-key');
});

test('a line in which a secret may have begun is not shown yet', () => {
  expect(shown('the-sec', ['the-secret-key']).text).toBeUndefined();
});

test('nothing of it is left once it is taken away', () => {
  const { file, current } = shown('working');
  expect(existsSync(`${file}.new`)).toBe(false);
  current.remove();
  expect(existsSync(file)).toBe(false);
});

test('a folder that cannot be made makes no call fail', () => {
  const file = join(folder, 'a.now');
  new CurrentLine(file, new Masker()).show(line('x'), []);
  new CurrentLine(join(file, 'b', 'c.now'), new Masker()).show(line('x'), []);
  expect(readFileSync(file, 'utf8')).toContain('x');
});

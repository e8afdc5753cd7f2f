import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { NewGap } from '../../../../src/contracts/gaps.js';
import { GapLog } from '../../../../src/server/logs/gap-log.js';

const folder = mkdtempSync(join(tmpdir(), 'gap-log-'));
const system = join(folder, '.system');
afterEach(() => rmSync(system, { recursive: true, force: true }));
const gap = (request: string, more: Partial<NewGap> = {}): NewGap => {
  const place = { environment: 'dev', scope: null };
  return { request, kind: 'nothing_fits', door: 'ask', nearest: ['a', 'b', 'c', 'd'], ...place, ...more };
};

test('a gap is one line, whatever was typed, and can be read back (R-000-93)', () => {
  const log = new GapLog(system);
  log.note(gap('  send a\n\nmail \u2028 to all  '));
  log.note(gap('x'.repeat(5000)));
  const [first, second] = log.read();
  expect(first).toMatchObject({ request: 'send a mail to all', nearest: ['a', 'b', 'c'], door: 'ask' });
  expect(second?.request).toHaveLength(300);
  expect(readFileSync(join(system, 'gaps.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(2);
});

test('an empty request is not a gap, and without a file there are none', () => {
  const log = new GapLog(system);
  log.note(gap(' \n '));
  expect(log.read()).toEqual([]);
  expect(existsSync(system)).toBe(false);
});

test('torn lines, other lines and lines without a time are omitted', () => {
  const log = new GapLog(system);
  log.note(gap('one'));
  appendFileSync(
    join(system, 'gaps.jsonl'),
    '{"ts": 1, "request": "tw\n{"ability_id":"x","ts":2}\n[]\n{"request":"y"}\n',
  );
  log.note(gap('two'));
  expect(log.read().map(({ request }) => request)).toEqual(['one', 'two']);
});

test('a full log is moved to a second file, and no more files are kept', () => {
  const log = new GapLog(system, 400);
  for (let n = 0; n < 20; n += 1) log.note(gap(`request ${n}`));
  expect(log.read().at(-1)?.request).toBe('request 19');
  const sizes = ['gaps.jsonl', 'gaps.1.jsonl'].map((name) => statSync(join(system, name)).size);
  for (const size of sizes) expect(size).toBeLessThan(800);
});

test('a log that cannot be written blocks no caller', () => {
  writeFileSync(system, 'a file in place of the folder');
  expect(() => new GapLog(system).note(gap('one'))).not.toThrow();
  chmodSync(system, 0o644);
});

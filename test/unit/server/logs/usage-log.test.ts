import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UsageLog } from '../../../../src/server/logs/usage-log.js';
import { temporaryProject } from '../../temporary-project.js';

const line = (ability_id: string, ts: number, status = 'succeeded') => ({ ts, ability_id, status });

test('R-002-63: calls, failures and the last use of each ability are read from the log', () => {
  const { root } = temporaryProject();
  const log = new UsageLog(root);
  expect(log.read()).toEqual([]);
  log.append(line('b.op', 20));
  log.append(line('a.op', 30, 'failed'));
  log.append(line('a.op', 10));
  expect(log.read()).toEqual([
    { ability_id: 'a.op', calls: 2, failures: 1, last_used: '1970-01-01T00:00:30.000Z' },
    { ability_id: 'b.op', calls: 1, failures: 0, last_used: '1970-01-01T00:00:20.000Z' },
  ]);
});

test('a torn or invalid line does not hide the others', () => {
  const { root } = temporaryProject();
  const log = new UsageLog(root);
  log.append(line('a.op', 1));
  appendFileSync(join(root, 'usage.jsonl'), '{"ability_id": "a.op", "ts"\n[]\n7\n{"ability_id": 7, "ts": 1}\n');
  log.append(line('a.op', 2));
  expect(log.read()).toMatchObject([{ calls: 2 }]);
});

test('the log takes no more than two files of its size, and the newest lines are kept', () => {
  const { root } = temporaryProject();
  const log = new UsageLog(root, 2_000);
  for (let at = 0; at < 500; at += 1) log.append(line('a.op', at));
  const files = readdirSync(root).filter((name) => name.startsWith('usage'));
  expect(files.sort()).toEqual(['usage.1.jsonl', 'usage.jsonl']);
  for (const file of files) expect(statSync(join(root, file)).size).toBeLessThan(2_100);
  expect(readFileSync(join(root, 'usage.jsonl'), 'utf8')).toContain('"ts":499');
});

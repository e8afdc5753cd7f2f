import { expect, test } from 'vitest';
import type { LogLine } from '../../../../../../src/client/index.js';
import { newLines } from '../../../../../../src/doors/cli/commands/task/record.js';
import { isOf } from '../../../../../../src/operations/read-call-logs.js';

const line = (step: string, second: number): LogLine => ({
  time: new Date(second * 1000).toISOString(),
  step,
  attempt: 1,
  stream: 'stdout',
  text: `${step} ${second}`,
});

test('following several calls shows each line once, in whatever order the lines are written', () => {
  const shown = new Map<string, number>();
  const texts = (logs: Parameters<typeof newLines>[0]) => newLines(logs, shown).map(({ text }) => text);
  const slow = { name: 'slow', step: 'slow', lines: [line('slow', 1), line('slow', 5)] };
  const quick = { name: 'quick', step: 'quick', lines: [line('quick', 3)] };
  expect(texts([quick])).toEqual(['quick 3']);
  // The slow call began earlier, but its lines are written later.
  expect(texts([quick, slow])).toEqual(['slow 1', 'slow 5']);
  quick.lines.push(line('quick', 6));
  slow.lines.push(line('slow', 7));
  expect(texts([slow, quick])).toEqual(['quick 6', 'slow 7']);
  expect(texts([slow, quick])).toEqual([]);
});

test.each([
  ['hosts/12/check', true],
  ['hosts[12]/check', true],
  ['hosts/12', true],
  ['hosts', true],
  ['hosts/*/check', true],
  ['hosts[*]/check', true],
  ['check', true],
  ['12/check', true],
  ['hosts/1', false],
  ['hosts/1/check', false],
  ['host', false],
  ['*/check/more', false],
])('the log hosts/12/check can be named %s: %s', (name, expected) => {
  expect(isOf('hosts/12/check', name)).toBe(expected);
});

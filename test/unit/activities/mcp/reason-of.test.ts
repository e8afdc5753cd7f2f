import { expect, test } from 'vitest';
import { z } from 'zod';
import { CallFailure } from '../../../../src/activities/call/call-failure.js';
import { causeOf, maskedReason, withoutDump } from '../../../../src/activities/mcp/reason-of.js';

const asItIs = { mask: (text: string): string => text };
const shape = z.object({ name: z.string(), tags: z.array(z.boolean()) });
const dump = (value: unknown): Error => shape.safeParse(value).error ?? new Error('no error');

test('what a validator dumps is read out', () => {
  expect(dump({ tags: ['a'] }).message).toContain('"code"');
  expect(maskedReason(dump({ tags: ['a'] }), asItIs)).toBe(
    '`name` is missing; `tags.0`: expected boolean, received string',
  );
  expect(maskedReason(dump(7), asItIs)).toBe('it: expected object, received number');
});

test('also in the middle of what somebody else says', () => {
  const text = `MCP error -32602: Invalid arguments: ${dump({ tags: [] }).message} (of the tool add)`;
  expect(withoutDump(text)).toBe('MCP error -32602: Invalid arguments: `name` is missing (of the tool add)');
});

test.each(['', 'no [list] here', '[{"a": 1}]', '[{"message": "x"}]', '[{ not JSON }]', '[]', ']['])(
  '%j stays as it is',
  (text) => {
    expect(withoutDump(text)).toBe(text);
  },
);

test('many mistakes are counted', () => {
  const text = maskedReason(dump({ name: 'a', tags: Array.from({ length: 9 }, () => 1) }), asItIs);
  expect(text).toMatch(/; and 4 more$/);
  expect(text.split(';')).toHaveLength(6);
});

test('a cause is named once, a page is cut, and what is no error is said', () => {
  expect(maskedReason(new Error('fetch failed', { cause: new Error('ECONNREFUSED') }), asItIs)).toBe(
    'fetch failed (ECONNREFUSED)',
  );
  expect(maskedReason(new Error('failed: refused', { cause: new Error('refused') }), asItIs)).toBe('failed: refused');
  expect(maskedReason(new Error('x'.repeat(100_000)), asItIs)).toHaveLength(1003);
  expect(maskedReason('told to stop', asItIs)).toBe('told to stop');
});

test('a cause of a class is found at any depth, and causes that go round end', () => {
  const failure = new CallFailure({ code: 'denied.host', message: 'no' });
  const error = new Error('outer', { cause: new Error('inner', { cause: failure }) });
  expect(causeOf(error, CallFailure)).toBe(failure);
  const round = new Error('round');
  round.cause = round;
  expect(causeOf(round, CallFailure)).toBeUndefined();
});

test('a secret is masked before the reason is cut, so that no part of one is left', () => {
  const secret = 'correct-horse-battery-staple';
  const mask = (text: string): string => text.replaceAll(secret, '***');
  const reason = maskedReason(new Error(`${'x'.repeat(985)}${secret} and more of the page`), { mask });
  expect(reason).toMatch(/x\*\*\* and more of\.\.\.$/);
});

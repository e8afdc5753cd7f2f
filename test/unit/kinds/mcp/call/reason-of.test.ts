import { expect, test } from 'vitest';
import { z } from 'zod';
import { CallFailure } from '../../../../../src/activities/call/call-failure.js';
import { causeOf, maskedReason, withoutDump } from '../../../../../src/kinds/mcp/call/reason-of.js';

const unmasked = { mask: (text: string): string => text };
const shape = z.object({ name: z.string(), tags: z.array(z.boolean()) });
const dump = (value: unknown): Error => shape.safeParse(value).error ?? new Error('no error');

test('the dump of a validator is made readable', () => {
  expect(dump({ tags: ['a'] }).message).toContain('"code"');
  expect(maskedReason(dump({ tags: ['a'] }), unmasked)).toBe(
    '`name` is missing; `tags.0`: expected boolean, received string',
  );
  expect(maskedReason(dump(7), unmasked)).toBe('it: expected object, received number');
});

test('a dump in the middle of another text is made readable', () => {
  const text = `MCP error -32602: Invalid arguments: ${dump({ tags: [] }).message} (of the tool add)`;
  expect(withoutDump(text)).toBe('MCP error -32602: Invalid arguments: `name` is missing (of the tool add)');
});

test.each(['', 'no [list] here', '[{"a": 1}]', '[{"message": "x"}]', '[{ not JSON }]', '[]', ']['])(
  '%j is unchanged',
  (text) => {
    expect(withoutDump(text)).toBe(text);
  },
);

test('of many mistakes, the first are named and the others counted', () => {
  const text = maskedReason(dump({ name: 'a', tags: Array.from({ length: 9 }, () => 1) }), unmasked);
  expect(text).toMatch(/; and 4 more$/);
  expect(text.split(';')).toHaveLength(6);
});

test('a cause is named once, a long text is truncated, and a thrown text is reported', () => {
  expect(maskedReason(new Error('fetch failed', { cause: new Error('ECONNREFUSED') }), unmasked)).toBe(
    'fetch failed (ECONNREFUSED)',
  );
  expect(maskedReason(new Error('failed: refused', { cause: new Error('refused') }), unmasked)).toBe('failed: refused');
  expect(maskedReason(new Error('x'.repeat(100_000)), unmasked)).toHaveLength(1003);
  expect(maskedReason('it was stopped', unmasked)).toBe('it was stopped');
});

test('a cause of a class is found at any depth, and the search ends at a cycle', () => {
  const failure = new CallFailure({ code: 'denied.host', message: 'no' });
  const error = new Error('outer', { cause: new Error('inner', { cause: failure }) });
  expect(causeOf(error, CallFailure)).toBe(failure);
  const cyclic = new Error('round');
  cyclic.cause = cyclic;
  expect(causeOf(cyclic, CallFailure)).toBeUndefined();
});

test('a secret is masked before the reason is truncated, so that no part of it remains', () => {
  const secret = 'correct-horse-battery-staple';
  const mask = (text: string): string => text.replaceAll(secret, '***');
  const reason = maskedReason(new Error(`${'x'.repeat(985)}${secret} and more of the page`), { mask });
  expect(reason).toMatch(/x\*\*\* and more of\.\.\.$/);
});

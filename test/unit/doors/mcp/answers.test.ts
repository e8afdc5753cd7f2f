import { expect, test } from 'vitest';
import { refusalOf, resultOf } from '../../../../src/doors/mcp/answers.js';

const textOf = (told: Parameters<typeof resultOf>[0]['told']): string => {
  const [block] = resultOf({ told, isError: false }).content;
  return block?.type === 'text' ? block.text : '';
};

test('the text of an answer shows what would not be seen, and means the same JSON', () => {
  const told = { output: 'a\u202eb\u{e0041}' };
  expect(textOf(told)).toBe('{"output":"a\\u202eb\\udb40\\udc41"}');
  expect(JSON.parse(textOf(told))).toEqual(told);
});

test('a long answer is cut in its text, which says so, and is whole in its structure', () => {
  const told = { output: 'x'.repeat(200_000) };
  const result = resultOf({ told, isError: false });
  expect(textOf(told).length).toBeLessThan(101_000);
  expect(textOf(told)).toMatch(/cut after 100000 of 200013 characters; the structured content is whole$/);
  expect(result.structuredContent).toBe(told);
});

test('a fault of ours is an answer without its stack', () => {
  const { told, isError } = refusalOf(new TypeError('x is not a function'), { typed: (text) => text });
  expect(isError).toBe(true);
  expect(told).toMatchObject({ status: 'refused', code: 'internal.error', reason: 'x is not a function' });
  expect(JSON.stringify(told)).not.toContain('answers.test');
});

import { expect, test } from 'vitest';
import { refusalOf, resultOf } from '../../../../src/doors/mcp/answers.js';

const textOf = (data: Parameters<typeof resultOf>[0]['data']): string => {
  const [block] = resultOf({ data, isError: false }).content;
  return block?.type === 'text' ? block.text : '';
};

test('the text of an answer escapes invisible characters, and is the same JSON', () => {
  const data = { output: 'a\u202eb\u{e0041}' };
  expect(textOf(data)).toBe('{"output":"a\\u202eb\\udb40\\udc41"}');
  expect(JSON.parse(textOf(data))).toEqual(data);
});

test('a long answer is truncated in its text, which states this, and complete in its structured content', () => {
  const data = { output: 'x'.repeat(200_000) };
  const result = resultOf({ data, isError: false });
  expect(textOf(data).length).toBeLessThan(101_000);
  expect(textOf(data)).toMatch(/cut after 100000 of 200013 characters; the structured content is whole$/);
  expect(result.structuredContent).toBe(data);
});

test('an internal error is an answer without its stack', () => {
  const { data, isError } = refusalOf(new TypeError('x is not a function'), { typed: (text) => text });
  expect(isError).toBe(true);
  expect(data).toMatchObject({ status: 'refused', code: 'internal.error', reason: 'x is not a function' });
  expect(JSON.stringify(data)).not.toContain('answers.test');
});

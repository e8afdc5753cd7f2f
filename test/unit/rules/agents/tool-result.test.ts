import { expect, test } from 'vitest';
import { textOfResult } from '../../../../src/rules/agents.js';

const succeeded = (length: number) => {
  const around = JSON.stringify({ status: 'succeeded', output: '' }).length;
  return { status: 'succeeded' as const, output: 'x'.repeat(length - around) };
};

test('a result of up to 16,000 characters is shown whole', () => {
  const result = succeeded(16_000);
  expect(JSON.parse(textOfResult(result))).toEqual(result);
});

test('a longer result is shown by its beginning and its end', () => {
  const output = `first${'x'.repeat(20_000)}last`;
  const text = textOfResult({ status: 'succeeded', output });
  const { status, cut, beginning, end } = JSON.parse(text);
  expect([status, beginning.startsWith('"first'), end.endsWith('last"')]).toEqual(['succeeded', true, true]);
  expect(cut).toContain(`${output.length + 2}`);
  expect(JSON.parse(textOfResult(succeeded(16_001)))).toHaveProperty('cut');
});

test('an error is shown whole except for a long message', () => {
  const error = { code: 'a.b', message: 'x'.repeat(3000), suggestion: 'Do.' };
  expect(JSON.parse(textOfResult({ status: 'failed', error }))).toEqual({
    status: 'failed',
    error: { ...error, message: 'x'.repeat(2000) },
  });
});

test('what people changed in the input is part of it, whole and cut', () => {
  const changed = 'amount 500 -> 50';
  for (const output of ['x', 'x'.repeat(20_000)]) {
    expect(JSON.parse(textOfResult({ status: 'succeeded', output, changed }))).toMatchObject({ changed });
  }
});

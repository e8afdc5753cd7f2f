import { expect, test } from 'vitest';
import { firstLine, plainText } from '../../../../../src/doors/cli/output/plain-text.js';

test('control characters cannot move the cursor, change colors or reverse the text', () => {
  expect(plainText('\u001b[31mred\u0007\u202e\u009b')).toBe('\\u001b[31mred\\u0007\\u202e\\u009b');
});

test('the lines after the first one are indented as requested', () => {
  expect(plainText('a\r\n\tb\nc\n', '    ')).toBe('a\n      b\n    c');
});

test('the first line is the first one with text', () => {
  expect(firstLine('\n  a\u0000\nb')).toBe('a\\u0000');
  expect(firstLine('')).toBe('');
});

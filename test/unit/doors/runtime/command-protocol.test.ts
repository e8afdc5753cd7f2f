import { expect, test } from 'vitest';
import { splitLines } from '../../../../src/doors/runtime/command-protocol.js';

test('the size of a line is counted in bytes, and that of lines before it is not', () => {
  const lines: string[] = [];
  const take = splitLines((line) => lines.push(line), 6);
  take('äöü\nä');
  take('ö');
  take('ü');
  expect(() => take('x')).toThrow('a line has more than 6 bytes');
  expect(lines).toEqual(['äöü']);
});

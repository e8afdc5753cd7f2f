import { describe, expect, test } from 'vitest';
import { readIntent } from '../../../../../src/doors/cli/input/read-intent.js';

describe('R-000-86: the intent of a task', () => {
  test('is one line, whatever line ends and blanks it was given with', () => {
    expect(readIntent('  rotate the\n\tcertificate  ')).toBe('rotate the certificate');
  });

  test('may have 1000 characters, counted without the blanks around it', () => {
    expect(readIntent(` ${'x'.repeat(1000)} `)).toHaveLength(1000);
    const refused = { code: 'usage.invalid', message: expect.stringMatching(/has 1001 characters/) };
    expect(() => readIntent('x'.repeat(1001))).toThrow(expect.objectContaining(refused));
  });

  test('is refused where it says nothing', () => {
    expect(() => readIntent(' \n ')).toThrow('--intent is empty');
  });
});

import { describe, expect, test } from 'vitest';
import { readAddress, readIntent, readSince } from '../../../../../src/doors/cli/input/flag-values.js';
import { errorOf } from '../../../error-of.js';

describe('R-000-86: the intent of a task', () => {
  test('is one line, whatever line breaks and blanks it contained', () => {
    expect(readIntent('  rotate the\n\tcertificate  ')).toBe('rotate the certificate');
  });

  test('may have 1000 characters, not counting the blanks around it', () => {
    expect(readIntent(` ${'x'.repeat(1000)} `)).toHaveLength(1000);
    const refused = { code: 'usage.invalid', message: expect.stringMatching(/has 1001 characters/) };
    expect(() => readIntent('x'.repeat(1001))).toThrow(expect.objectContaining(refused));
  });

  test('is refused if it is blank', () => {
    expect(() => readIntent(' \n ')).toThrow('--intent is empty');
  });
});

test.each([
  ['127.0.0.1:9464', '127.0.0.1:9464'],
  ['localhost:9464', '127.0.0.1:9464'],
  ['0.0.0.0:1', '0.0.0.0:1'],
  ['[::1]:65535', '[::1]:65535'],
])('%s is a valid address to listen on', (text, address) => {
  expect(readAddress('--metrics', text)).toBe(address);
});

test.each([
  '',
  '9464',
  ':9464',
  'example.com:9464',
  '127.0.0.1',
  '127.0.0.1:0',
  '127.0.0.1:65536',
  '999.0.0.1:80',
  '::1:80',
  'http://127.0.0.1:80',
  '127.0.0.1:80/x',
])('%j is not a valid address to listen on', (text) => {
  expect(() => readAddress('--metrics', text)).toThrow(expect.objectContaining({ code: 'usage.invalid' }));
});

const NOW = Date.parse('2026-02-01T12:00:00Z');

test.each([
  ['30m', '2026-02-01T11:30:00.000Z'],
  ['7d', '2026-01-25T12:00:00.000Z'],
  ['0s', '2026-02-01T12:00:00.000Z'],
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T08:00', '2026-01-31T08:00:00.000Z'],
  ['2026-01-31 08:00:05', '2026-01-31T08:00:05.000Z'],
  ['2026-01-31T08:00:00+01:00', '2026-01-31T07:00:00.000Z'],
  ['2026-01-31t08:00:00.123z', '2026-01-31T08:00:00.123Z'],
])('--since %s', (text, expected) => {
  expect(readSince(text, NOW).toISOString()).toBe(expected);
});

test.each(['', 'yesterday', '5 minutes', '2026-02-31', '2026-13-01', '2026-01-31T25:00', '1769846400', '2026', '-5m'])(
  '--since %j is refused, with the valid forms',
  (text) => {
    const error = errorOf(() => readSince(text, NOW));
    expect(error).toMatchObject({ code: 'usage.invalid', suggestion: expect.stringMatching(/24h.*2026-01-31T/) });
  },
);

test('a time in the future is refused', () => {
  expect(errorOf(() => readSince('2026-02-02', NOW)).message).toMatch(/in the future/);
});

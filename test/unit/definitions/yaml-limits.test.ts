import { expect, test } from 'vitest';
import { isProblem, readYaml } from '../../../src/definitions/yaml-source.js';

const bomb = (): string => {
  const names = 'abcdefghij'.split('');
  const lines = names.map((name, index) => {
    const before = names[index - 1];
    return `${name}: &${name} [${Array.from({ length: 9 }, () => (before ? `*${before}` : 'x')).join(', ')}]`;
  });
  return lines.join('\n');
};

test.each([
  ['a text of two megabytes', `# ${'x'.repeat(2 * 1024 * 1024)}`],
  ['100,000 open brackets', `a: ${'['.repeat(100_000)}`],
  ['100,000 open brackets over many lines', 'a: [\n'.repeat(100_000)],
  ['100,000 dashes', '- '.repeat(100_000)],
  ['50,000 explicit keys', '? '.repeat(50_000)],
  ['a staircase of 1,000 maps', Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ['a billion laughs', bomb()],
])('%s is refused as definition.too_large at once', (_, text) => {
  const started = process.cpuUsage();
  const read = readYaml('x.yaml', text);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
  expect(isProblem(read) && read.code).toBe('definition.too_large');
});

test('a value that contains itself is refused and does not hang', () => {
  const read = readYaml('x.yaml', 'a: &a [*a]');
  if (!isProblem(read)) expect(() => JSON.stringify(read.value)).toThrow();
});

test('ordinary definitions are within the limits', () => {
  const aliases = `base: &base { a: 1 }\n${Array.from({ length: 30 }, (_, index) => `k${index}: *base`).join('\n')}`;
  const nested = Array.from({ length: 20 }, (_, depth) => `${'  '.repeat(depth)}level${depth}:`).join('\n');
  const braces = `text: ${JSON.stringify('{['.repeat(10))}`;
  for (const text of [aliases, `${nested} 1`, braces]) expect(isProblem(readYaml('x.yaml', text))).toBe(false);
});

test.each([
  ['a date', 'a: 2026-01-02', { a: '2026-01-02' }],
  ['a word of YAML 1.1', 'a: [yes, no, on, off]', { a: ['yes', 'no', 'on', 'off'] }],
  ['an octal number', 'a: 0o10', { a: 8 }],
  ['a number as a key', '1: a', { 1: 'a' }],
  ['Windows line ends', 'a: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
  ['a byte order mark', '\ufeffa: 1', { a: 1 }],
])('%s is read as YAML 1.2 specifies', (_, text, value) => {
  const read = readYaml('x.yaml', text);
  expect(isProblem(read) ? read.message : read.value).toEqual(value);
});

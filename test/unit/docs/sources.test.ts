import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const codeIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** The rows of the table: the names in the sources, and what corresponds to them here. */
const rows = read('docs/contributing/sources.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  .map(([, named = '', here = '']) => ({ named: codeIn(named), here }));

const FILE = /\.(py|ts|md|yaml)$/;

describe('docs/contributing/sources.md', () => {
  const names = [...new Set(codeIn(read('docs/contributing/requirements.md')).filter((name) => FILE.test(name)))];

  test('the requirements name files', () => {
    expect(names.length).toBeGreaterThan(40);
  });

  test.each(names)('states what %s is here', (name) => {
    expect(rows.filter(({ named }) => named.includes(name))).toHaveLength(1);
  });

  test.each(rows.map(({ named, here }) => [named[0], here]))('names only files that exist: %s', (_, here = '') => {
    expect(here).not.toBe('');
    const paths = codeIn(here).filter((name) => /^(src|test|registry|docs)\/[^<>*]*$/.test(name));
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { matchesPath, whyNoPathPattern } from '../../../src/text/glob.js';

describe('a pattern of paths', () => {
  test.each([
    ['*.html', 'a.html', true],
    ['*.html', 'b/a.html', false],
    ['**/*.html', 'a.html', true],
    ['**/*.html', 'b/c/a.html', true],
    ['logs/*', 'logs/a', true],
    ['logs/*', 'logs/a/b', false],
    ['logs/**', 'logs/a/b', true],
    ['logs/**', 'logs', false],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['report.html', 'report.html', true],
    ['report.html', 'reportxhtml', false],
  ])('%s matches %s: %s', (pattern, path, fits) => {
    expect(matchesPath(pattern, path)).toBe(fits);
  });

  test.each(['/etc/*', '../*', 'a//b', './a', 'a?', '[ab]', '{a,b}', '**a', 'a\\b', '**/a/**/b/**'])(
    'is refused: %s',
    (pattern) => {
      expect(whyNoPathPattern(pattern)).toBeTypeOf('string');
    },
  );
});

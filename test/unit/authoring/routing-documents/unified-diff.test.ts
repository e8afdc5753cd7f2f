import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unifiedDiff } from '../../../../src/authoring/routing-documents/unified-diff.js';

describe('the difference of two texts', () => {
  test('shows changes with two lines of context', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].join('\n');
    expect(unifiedDiff(before, before.replace('5', 'five'))).toEqual([
      '@@ -3,5 +3,5 @@',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
    ]);
  });

  test('is empty if nothing changed, or only line endings did', () => {
    expect(unifiedDiff('a\nb', 'a\nb')).toEqual([]);
    expect(unifiedDiff('a\r\nb', 'a\nb')).toEqual([]);
  });

  test('shows distant changes in separate parts', () => {
    const before = Array.from({ length: 30 }, (_, index) => `${index}`);
    const after = before.with(3, 'x').with(20, 'y');
    expect(unifiedDiff(before.join('\n'), after.join('\n')).filter((line) => line.startsWith('@@'))).toEqual([
      '@@ -2,5 +2,5 @@',
      '@@ -19,5 +19,5 @@',
    ]);
  });

  test('is exact: applying it to the first text gives the second', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const applied = apply(before.join('\n').split('\n'), unifiedDiff(before.join('\n'), after.join('\n')));
        expect(applied).toEqual(after.join('\n').split('\n'));
      }),
    );
  });

  test('of two large texts with nothing in common is computed at once', () => {
    const many = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`).join('\n');
    expect(unifiedDiff(many('a'), many('b'))).toHaveLength(40_001);
    expect(unifiedDiff('x'.repeat(3).concat('\n'.repeat(500_000)), 'x')).toHaveLength(500_003);
  });
});

/** Applies a diff as `patch` does. */
function apply(before: readonly string[], diff: readonly string[]): string[] {
  const after: string[] = [];
  let at = 0;
  for (const line of diff) {
    const [, start] = /^@@ -(\d+),/.exec(line) ?? [];
    if (start !== undefined) while (at < Number(start) - 1) after.push(before[at++] ?? '?');
    else if (line.startsWith('+')) after.push(line.slice(1));
    else {
      expect(before[at]).toBe(line.slice(1));
      at += 1;
      if (line.startsWith(' ')) after.push(line.slice(1));
    }
  }
  return [...after, ...before.slice(at)];
}

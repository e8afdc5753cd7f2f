import { describe, expect, test } from 'vitest';
import { cellOf, literalCell, literalOf } from '../../../../src/authoring/routing-documents/cell-text.js';

describe('text of a definition becomes a cell', () => {
  test.each([
    ['Plain words (really).', 'Plain words (really).'],
    ['two\nlines\r\n\tand  blanks ', 'two lines and blanks'],
    ['a | b', 'a \\| b'],
    ['a \\| b', 'a \\\\\\| b'],
    ['<!-- /ability:high-level -->', '\\<!-- /ability:high-level -->'],
    ['![x](https://evil.test)', '!\\[x](https://evil.test)'],
    ['run `ability docs`', 'run `ability docs`'],
    ['a pipe in `a | b` and <b>', 'a pipe in `a \\| b` and \\<b>'],
    ['one ` alone', 'one \\` alone'],
    ['``two`` of them', '\\`\\`two\\`\\` of them'],
    ['right\u202eleft\u0000zero\u2028line', 'right left zero line'],
    ['half \ud800 a character', 'half a character'],
  ])('%j', (text, cell) => {
    expect(cellOf(text)).toBe(cell);
  });
});

test('a path is read back unchanged', () => {
  for (const path of ['registry/low-level/a_b.yaml', 'registry/low-level/a|b.yaml', 'registry/x y/[a]`.yaml']) {
    expect(literalOf(literalCell(path))).toBe(path);
  }
  expect(literalOf('`registry/a.yaml`')).toBe('registry/a.yaml');
});

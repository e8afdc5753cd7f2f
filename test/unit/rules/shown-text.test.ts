import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markdownCode, markdownLine, oneLine, showUnseenCharacters, startOf } from '../../../src/rules/shown-text.js';

/** Any text, including malformed text and invisible characters. */
const anyText = fc
  .array(
    fc.oneof(fc.integer({ max: 0xffff, min: 0 }), fc.constantFrom(10, 13, 0x1b, 0x202e, 0x200b, 0xd83d, 0xfe0f, 0x20)),
  )
  .map((codes) => String.fromCharCode(...codes));

describe('showUnseenCharacters', () => {
  test.each([
    ['an escape', '\u001b[31mred', '\\u001b[31mred'],
    ['a bell and a delete', 'a\u0007\u007f', 'a\\u0007\\u007f'],
    ['a control character of the second set', '\u009b31m', '\\u009b31m'],
    [
      'marks of direction',
      '\u061c\u200e\u200f\u202a\u202e\u2066\u2069',
      '\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069',
    ],
    ['zero width', 'a\u200b\u200c\u200d\u2060\ufeffb', 'a\\u200b\\u200c\\u200d\\u2060\\ufeffb'],
    ['separators', 'a\u2028b\u2029c\u0085d', 'a\\u2028b\\u2029c\\u0085d'],
    ['tags', '\u{e0041}', '\\udb40\\udc41'],
    ['selectors that hide data', 'a\ufe01\u{e0101}', 'a\\ufe01\\udb40\\udd01'],
    ['fillers and soft hyphens', '\u3164\u115f\u00ad\u180e', '\\u3164\\u115f\\u00ad\\u180e'],
    ['half a pair', 'a\ud83d', 'a\\ud83d'],
  ])('shows %s', (_, text, shown) => {
    expect(showUnseenCharacters(text)).toBe(shown);
  });

  test.each(['Größe 中文 עברית ไทย', 'a\n\tb', '⚠️ release ✅', '👍🏽', 'é'])('leaves %j unchanged', (text) => {
    expect(showUnseenCharacters(text)).toBe(text);
  });

  test('only the first emoji mark stays invisible', () => {
    expect(showUnseenCharacters('⚠\ufe0f\ufe0f')).toBe('⚠\ufe0f\\ufe0f');
  });

  test('JSON keeps its meaning', () => {
    fc.assert(
      fc.property(fc.tuple(anyText, anyText), (value) => {
        const shown = showUnseenCharacters(JSON.stringify(value, null, 2));
        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('oneLine', () => {
  test.each([' ', '\t', '\n', '\u2028'])(
    'takes time in proportion to the length of a text, not to its square: %j',
    (blank) => {
      const text = `a${blank.repeat(200_000)}b`;
      expect(oneLine(text).at(-1)).toBe('b');
    },
  );

  test.each([
    ['a \r\n\t b', 'a b'],
    ['a  b', 'a  b'],
    ['\n a\tb \n', 'a b'],
  ])('%j becomes %j', (text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  test('is one line without invisible control characters, and does not change when it is shown again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const line = oneLine(text);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(oneLine(line)).toBe(line);
      }),
    );
  });

  test.each([
    ['Release\n  build\r\n7\r', 'Release build 7'],
    ['a\tb', 'a b'],
    ['a  b', 'a  b'],
    ['a\u2028b', 'a\\u2028b'],
  ])('%j is shown as %j', (text, line) => {
    expect(oneLine(text)).toBe(line);
  });
});

describe('markdownLine', () => {
  test.each([
    ['[a](http://evil.test) ![b](c)', '\\[a\\](http://evil.test) !\\[b\\](c)'],
    ['`code` **bold** ~~gone~~', '\\`code\\` \\*\\*bold\\*\\* \\~\\~gone\\~\\~'],
    ['# no heading\n\n- no list', '\\# no heading - no list'],
    ['<b>&#x202e;</b> | $x$', '\\<b\\>\\&\\#x202e;\\</b\\> \\| \\$x\\$'],
    ['signup_e2e_test and _this_', 'signup_e2e_test and \\_this\\_'],
    ['\u202e', '\\\\u202e'],
  ])('%j becomes %j', (text, line) => {
    expect(markdownLine(text)).toBe(line);
  });
});

test('text cannot end inline code in a line of Markdown, nor its table cell', () => {
  expect(markdownCode('a`b|c\n\nd\u202e')).toBe("`a'b\\|c d\\u202e`");
});

test('a text is truncated between characters', () => {
  expect([startOf('a👍', 2), startOf('a👍', 3), startOf('ab', 9)]).toEqual(['a', 'a👍', 'ab']);
});

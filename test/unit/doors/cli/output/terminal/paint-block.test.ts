import { expect, test } from 'vitest';
import { cutToWidth, widthOf } from '../../../../../../src/doors/cli/output/terminal/paint-block.js';
import { openScreen } from '../../../../../fixtures/screen.js';

const many = (count: number, text = 'line') => Array.from({ length: count }, (_, index) => `${text} ${index}`);

test('a block is drawn over the previous one, and only the lines that differ are written', async () => {
  const { terminal, lines, written } = openScreen();
  terminal.redraw(['one', 'two', 'three']);
  terminal.redraw(['one', '2', 'three']);
  expect(await lines()).toEqual(['one', '2', 'three']);
  expect(written.at(-1)).not.toMatch(/one|three/);
  const count = written.length;
  terminal.redraw(['one', '2', 'three']);
  expect(written).toHaveLength(count);
  terminal.redraw(['one', '2', 'three', 'four']);
  terminal.redraw(['1', 'four']);
  expect(await lines()).toEqual(['1', 'four']);
  terminal.redraw([]);
  expect(await lines()).toEqual([]);
});

test('what is printed while a block is shown appears above it, and stays', async () => {
  const { terminal, lines } = openScreen();
  terminal.redraw(['a', 'b']);
  terminal.note('noted');
  terminal.print('printed');
  terminal.redraw(['a', 'c']);
  expect(await lines()).toEqual(['noted', 'printed', 'a', 'c']);
});

test.each([
  [80, 24],
  [40, 10],
])('a block as high as the screen of %i by %i does not scroll', async (columns, rows) => {
  const { terminal, lines } = openScreen(columns, rows);
  for (let turn = 0; turn < 5; turn += 1) terminal.redraw(many(terminal.room(), `turn ${turn} ${'x'.repeat(100)}`));
  const seen = await lines();
  expect(seen).toHaveLength(rows - 1);
  expect(seen.every((line) => line.startsWith('turn 4') && line.endsWith('…'))).toBe(true);
});

test.each([
  ['narrower', 40, 24],
  ['lower', 80, 10],
  ['wider', 120, 24],
])('a screen that becomes %s shows the block once', async (_, columns, rows) => {
  const { terminal, lines, resize } = openScreen();
  terminal.note('before');
  terminal.redraw(many(6, 'x'.repeat(60)));
  await lines();
  resize(columns, rows);
  terminal.redraw(many(6, 'new'));
  expect(await lines()).toEqual(['before', ...many(6, 'new')]);
});

test.each([
  ['wide characters', '日本語'.repeat(30)],
  ['emoji', '🚀👍🏽🇩🇪❤️'.repeat(20)],
  ['escape sequences', `\x1b[2J\x1b[31m${'red '.repeat(30)}\x1b[10A`],
  ['control characters', '\r\b\x07\x00\t'.repeat(30)],
  ['line breaks', 'a\nb\r\nc'],
])('%s in a line do not break the block', async (_, text) => {
  for (const [columns, rows] of [
    [80, 24],
    [40, 10],
    [3, 3],
  ] as const) {
    const { terminal, lines } = openScreen(columns, rows);
    terminal.redraw(['A', text]);
    terminal.redraw(['B', text]);
    const seen = await lines();
    expect(seen[0]).toBe('B');
    expect(seen).toHaveLength(2);
  }
});

test('a line is truncated at the width of the screen, and its styles end there', () => {
  expect(cutToWidth('abcdef', 4)).toBe('abc…');
  expect(cutToWidth('日本語', 4)).toBe('日…');
  expect(cutToWidth('\x1b[31mabcdef\x1b[39m', 4)).toBe('\x1b[31mabc…\x1b[0m');
  expect(cutToWidth('abc', 3)).toBe('abc');
  expect(widthOf('\x1b[31m日本\x1b[39m')).toBe(4);
});

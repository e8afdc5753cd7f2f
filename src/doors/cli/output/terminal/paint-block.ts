import truncatedWidth from 'fast-string-truncated-width';

/** A block of lines as it is on the screen; the cursor is at the start of the line after it. */
export interface PaintedBlock {
  /** Without line breaks, none wider than the screen was. */
  lines: readonly string[];
  columns: number;
  rows: number;
}

/** Size of a screen. */
export type ScreenSize = Pick<PaintedBlock, 'columns' | 'rows'>;

/** A line that wraps would count as one and take two; a safeguard, where a terminal has other widths than we think. */
const NO_WRAP = '\x1b[?7l';
const WRAP = '\x1b[?7h';

/** Cells that a text takes; its escape sequences take none. */
export function widthOf(text: string): number {
  return truncatedWidth(text).width;
}

/** A text cut to this many cells, with an ellipsis for the missing part; its styles end with it. */
export function cutToWidth(text: string, most: number): string {
  if (most <= 0) return '';
  const { index, truncated, ellipsed } = truncatedWidth(text, { limit: most, ellipsis: '…', ellipsisWidth: 1 });
  if (!truncated) return text;
  const kept = text.slice(0, index);
  return `${kept}${ellipsed ? '…' : ''}${kept.includes('\x1b') ? '\x1b[0m' : ''}`;
}

/**
 * Draws lines over the block before: only those that differ. Each is one row, cut one cell short of the width, since a
 * cursor that waits in the last cell would have it erased.
 *
 * @returns what is to be written, empty where nothing changed, and the block as it is then.
 */
export function paintBlock(
  before: PaintedBlock | undefined,
  wanted: readonly string[],
  { columns, rows }: ScreenSize,
): { text: string; block: PaintedBlock | undefined } {
  const lines = wanted.map((line) => cutToWidth(line, Math.max(1, columns - 1)));
  const block = lines.length === 0 ? undefined : { lines, columns, rows };
  if (!before) return { text: lines.length === 0 ? '' : wrapped(lines.map((line) => `${line}\n`).join('')), block };
  // A screen of another size has moved the lines, so that none of them is where it was.
  if (before.columns !== columns || before.rows !== rows || lines.length === 0) {
    const drawn = lines.map((line) => `${line}\n`).join('');
    return { text: erased(before, { columns, rows }) + (drawn === '' ? '' : wrapped(drawn)), block };
  }
  return { text: changedLines(before.lines, lines), block };
}

/** What takes a block away, also one that has been wrapped anew by a screen that became narrower. */
export function erased({ lines }: PaintedBlock, { columns, rows }: ScreenSize): string {
  const taken = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / Math.max(1, columns))), 0);
  return `\x1b[${Math.max(1, Math.min(taken, rows - 1))}A\r\x1b[J`;
}

function changedLines(before: readonly string[], lines: readonly string[]): string {
  const first = lines.findIndex((line, index) => line !== before[index]);
  if (first < 0 && lines.length === before.length) return '';
  const from = first < 0 ? lines.length : first;
  const up = before.length - from;
  const drawn = lines.slice(from).map((line, offset) => {
    const old = before[from + offset];
    if (old === line) return '\n';
    return `${line}${old === undefined ? '' : '\x1b[K'}\n`;
  });
  return wrapped(`${up > 0 ? `\x1b[${up}A` : ''}${drawn.join('')}${lines.length < before.length ? '\x1b[J' : ''}`);
}

function wrapped(text: string): string {
  return `${NO_WRAP}${text}${WRAP}`;
}

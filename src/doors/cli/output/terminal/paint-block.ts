import truncatedWidth from 'fast-string-truncated-width';

/** A block of lines on the screen; the cursor is at the start of the line after it. */
export interface PaintedBlock {
  /** Without line breaks, none wider than the screen was. */
  lines: readonly string[];
  columns: number;
  rows: number;
}

export type ScreenSize = Pick<PaintedBlock, 'columns' | 'rows'>;

/** Prevents wrapping, in case the terminal computes other widths: a wrapped line would take two rows. */
const NO_WRAP = '\x1b[?7l';
const WRAP = '\x1b[?7h';

/** Terminal cells of a text, without its escape sequences. */
export function widthOf(text: string): number {
  return truncatedWidth(text).width;
}

/** Cuts a text to this many cells, with an ellipsis; ends its styles. */
export function cutToWidth(text: string, max: number): string {
  if (max <= 0) return '';
  const { index, truncated, ellipsed } = truncatedWidth(text, { limit: max, ellipsis: '…', ellipsisWidth: 1 });
  if (!truncated) return text;
  const kept = text.slice(0, index);
  return `${kept}${ellipsed ? '…' : ''}${kept.includes('\x1b') ? '\x1b[0m' : ''}`;
}

/** Lines are cut one cell short: a cursor in the last cell would erase it. Empty `text`: nothing changed. */
export function paintBlock(
  before: PaintedBlock | undefined,
  wanted: readonly string[],
  { columns, rows }: ScreenSize,
): { text: string; block: PaintedBlock | undefined } {
  const lines = wanted.map((line) => cutToWidth(line, Math.max(1, columns - 1)));
  const block = lines.length === 0 ? undefined : { lines, columns, rows };
  if (!before) return { text: lines.length === 0 ? '' : wrapped(lines.map((line) => `${line}\n`).join('')), block };
  // A resized screen has moved all lines.
  if (before.columns !== columns || before.rows !== rows || lines.length === 0) {
    const drawn = lines.map((line) => `${line}\n`).join('');
    return { text: erased(before, { columns, rows }) + (drawn === '' ? '' : wrapped(drawn)), block };
  }
  return { text: changedLines(before.lines, lines), block };
}

/** Escape codes that erase a block, even if a narrower screen has rewrapped it. */
function erased({ lines }: PaintedBlock, { columns, rows }: ScreenSize): string {
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

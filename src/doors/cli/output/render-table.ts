import { oneLine } from '../../../rules/shown-text.js';

/** Always one line per row; does not pad the last column. */
export function renderTable(head: string[], rows: string[][]): string {
  const all = [head, ...rows].map((row) => row.map(oneLine));
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))))
    .map((row) => row.join('  ').trimEnd())
    .join('\n');
}

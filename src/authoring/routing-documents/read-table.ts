import type { Fault } from './read-marker.js';

/** A row of a table as it stands in the document. */
export interface TableRow {
  /** Markdown, without blanks around; as many as the table has columns. */
  cells: string[];
  /** The whole line. */
  raw: string;
  /** Place of the line among those given. */
  at: number;
}

/** A table as it stands in the document. */
export interface Table {
  header: TableRow;
  /** `---`, `:--`, `:-:` or `--:`, one a column. */
  alignments: TableRow;
  rows: TableRow[];
}

/** Reads the lines of a table. @returns what is wrong with it and in which of the lines, where it is none. */
export function readTable(lines: readonly string[]): Table | { fault: Fault; at: number } {
  const [first = '', second] = lines;
  const header: TableRow = { cells: cellsOf(first), raw: first, at: 0 };
  const alignments = second === undefined ? undefined : { cells: cellsOf(second), raw: second, at: 1 };
  if (!isDelimiter(alignments?.cells, header.cells.length)) {
    return { fault: { message: 'The second line of a table has as many `---` as the table has columns' }, at: 0 };
  }
  const rows: TableRow[] = [];
  for (const [index, raw] of lines.slice(2).entries()) {
    const cells = cellsOf(raw);
    const at = index + 2;
    if (cells.length > header.cells.length) {
      const message = `The row has ${cells.length} cells and the table ${header.cells.length} columns`;
      return { fault: { message, suggestion: 'A `|` within a cell is written `\\|`.' }, at };
    }
    rows.push({ cells: [...cells, ...Array(header.cells.length - cells.length).fill('')], raw, at });
  }
  return { header, alignments: alignments as TableRow, rows };
}

/** Whether a line looks like one of a table. */
export function isTableLine(line: string): boolean {
  return line.replaceAll('\\|', '').includes('|');
}

/** The line of a row. */
export function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The cells of a line, split at each `|` that has no backslash before it. Source: GitHub Flavored Markdown, tables. */
function cellsOf(line: string): string[] {
  const cells = withoutBlanks(line).split(/(?<!\\)\|/);
  if (cells[0] === '') cells.shift();
  if (cells.length > 1 && cells.at(-1)?.trim() === '') cells.pop();
  return cells.map(withoutBlanks);
}

/** Only blanks and tabs pad a cell; any other space is the author's. */
function withoutBlanks(cell: string): string {
  let [from, to] = [0, cell.length];
  while (from < to && isBlank(cell[from])) from += 1;
  while (to > from && isBlank(cell[to - 1])) to -= 1;
  return cell.slice(from, to);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function isDelimiter(cells: readonly string[] | undefined, columns: number): boolean {
  return cells !== undefined && cells.length === columns && cells.every((cell) => /^:?-+:?$/.test(cell));
}

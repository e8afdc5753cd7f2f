import { cellsOf } from '../../text/table-cells.js';
import { type Fault, FORMS, type Level } from './section-forms.js';

interface TableRow {
  /** Markdown, trimmed; as many as the table has columns. */
  cells: string[];
  raw: string;
  /** Index of the line in the input. */
  at: number;
}

export interface Table {
  header: TableRow;
  /** `---`, `:--`, `:-:` or `--:` for each column. */
  alignments: TableRow;
  rows: TableRow[];
}

/** Reads the lines of a table. @returns the error and its line index if they are not a table. */
export function readTable(lines: readonly string[]): Table | { fault: Fault; at: number } {
  const [first = '', second] = lines;
  const header: TableRow = { cells: cellsOf(first), raw: first, at: 0 };
  const alignments = second === undefined ? undefined : { cells: cellsOf(second), raw: second, at: 1 };
  if (!isDelimiter(alignments?.cells, header.cells.length)) {
    return { fault: { message: 'The second line of a table must have as many `---` as the table has columns' }, at: 0 };
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

export function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function isDelimiter(cells: readonly string[] | undefined, columns: number): boolean {
  return cells !== undefined && cells.length === columns && cells.every((cell) => /^:?-+:?$/.test(cell));
}

/** A difference between a document and its required form. */
export interface Change {
  kind: 'added' | 'changed' | 'renamed' | 'removed' | 'form';
  id: string | null;
  /** Line in the present document. */
  line: number;
  message: string;
}

export interface ArrangedRow {
  cells: string[];
  columns: readonly string[];
  /** The unchanged line if its cells are in this order already. */
  raw: string | undefined;
  /** Line in the document, from 1. */
  line: number;
}

export interface ArrangedTable {
  columns: string[];
  /** `---`, `:--`, `:-:` or `--:` for each column. */
  alignments: string[];
  rows: ArrangedRow[];
  changes: Change[];
}

/** Puts the cells in the standard column order; the author's own columns follow, none is lost. */
export function arrangeColumns(level: Level, table: Table | undefined, markerLine: number): ArrangedTable {
  const { columns: standard } = FORMS[level];
  if (!table) {
    const change: Change = { kind: 'form', id: null, line: markerLine, message: 'The table is not there yet' };
    return { columns: [...standard], alignments: standard.map(() => '---'), rows: [], changes: [change] };
  }
  const { header, alignments } = table;
  const places = placesOf(standard, header.cells);
  const own = [...header.cells.keys()].filter((place) => !places.includes(place));
  const order = [...places, ...own];
  const arrange = (cells: readonly string[], absent: string): string[] =>
    order.map((place) => (place === undefined ? absent : (cells[place] ?? absent)));
  const columns = [...standard, ...arrange(header.cells, '').slice(standard.length)];
  const isAsItWas = columns.every((column, place) => column === header.cells[place]);
  const message = `The columns must be ${standard.join(', ')}, followed by any others`;
  return {
    columns,
    alignments: arrange(alignments.cells, '---'),
    rows: table.rows.map(({ cells, raw, at }) => ({
      cells: arrange(cells, ''),
      columns,
      raw: isAsItWas ? raw : undefined,
      line: at + 1,
    })),
    changes: isAsItWas ? [] : [{ kind: 'form', id: null, line: header.at + 1, message }],
  };
}

function placesOf(standard: readonly string[], header: readonly string[]): (number | undefined)[] {
  return standard.map((column) => {
    const place = header.findIndex((name) => name.toLowerCase() === column.toLowerCase());
    return place === -1 ? undefined : place;
  });
}

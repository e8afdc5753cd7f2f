import type { Table } from './read-table.js';
import { FORMS, type Level } from './section-forms.js';

/** Something about a document that is not as it should be. */
export interface Change {
  kind: 'added' | 'changed' | 'renamed' | 'removed' | 'form';
  id: string | null;
  /** In the document as it is. */
  line: number;
  /** What is not in step, in one sentence. */
  message: string;
}

/** A row of a document with its cells under the columns of the form. */
export interface ArrangedRow {
  cells: string[];
  /** The names of the columns, as many as cells. */
  columns: readonly string[];
  /** The line as it is, where its cells stand in this order already. */
  raw: string | undefined;
  /** In the document, from 1. */
  line: number;
}

/** A table with the columns of the form first, and then those that its author added. */
export interface ArrangedTable {
  columns: string[];
  /** `---` and the like, one a column. */
  alignments: string[];
  rows: ArrangedRow[];
  changes: Change[];
}

/** Puts the cells of a table under the columns of the form; columns of the author's own come after, none is lost. */
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
  const message = `The columns are ${standard.join(', ')}, and then others`;
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

/** Where each column of the form is now; capitals do not matter. */
function placesOf(standard: readonly string[], header: readonly string[]): (number | undefined)[] {
  return standard.map((column) => {
    const place = header.findIndex((name) => name.toLowerCase() === column.toLowerCase());
    return place === -1 ? undefined : place;
  });
}

import { COLUMN } from './section-forms.js';

interface GroupedRow {
  id: string;
  cells: readonly string[];
}

/**
 * Puts the rows of low-level abilities together by technology, and within it by operation type: `db`, then `db.read`.
 *
 * Groups come in the order of their first rows, and rows within a group keep theirs, so that the author's order holds as
 * far as it can. Source: R-000-12.
 */
export function groupRows<Row extends GroupedRow>(rows: readonly Row[]): Row[] {
  const byTechnology = grouped(rows, technologyOf);
  return byTechnology.flatMap((group) => grouped(group, typeOf).flat());
}

function grouped<Row>(rows: readonly Row[], nameOf: (row: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return [...groups.values()];
}

/** The first word of a dotted key; one of a single word goes by its kind. */
function technologyOf({ id, cells }: GroupedRow): string {
  const [first = '', ...rest] = id.split('.');
  return rest.length > 0 ? first : `kind ${cells[COLUMN.kind]}`;
}

/** What stands between the technology and the name of the thing. */
function typeOf({ id }: GroupedRow): string {
  return id.split('.').slice(1, -1).join('.');
}

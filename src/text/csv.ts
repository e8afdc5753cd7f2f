/** A line of CSV by RFC 4180: all cells are quoted, and none is a formula to a spreadsheet. */
export function csvLine(cells: readonly (string | number)[]): string {
  return cells.map(cellOf).join(',');
}

function cellOf(value: string | number): string {
  const text = String(value);
  // Spreadsheets skip spaces before a formula.
  const safe = /^\s*[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

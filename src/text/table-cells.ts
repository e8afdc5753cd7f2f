/** The lines of Markdown tables. Source: GitHub Flavored Markdown, tables. */

export function isTableLine(line: string): boolean {
  return line.replaceAll('\\|', '').includes('|');
}

/** Splits a line at each `|` without a backslash before it. */
export function cellsOf(line: string): string[] {
  const cells = withoutBlanks(line).split(/(?<!\\)\|/);
  if (cells[0] === '') cells.shift();
  if (cells.length > 1 && cells.at(-1)?.trim() === '') cells.pop();
  return cells.map(withoutBlanks);
}

/** Trims blanks and tabs only; any other space is the author's. */
function withoutBlanks(cell: string): string {
  let [from, to] = [0, cell.length];
  while (from < to && isBlank(cell[from])) from += 1;
  while (to > from && isBlank(cell[to - 1])) to -= 1;
  return cell.slice(from, to);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

import type { Problem } from '../../contracts/problem.js';
import { isTableLine } from '../../text/table-cells.js';
import { readTable, type Table } from './read-table.js';
import { exampleOf, type Fault, FORMS, isOwnMarker, type Level, type Marker, readMarker } from './section-forms.js';

export interface Section {
  level: Level;
  /** Lines of the markers in the document, from 0. */
  opens: number;
  closes: number;
  attributes: Map<string, string>;
  /** Digests of the texts that came from definitions. */
  written: Set<string>;
  hasHeading: boolean;
  /** Its line numbers are those of the document, from 0. */
  table: Table | undefined;
}

export interface RoutingDocument {
  /** Relative to the project root. */
  file: string;
  lines: DocumentLine[];
  sections: Section[];
}

/** Reads a routing document. @returns all its errors, with their lines, if it has any. */
export function readDocument(file: string, text: string): RoutingDocument | Problem[] {
  const lines = linesOf(text);
  const problems: Problem[] = [];
  const refuse = (at: number, fault: Fault): void => {
    problems.push({ code: 'docs.invalid', location: { file, line: at + 1, column: 1 }, ...fault });
  };
  const sections: Section[] = [];
  for (const [opening, closing] of pairsOf(lines, refuse)) {
    const { level } = opening;
    if (sections.some((section) => section.level === level)) {
      refuse(opening.at, { message: `The section ${level} is there twice`, suggestion: 'Delete one of them.' });
    }
    const content = readContent(lines, opening, closing, refuse);
    const written = closing.attributes.get('written')?.split(' ').filter(Boolean);
    const { attributes, at: opens } = opening;
    sections.push({ level, opens, closes: closing.at, attributes, written: new Set(written), ...content });
  }
  const [first, second] = sections;
  if (second?.level === 'high-level' && first?.level === 'low-level') {
    const suggestion = 'Move the section up: the others are for what no high-level ability covers.';
    refuse(second.opens, { message: 'High-level abilities come first', suggestion });
  }
  return problems.length > 0 ? problems : { file, lines, sections };
}

type Refuse = (at: number, fault: Fault) => void;
type PlacedMarker = Marker & { at: number };

/** Pairs the opening and closing markers of sections; reports all others. */
function pairsOf(lines: readonly DocumentLine[], refuse: Refuse): [PlacedMarker, PlacedMarker][] {
  const pairs: [PlacedMarker, PlacedMarker][] = [];
  let open: PlacedMarker | undefined;
  for (const marker of markersOf(lines, refuse)) {
    const { level, at, isClosing } = marker;
    if (!isClosing) {
      if (open)
        refuse(at, { message: `This begins before the section ${open.level} of line ${open.at + 1} is closed` });
      open = marker;
    } else if (open?.level === level) {
      pairs.push([open, marker]);
      open = undefined;
    } else if (open) {
      refuse(at, { message: `This closes ${level}, but ${open.level} was opened in line ${open.at + 1}` });
      open = undefined;
    } else refuse(at, { message: `This closes the section ${level}, which is not open` });
  }
  if (open) {
    const suggestion = `Close it with <!-- /ability:${open.level} --> on a line of its own.`;
    refuse(open.at, { message: `The section ${open.level} is not closed`, suggestion });
  }
  return pairs;
}

/** The markers outside of code blocks, in their order. */
function markersOf(lines: readonly DocumentLine[], refuse: Refuse): PlacedMarker[] {
  const markers: PlacedMarker[] = [];
  const isCode = codeBlocks();
  let isInside = false;
  for (const [at, { text }] of lines.entries()) {
    // Inside a section a fence is only a stray line; it does not hide the markers after it.
    const marker: Marker | Fault | undefined = isCode(text, !isInside) ? undefined : readMarker(text);
    if (marker === undefined) continue;
    if (!('level' in marker)) refuse(at, marker);
    else {
      markers.push({ ...marker, at });
      isInside = !marker.isClosing;
    }
  }
  return markers;
}

/** Only the heading and one table may be between the markers: the update overwrites anything else. */
function readContent(
  lines: readonly DocumentLine[],
  { level, at: opens }: PlacedMarker,
  { at: closes }: PlacedMarker,
  refuse: Refuse,
): Pick<Section, 'hasHeading' | 'table'> {
  const { heading } = FORMS[level];
  let hasHeading = false;
  const tableLines: number[] = [];
  for (let at = opens + 1; at < closes; at += 1) {
    const text = (lines[at]?.text ?? '').trimEnd();
    if (text.trim() === '') continue;
    if (text === heading && !hasHeading && tableLines.length === 0) hasHeading = true;
    else if (isTableLine(text) && (tableLines.length === 0 || tableLines.at(-1) === at - 1)) tableLines.push(at);
    else {
      // Only the first stray line is reported.
      refuse(at, strayLine(text, level));
      return { hasHeading, table: undefined };
    }
  }
  const [first] = tableLines;
  if (first === undefined) return { hasHeading, table: undefined };
  const table = readTable(tableLines.map((at) => lines[at]?.text ?? ''));
  if ('fault' in table) {
    refuse(first + table.at, table.fault);
    return { hasHeading, table: undefined };
  }
  const rows = table.rows.map((row) => ({ ...row, at: row.at + first }));
  return { hasHeading, table: { ...table, header: { ...table.header, at: first }, rows } };
}

function strayLine(text: string, level: Level): Fault {
  if (/^(<{7}|={7}|>{7})( |$)/.test(text)) {
    const suggestion = 'Keep the rows of both sides, in any order, and either closing marker; then run `ability docs`.';
    return { message: 'A merge left both sides of a conflict here', suggestion };
  }
  return {
    message: `Only the heading \`${FORMS[level].heading}\` and one table may be between the markers`,
    suggestion: `Move this above ${exampleOf(level)} or below the section.`,
  };
}

/**
 * Whether a line, of lines in their order, is in a code block or a fence of one. @param mayOpen whether a block may
 * begin with it.
 */
function codeBlocks(): (line: string, mayOpen: boolean) => boolean {
  let fence: string | undefined;
  return (line, mayOpen) => {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
      return true;
    }
    if (mayOpen) fence = mark;
    return fence !== undefined;
  };
}

export interface DocumentLine {
  text: string;
  /** `\n`, `\r\n`, `\r`, or nothing at the end of the file. */
  end: string;
}

/** Splits a text into lines, from which {@link textOf} restores the very same text. */
export function linesOf(text: string): DocumentLine[] {
  const lines: DocumentLine[] = [];
  let from = 0;
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ text: text.slice(from, match.index), end: match[0] });
    from = match.index + match[0].length;
  }
  if (from < text.length) lines.push({ text: text.slice(from), end: '' });
  return lines;
}

export function textOf(lines: readonly DocumentLine[]): string {
  return lines.map(({ text, end }) => text + end).join('');
}

/** The most frequent line ending; `\n` if the document has none. */
export function usualEnd(lines: readonly DocumentLine[]): string {
  const counts = new Map<string, number>();
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1);
  const [commonest] = [...counts].sort(([, a], [, b]) => b - a);
  return commonest?.[0] ?? '\n';
}

/** A table of abilities in a document without markers. */
export interface OwnTable {
  level: Level;
  /** Line in the document, from 0, of the standard heading if it has one, else of its first row. */
  opens: number;
  /** Its last line, from 0. */
  closes: number;
  hasHeading: boolean;
  rows: number;
}

/** The columns that identify a table of each level, in lower case; others may appear, in any order. */
const KNOWN_BY: Record<Level, (columns: ReadonlySet<string>) => boolean> = {
  'high-level': (columns) => columns.has('id') && (columns.has('when to use') || columns.has('registry path')),
  'low-level': (columns) => columns.has('operation key'),
};

/** Tables whose columns are those of ability tables; ignores code blocks and comments. */
export function findOwnTables(lines: readonly DocumentLine[]): OwnTable[] {
  const isText = textLines(lines);
  const tables: OwnTable[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (!isText[at] || !isTableLine(textAt(lines, at))) continue;
    const table = readTable([textAt(lines, at), textAt(lines, at + 1)]);
    if ('fault' in table) continue;
    let closes = at + 1;
    while (isText[closes + 1] && isTableLine(textAt(lines, closes + 1))) closes += 1;
    const columns = new Set(table.header.cells.map((name) => name.toLowerCase()));
    const level = (['high-level', 'low-level'] as const).find((known) => KNOWN_BY[known](columns));
    if (level) tables.push({ level, closes, rows: closes - at - 1, ...beginningOf(lines, at, level) });
    at = closes;
  }
  return tables;
}

/** Whether the author opts out with `<!-- ability:own -->`: no table of the page is updated. */
export function isOwnPage(lines: readonly DocumentLine[]): boolean {
  const isText = textLines(lines);
  return lines.some(({ text }, at) => isText[at] && isOwnMarker(text));
}

/** The heading belongs to the table if only blank lines are between them. */
function beginningOf(lines: readonly DocumentLine[], at: number, level: Level): Pick<OwnTable, 'opens' | 'hasHeading'> {
  let above = at - 1;
  while (above >= 0 && textAt(lines, above).trim() === '') above -= 1;
  const hasHeading = textAt(lines, above).trimEnd() === FORMS[level].heading;
  return { opens: hasHeading ? above : at, hasHeading };
}

/** For each line, whether it is neither code nor part of a comment. */
function textLines(lines: readonly DocumentLine[]): boolean[] {
  const isCode = codeBlocks();
  let isComment = false;
  return lines.map(({ text }) => {
    const wasComment = isComment;
    const isCommentAfter = wasComment ? !text.includes('-->') : text.lastIndexOf('<!--') > text.lastIndexOf('-->');
    if (isCode(text, !wasComment && !isCommentAfter)) return false;
    isComment = isCommentAfter;
    return !wasComment && !isComment && !/^( {4}|\t)/.test(text);
  });
}

function textAt(lines: readonly DocumentLine[], at: number): string {
  return lines[at]?.text ?? '';
}

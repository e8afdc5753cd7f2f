import { isTableLine } from '../../text/table-cells.js';
import { codeBlocks, type DocumentLine } from './read-document.js';
import { readTable } from './read-table.js';
import { FORMS, isOwnMarker, type Level } from './section-forms.js';

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

import { dirname } from 'node:path/posix';
import type { Problem } from '../../contracts/problem.js';
import { type Choice, chooseRows, type Note } from './choose-rows.js';
import type { ListedAbilities } from './listed-abilities.js';
import {
  type DocumentLine,
  type RoutingDocument,
  readDocument,
  type Section,
  textOf,
  usualEnd,
} from './read-document.js';
import { type Change, rowOf } from './read-table.js';
import { closingMarker, FORMS, readSettings } from './section-forms.js';

export interface DocumentUpdate {
  text: string;
  changes: Change[];
  notes: Note[];
  hasMarkers: boolean;
}

/**
 * Changes only the parts between markers. @returns all errors of the document instead, if it has any.
 * @param file relative to the project root; its folder is the module it covers unless a marker names one.
 */
export function updateDocument(file: string, text: string, pool: ListedAbilities): DocumentUpdate | Problem[] {
  const document = readDocument(file, text);
  if (Array.isArray(document)) return document;
  const choices = document.sections.map((section) => ({ section, choice: choiceOf(document, section, pool) }));
  const problems = choices.map(({ choice }) => choice).filter(isProblem);
  if (problems.length > 0) return problems;
  const made = choices.flatMap(({ section, choice }) => (isProblem(choice) ? [] : [{ section, choice }]));
  return {
    text: textOf(linesWith(document.lines, made)),
    changes: made.flatMap(({ choice }) => choice.changes),
    notes: made.flatMap(({ choice }) => choice.notes),
    hasMarkers: made.length > 0,
  };
}

/** Rewrites the sections that have changes, and copies all other lines. */
function linesWith(
  lines: readonly DocumentLine[],
  made: readonly { section: Section; choice: Choice }[],
): DocumentLine[] {
  const parts: DocumentLine[][] = [];
  let from = 0;
  for (const { section, choice } of made) {
    if (choice.changes.length === 0) continue;
    parts.push(lines.slice(from, section.opens + 1), sectionLines(lines, section, choice));
    from = section.closes + 1;
  }
  return [...parts.flat(), ...lines.slice(from)];
}

function choiceOf({ file }: RoutingDocument, section: Section, pool: ListedAbilities): Choice | Problem {
  const folder = dirname(file);
  const settings = readSettings(section.attributes, folder === '.' ? '' : folder);
  const problem = (line: number): Pick<Problem, 'code' | 'location'> => {
    return { code: 'docs.invalid', location: { file, line, column: 1 } };
  };
  if (!('rows' in settings)) return { ...settings, ...problem(section.opens + 1) };
  const choice = chooseRows(section, settings, pool, folder);
  if ('fault' in choice) return { ...choice.fault, ...problem(choice.line) };
  if (!section.hasHeading && settings.heading === 'usual') {
    const message = `The heading \`${FORMS[section.level].heading}\` is not there`;
    choice.changes.unshift({ kind: 'form', id: null, line: section.opens + 1, message });
  }
  return choice;
}

function isProblem(value: Choice | Problem): value is Problem {
  return 'code' in value;
}

/** The lines after the opening marker; unchanged rows keep their original padding. */
function sectionLines(lines: readonly DocumentLine[], section: Section, choice: Choice): DocumentLine[] {
  const { level, opens, closes, table } = section;
  const { columns, alignments, rows } = choice;
  const isHeadKept = table !== undefined && columns.every((column, index) => column === table.header.cells[index]);
  const written = rows.flatMap((row) => row.written);
  const isHeadingOwn = section.attributes.get('heading') === 'own' && !section.hasHeading;
  const content = [
    '',
    ...(isHeadingOwn ? [] : [FORMS[level].heading, '']),
    ...(isHeadKept ? [table.header.raw, table.alignments.raw] : [rowOf(columns), rowOf(alignments)]),
    ...rows.map(({ raw, cells }) => raw ?? rowOf(cells)),
    '',
  ];
  const end = lines[opens]?.end || usualEnd(lines);
  const closing = { text: closingMarker(level, written), end: lines[closes]?.end ?? end };
  return [...content.map((text) => ({ text, end })), closing];
}

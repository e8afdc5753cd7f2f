import { dirname } from 'node:path/posix';
import type { Problem } from '../../contracts/problem.js';
import type { AbilityPool } from './ability-pool.js';
import { digestOfWords } from './cell-text.js';
import { type Change, type Choice, chooseRows, type Note } from './choose-rows.js';
import { type DocumentLine, textOf, usualEnd } from './document-lines.js';
import { type RoutingDocument, readDocument, type Section } from './read-document.js';
import { closingMarker } from './read-marker.js';
import { rowOf } from './read-table.js';
import { COLUMN, FORMS } from './section-forms.js';
import { isSettings, readSettings } from './section-settings.js';

/** A document beside what it should be. */
export interface DocumentUpdate {
  /** The whole text as it should be; the very same where nothing changes. */
  text: string;
  /** Empty where the document is in step. */
  changes: Change[];
  notes: Note[];
  /** Whether it has any tables to keep in step. */
  hasMarkers: boolean;
}

/**
 * What a document should say, given the abilities there are. Touches only what stands between markers.
 *
 * @param file relative to the project root; its folder is the module it covers where a marker does not say.
 * @returns everything that is wrong with the document instead, where it cannot be kept in step.
 */
export function updateDocument(file: string, text: string, pool: AbilityPool): DocumentUpdate | Problem[] {
  const document = readDocument(file, text);
  if (Array.isArray(document)) return document;
  const problems: Problem[] = [];
  const changes: Change[] = [];
  const notes: Note[] = [];
  const lines = [...document.lines];
  // From the end, so that the lines of what comes before stay where they are.
  for (const section of document.sections.toReversed()) {
    const choice = choiceOf(document, section, pool);
    if (isProblem(choice)) problems.unshift(choice);
    else {
      changes.unshift(...choice.changes);
      notes.unshift(...choice.notes);
      if (choice.changes.length > 0) replaceSection(lines, section, choice);
    }
  }
  if (problems.length > 0) return problems;
  return { text: textOf(lines), changes, notes, hasMarkers: document.sections.length > 0 };
}

function choiceOf({ file }: RoutingDocument, section: Section, pool: AbilityPool): Choice | Problem {
  const folder = dirname(file);
  const settings = readSettings(section.attributes, folder === '.' ? '' : folder);
  const problem = (line: number): Pick<Problem, 'code' | 'location'> => {
    return { code: 'docs.invalid', location: { file, line, column: 1 } };
  };
  if (!isSettings(settings)) return { ...settings, ...problem(section.opens + 1) };
  const choice = chooseRows(section, settings, pool);
  if ('fault' in choice) return { ...choice.fault, ...problem(choice.line) };
  if (!section.hasHeading) {
    const message = `The heading \`${FORMS[section.level].heading}\` is not there`;
    choice.changes.unshift({ kind: 'form', id: null, line: section.opens + 1, message });
  }
  return choice;
}

function isProblem(value: Choice | Problem): value is Problem {
  return 'code' in value;
}

/** Writes the section anew; rows about which nothing changes keep their lines, however they are padded. */
function replaceSection(lines: DocumentLine[], section: Section, choice: Choice): void {
  const { level, opens, closes, table } = section;
  const { columns, alignments, rows } = choice;
  const isHeadKept = table !== undefined && columns.every((column, index) => column === table.header.cells[index]);
  const written = rows
    .filter(({ areWordsFromDefinition }) => areWordsFromDefinition)
    .map(({ id, cells }) => digestOfWords(id, cells[COLUMN.words] ?? ''));
  const content = [
    '',
    FORMS[level].heading,
    '',
    ...(isHeadKept ? [table.header.raw, table.alignments.raw] : [rowOf(columns), rowOf(alignments)]),
    ...rows.map(({ raw, cells }) => raw ?? rowOf(cells)),
    '',
    closingMarker(level, written),
  ];
  const end = lines[opens]?.end || usualEnd(lines);
  const last = lines[closes]?.end ?? end;
  const replaced = content.map((text, index) => ({ text, end: index === content.length - 1 ? last : end }));
  lines.splice(opens + 1, closes - opens, ...replaced);
}

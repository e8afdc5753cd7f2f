import type { Note } from '../../../authoring/routing-documents/choose-rows.js';
import type { DocumentPlan } from '../../../authoring/routing-documents/plan-documents.js';
import type { Change } from '../../../authoring/routing-documents/read-table.js';
import { unifiedDiff } from '../../../authoring/routing-documents/unified-diff.js';
import { formatLocation, type Problem } from '../../../contracts/problem.js';
import type { GapGroup } from '../../../operations/gaps.js';
import { describeProblem } from './describe-problem.js';
import { plainText } from './plain-text.js';
import type { Style } from './terminal/terminal.js';

/** The maximum number of diff lines to show; `--json` has all. */
const MAX_LINES = 40;

const WAY_ON = 'it has no table with the columns `Id` and `When to use`, or `Operation key`;';

const WORDS = {
  in_step: 'in step',
  written: 'written',
  created: 'created',
  out_of_step: 'out of step',
  not_kept: 'not kept',
  no_markers: 'no tables',
  own: 'left to its author',
  broken: 'broken',
} as const;

/** `no_markers`: no ability tables; `not_kept`: tables cannot be taken over; `own`: kept by its author. */
type DocumentStatus = keyof typeof WORDS;

/** What `ability docs --json` says of one document. */
export interface DocumentReport {
  file: string;
  status: DocumentStatus;
  changes: Change[];
  notes: Note[];
  /** Lines of a unified diff from the current text to the expected one. */
  diff: string[];
  problems: Problem[];
  /** Gaps that belong on the page; left out unless requested. Source: R-000-93. */
  gaps?: GapGroup[];
}

export function renderDocument(
  { file, status, changes, notes, diff, problems, gaps = [] }: DocumentReport,
  check: boolean,
  style: Style,
): { result: string; remarks: string[] } {
  const at = (line: number, message: string): string => `${formatLocation({ file, line })} ${plainText(message)}`;
  const isWritten = status === 'written' || status === 'created';
  const head = `${WORDS[status]}  ${file}${isWritten ? countsOf(changes) : ''}`;
  // A written document shows all changes but removals and renames.
  const shown = check ? changes : changes.filter(({ kind }) => kind === 'removed' || kind === 'renamed');
  const remarks = [
    ...shown.map(({ line, message }) => at(line, message)),
    ...notes.map(({ line, message }) => at(line, message)),
    ...problems.map((problem) => describeProblem(problem, style)),
    ...gaps.map((gap) => at(1, `<!-- gap: ${describeGap(gap)} -->`)),
  ];
  if (status === 'no_markers') remarks.push(`${file} is not maintained: ${WAY_ON} ${addition(file)} adds the tables`);
  if (status === 'not_kept') {
    remarks.push(`${file} is not maintained; correct these lines, or drop the rows: ${addition(file)}`);
  }
  if (status === 'out_of_step' && !check) remarks.push(`${file} was not written, because another one is broken`);
  if (status !== 'out_of_step' || !check) return { result: head, remarks };
  return { result: [head, ...renderDiff(diff, style)].join('\n'), remarks };
}

function describeGap(gap: GapGroup): string {
  const near = gap.nearest.length > 0 ? `; nearest: ${gap.nearest.join(', ')}` : '';
  // `--` in a request must not end the HTML comment.
  return `${JSON.stringify(gap.request)} asked for ${whenAsked(gap)}${near}`.replaceAll('--', '- -');
}

/** How often and when a request was made for which nothing is there, and in which environments. */
export function whenAsked({ times, last, environments, kind }: GapGroup): string {
  const where = `${kind === 'not_here' ? 'not in ' : ''}${environments.join(', ')}`;
  return `${times === 1 ? 'once' : `${times} times`}, last ${last.slice(0, 10)}, ${where}`;
}

function addition(file: string): string {
  return `\`ability docs --add ${file}\``;
}

function countsOf(changes: readonly Change[]): string {
  const counts = (['added', 'changed', 'renamed', 'removed'] as const).flatMap((kind) => {
    const count = changes.filter((change) => change.kind === kind).length;
    return count > 0 ? [`${count} ${kind}`] : [];
  });
  return counts.length > 0 ? `  ${counts.join(', ')}` : '';
}

function renderDiff(diff: readonly string[], style: Style): string[] {
  const colors = { '-': 'red', '+': 'green', '@': 'dim' } as const;
  const lines = diff.slice(0, MAX_LINES).map((line) => {
    const color = Object.entries(colors).find(([sign]) => line.startsWith(sign))?.[1];
    return color ? style(color, line) : line;
  });
  const left = diff.length - lines.length;
  return left > 0 ? [...lines, `... and ${left} more lines`] : lines;
}

/** @param options whether the planned changes were written. */
export function reportOf(plan: DocumentPlan, { isWritten }: { isWritten: boolean }): DocumentReport {
  const { file } = plan;
  if (plan.status === 'broken') {
    return { file, status: 'broken', changes: [], notes: [], diff: [], problems: plan.problems };
  }
  const { changes, notes, text } = plan.update;
  const diff = unifiedDiff(plan.before ?? '', text);
  return { file, status: statusOf(plan, isWritten), changes, notes, diff, problems: [] };
}

/** The most severe one, in this order: `broken`, `out_of_step`, `not_kept`, `written`, `in_step`. */
export function statusOfAll(reports: readonly DocumentReport[]): DocumentStatus {
  const all = new Set(reports.map(({ status }) => status));
  const worst = (['broken', 'out_of_step', 'not_kept'] as const).find((status) => all.has(status));
  return worst ?? (all.has('written') || all.has('created') ? 'written' : 'in_step');
}

function statusOf(
  { before, update, care }: Extract<DocumentPlan, { status: 'planned' }>,
  isWritten: boolean,
): DocumentStatus {
  if (care === 'own') return 'own';
  if (care === 'hindered') return 'not_kept';
  if (care === 'none') return 'no_markers';
  if (update.text === before) return 'in_step';
  if (!isWritten) return 'out_of_step';
  return before === undefined ? 'created' : 'written';
}

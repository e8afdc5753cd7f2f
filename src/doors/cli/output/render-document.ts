import type { Change } from '../../../authoring/routing-documents/read-table.js';
import { formatLocation } from '../../../contracts/problem.js';
import type { GapGroup } from '../../answers/group-gaps.js';
import type { DocumentReport } from '../commands/docs/report-documents.js';
import { describeProblem } from './describe-problem.js';
import { plainText } from './plain-text.js';
import type { Style } from './terminal/terminal.js';

/** The maximum number of diff lines to show; `--json` has all. */
const MAX_LINES = 40;

const WAY_ON = 'it has no table with the columns `Id` and `When to use`, or `Operation key`;';

const WORDS: Record<DocumentReport['status'], string> = {
  in_step: 'in step',
  written: 'written',
  created: 'created',
  out_of_step: 'out of step',
  not_kept: 'not kept',
  no_markers: 'no tables',
  own: 'left to its author',
  broken: 'broken',
};

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

function describeGap({ request, times, last, environments, kind, nearest }: GapGroup): string {
  const often = times === 1 ? 'once' : `${times} times`;
  const where = kind === 'not_here' ? `not in ${environments.join(', ')}` : environments.join(', ');
  const near = nearest.length > 0 ? `; nearest: ${nearest.join(', ')}` : '';
  // `--` in a request must not end the HTML comment.
  return `${JSON.stringify(request)} asked for ${often}, last ${last.slice(0, 10)}, ${where}${near}`.replaceAll(
    '--',
    '- -',
  );
}

function addition(file: string): string {
  return `\`ability docs --add ${file}\``;
}

function countsOf(changes: readonly Change[]): string {
  const kinds = ['added', 'changed', 'renamed', 'removed'] as const;
  const counts = kinds.flatMap((kind) => {
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

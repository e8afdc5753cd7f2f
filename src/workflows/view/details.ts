import type { StepSummary } from '../../contracts/task.js';
import { describeWait } from '../../rules/describe-concurrency.js';
import { tellTurnsInLine } from '../../rules/describe-items.js';
import { formatDuration } from '../../rules/duration.js';
import { markdownLine } from '../../rules/shown-text.js';
import { describeApproval } from '../approvals/describe-approval.js';
import type { TaskRun } from '../task/task-run.js';
import { describeFailure } from './describe-failure.js';
import { describeSignals } from './describe-signals.js';

/** Beyond this the table would cost more than the steps. */
const MOST_ROWS = 60;
/** So many failures of one step are told, and so many steps have a line of their own below the table. */
const MOST_FAILURES = 5;
const MOST_ACCOUNTS = 20;

/**
 * Shows how a task stands in the Temporal UI: drawn when it is asked for, since most tasks end without anybody looking.
 *
 * The SDK keeps a text that is set at each change, and reads it where it answers its query for metadata.
 */
export function showDetails(run: TaskRun): void {
  const { __TEMPORAL_ACTIVATOR__: activator } = globalThis as { __TEMPORAL_ACTIVATOR__?: object };
  if (activator)
    Object.defineProperty(activator, 'currentDetails', { get: () => drawDetails(run), configurable: true });
}

/** As Markdown: first what people must decide, then the steps. */
function drawDetails(run: TaskRun): string {
  const steps = run.summarize(run.finishedAt !== undefined);
  const rows = steps.slice(0, MOST_ROWS).map(({ path, call, status, turns, attempts, duration_ms }) => {
    const time = duration_ms === null ? '' : formatDuration(duration_ms);
    return `| ${code(path)} | ${call === null ? '' : code(call)} | ${status} | ${turns ?? ''} | ${attempts > (turns ?? 1) ? attempts : ''} | ${time} |`;
  });
  const key = run.taskKey === null ? '' : ` · ${run.taskKey}`;
  const lines = [
    `**${run.state}**${key} · ${run.plan.environment.name}`,
    '',
    ...(run.state === 'waiting' && run.turn ? [`Waiting for ${markdownLine(describeWait(run.turn))}`, ''] : []),
    ...describeFailure(run, steps),
    ...run.approvals.filter(({ status }) => status === 'open').flatMap(describeApproval),
    ...describeSignals(run),
    '| Step | Call | Status | Turns | Attempts | Time |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    ...(steps.length > MOST_ROWS ? [`| ... | ${steps.length - MOST_ROWS} more | | | | |`] : []),
    ...tellLoops(steps),
  ];
  return lines.join('\n');
}

/** What became of the items of each loop, and which step failed in turns that went on all the same. */
function tellLoops(steps: readonly StepSummary[]): string[] {
  const lines = steps.flatMap((row) => {
    const told = row.items || row.failures ? tellTurnsInLine(row, MOST_FAILURES) : undefined;
    return told === undefined ? [] : [`- ${code(row.path)}: ${markdownLine(told)}`];
  });
  if (lines.length === 0) return [];
  const left = lines.length - MOST_ACCOUNTS;
  return ['', ...lines.slice(0, MOST_ACCOUNTS), ...(left > 0 ? [`- ... ${left} more`] : [])];
}

/** Of ids, which have no characters of Markdown but these; a step table is drawn often. */
function code(id: string): string {
  return `\`${id.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

import { SIGNALS } from '../../contracts/names.js';
import type { StepSummary } from '../../contracts/task.js';
import { describeWait } from '../../rules/concurrency/describe-concurrency.js';
import { formatDuration } from '../../rules/duration.js';
import { markdownCode, markdownLine } from '../../rules/shown-text.js';
import { describeTurnsInLine } from '../../rules/steps/describe-items.js';
import { describeApproval } from '../approvals/describe-approval.js';
import { rollbackOf } from '../steps/rollback.js';
import type { StepStates } from '../steps/step-states.js';
import type { TaskRun } from '../task/task-run.js';
import { describeFailure } from './describe-failure.js';
import { waitsOf } from './waits.js';

/** Beyond this the table would cost more than the steps. */
const MAX_ROWS = 60;
/** Number of failures listed for one step, and number of steps with a line of their own below the table. */
const MAX_FAILURES = 5;
const MAX_ACCOUNTS = 20;

const MAX_WAITS = 20;

/** Drawn when the SDK reads it for its metadata query, not at each change: most tasks end without a query. */
export function showDetails(run: TaskRun): void {
  const { __TEMPORAL_ACTIVATOR__: activator } = globalThis as { __TEMPORAL_ACTIVATOR__?: object };
  if (activator)
    Object.defineProperty(activator, 'currentDetails', { get: () => drawDetails(run), configurable: true });
}

/** As Markdown: first the pending decisions, then the steps. */
function drawDetails(run: TaskRun): string {
  const { task, life, lock, approvals } = run;
  const isEnded = life.finishedAt !== undefined;
  const steps = run.summarize(isEnded);
  const rows = steps.slice(0, MAX_ROWS).map(({ path, call, status, turns, attempts, duration_ms }) => {
    const time = duration_ms === null ? '' : formatDuration(duration_ms);
    return `| ${code(path)} | ${call === null ? '' : code(call)} | ${status} | ${turns ?? ''} | ${attempts > (turns ?? 1) ? attempts : ''} | ${time} |`;
  });
  const key = task.key === null ? '' : ` · ${task.key}`;
  const lines = [
    `**${life.state}**${key} · ${task.plan.environment.name}`,
    '',
    ...(life.state === 'waiting' && lock.turn ? [`Waiting for ${markdownLine(describeWait(lock.turn))}`, ''] : []),
    ...(life.dueAt === undefined ? [] : [`Waiting until it is due, at ${life.dueAt}`, '']),
    ...describeFailure(task, life.ending, steps, isEnded ? rollbackOf(run.steps.progress, run.rollbacks) : {}),
    ...approvals.open.flatMap(describeApproval),
    ...describeSignals(run),
    '| Step | Call | Status | Turns | Attempts | Time |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    ...(steps.length > MAX_ROWS ? [`| ... | ${steps.length - MAX_ROWS} more | | | | |`] : []),
    ...describeLoops(steps),
  ];
  return lines.join('\n');
}

/** Signals that a waiting task accepts, besides decisions; lines of Markdown. */
function describeSignals({ life, steps }: TaskRun): string[] {
  const lines = [
    ...(life.state === 'created' ? [`- to run it, send the signal ${markdownCode(SIGNALS.run)} without input`] : []),
    ...(life.paused ? [`- it is paused; to go on, send the signal ${markdownCode(SIGNALS.resume)} without input`] : []),
    ...awaited(steps),
  ];
  return lines.length === 0 ? [] : [...lines, ''];
}

function awaited(steps: StepStates): string[] {
  const waits = (waitsOf(steps).waits ?? []).filter((wait) => wait.for === 'signal');
  return waits.slice(0, MAX_WAITS).map(({ path, what = '', until, condition }) => {
    const only = condition === undefined ? '' : `, for which ${markdownCode(condition)} must hold`;
    const end = until === undefined ? '' : `, until ${until}`;
    return `- ${markdownCode(path)} waits for the signal ${markdownCode(what)} with any JSON as its input${only}${end}`;
  });
}

function describeLoops(steps: readonly StepSummary[]): string[] {
  const lines = steps.flatMap((row) => {
    const turns = row.items || row.failures ? describeTurnsInLine(row, MAX_FAILURES) : undefined;
    return turns === undefined ? [] : [`- ${code(row.path)}: ${markdownLine(turns)}`];
  });
  if (lines.length === 0) return [];
  const left = lines.length - MAX_ACCOUNTS;
  return ['', ...lines.slice(0, MAX_ACCOUNTS), ...(left > 0 ? [`- ... ${left} more`] : [])];
}

/** Only for ids, which need no other Markdown escapes; a step table is drawn often. */
function code(id: string): string {
  return `\`${id.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

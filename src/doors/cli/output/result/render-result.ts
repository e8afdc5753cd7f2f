import type { TaskFile } from '../../../../contracts/files.js';
import type { ItemFailure } from '../../../../contracts/loops.js';
import { isStepEnd } from '../../../../contracts/states.js';
import type { StepSummary, TaskResult } from '../../../../contracts/task.js';
import { formatDuration } from '../../../../rules/duration.js';
import { oneLine, versionedName } from '../../../../rules/shown-text.js';
import { describeEnd, describeTurnsInLine, nameOf } from '../../../../rules/steps/describe-items.js';
import { isOfExpansion } from '../../../../rules/steps/step-tree.js';
import { describeRollback } from '../../../../rules/tasks/shown-approvals.js';
import type { Typist } from '../../../../shown/typed-command.js';
import { formatBytes } from '../../../../text/byte-size.js';
import { describeProblem, typedBy } from '../describe-problem.js';
import { formatMoment } from '../format-time.js';
import { plainText } from '../plain-text.js';
import type { Style } from '../terminal/terminal.js';

/** The outcome of a task for people: status first, then its output or error, then where to look. */
export function renderResult(result: TaskResult, style: Style, typist: Typist = { flags: {} }): string {
  const { status, ability_id, version, task_key, output, error, warnings, links, started_at, finished_at } = result;
  const good = status === 'succeeded';
  const time =
    started_at && finished_at ? ` in ${formatDuration(Date.parse(finished_at) - Date.parse(started_at))}` : '';
  const key = task_key === null ? '' : `  ${task_key}`;
  const lines = [`${style(good ? 'green' : 'red', status)}  ${versionedName(ability_id, version)}${key}${time}`];
  if (result.intent !== undefined) lines.push(`intent: ${oneLine(result.intent)}`);
  if (error) lines.push(describeProblem(typedBy(typist, error), style, '  ').trimEnd());
  if (error?.step) lines.push(`  in step ${error.step}${placeOf(result)}`);
  const undone = describeRollback(result);
  if (undone !== undefined) lines.push(`undone: ${oneLine(undone)}`);
  lines.push(...renderInputChanges(result));
  for (const warning of warnings) lines.push(`${style('yellow', 'warning')} ${plainText(warning, '  ')}`);
  if (result.cleanup_ran !== null) lines.push(`finally: ${result.cleanup_ran ? 'ran' : 'did not finish'}`);
  if (good) lines.push(`output: ${JSON.stringify(output, null, 2)}`);
  if (result.files) lines.push(...describeFiles(result.files).map((file) => `file ${oneLine(file)}`));
  lines.push(...renderOthers(result));
  if (links.record) lines.push(style('dim', `record: ${links.record}/tool_call.md`));
  if (links.temporal) lines.push(style('dim', `history: ${links.temporal}`));
  return lines.join('\n');
}

/** What is shown in a form of its own, or only in JSON. */
const OWN_FORM: ReadonlySet<string> = new Set<keyof TaskResult>([
  ...(['status', 'ability_id', 'version', 'task_key', 'output', 'error', 'warnings', 'links', 'started_at'] as const),
  ...([
    'finished_at',
    'intent',
    'rolled_back',
    'not_undone',
    'changes',
    'changes_left',
    'cleanup_ran',
    'files',
  ] as const),
  ...(['digest', 'environment', 'steps', 'approvals', 'hooks', 'requested_by', 'caller', 'concurrency'] as const),
  ...(['worked_ms', 'agent', 'answer', 'project', 'waiting'] as const),
]);

/** Any further field of a result, so that none is seen in JSON alone. */
function renderOthers(result: TaskResult): string[] {
  const others = Object.entries(result).filter(([name, value]) => !OWN_FORM.has(name) && value !== undefined);
  return others.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${oneLine(JSON.stringify(value))}`);
}

/** The item or turn of a loop in which the task's error occurred; empty if there is none. */
function placeOf({ error, steps }: TaskResult): string {
  const details = error?.details;
  const path = details !== null && typeof details === 'object' && 'path' in details ? details.path : undefined;
  const row = steps.find(({ items, failures }) => items && failures?.some((failure) => failure.path === path));
  const failure = row?.failures?.find((one) => one.path === path);
  return row && failure ? `, ${nameOf(failure, row)} of ${row.path}` : '';
}

/** One line per change; a count replaces unlisted ones. */
export function renderInputChanges({
  changes = [],
  changes_left: left = 0,
}: Pick<TaskResult, 'changes' | 'changes_left'>): string[] {
  const [first, ...later] = changes.map(({ by, at, fields }) => {
    const what = fields.length > 0 ? `changed ${oneLine(fields.join(', '))}` : 'adopted changed definitions';
    return `${oneLine(by.name)} (${by.source}) ${what} ${formatMoment(at)}`;
  });
  return [...(first === undefined ? [] : [first]), ...(left > 0 ? [`and ${left} more`] : []), ...later];
}

/** The maximum number of files to name; the rest is counted. */
const MAX_NAMED = 50;
const DIGEST_SHOWN = 12;

/** Such as `build.report: report.html, 12 B, 52c123d327f6`. */
function describeFile({ step, name, file, called }: TaskFile): string {
  const digest = file.$file.slice(0, DIGEST_SHOWN);
  const whose = called ? ', of a task it called' : '';
  return `${step === '' ? 'input' : step}.${name}: ${file.name}, ${formatBytes(file.bytes)}, ${digest}${whose}`;
}

export function describeFiles(files: readonly TaskFile[]): string[] {
  const left = files.length - MAX_NAMED;
  return [...files.slice(0, MAX_NAMED).map(describeFile), ...(left > 0 ? [`and ${left} more`] : [])];
}

/** The maximum number of failures on the line of a loop. */
const MAX_FAILURES = 3;

const MARKS: Record<StepSummary['status'], { mark: string; color: Parameters<Style>[0] }> = {
  pending: { mark: '·', color: 'dim' },
  running: { mark: '▸', color: 'cyan' },
  waiting: { mark: '?', color: 'yellow' },
  succeeded: { mark: '✓', color: 'green' },
  failed: { mark: '✗', color: 'red' },
  skipped: { mark: '-', color: 'dim' },
  denied: { mark: '✗', color: 'red' },
  timed_out: { mark: '✗', color: 'red' },
  cancelled: { mark: '✗', color: 'yellow' },
  unknown: { mark: '!', color: 'red' },
};

export function markOf(status: StepSummary['status'], style: Style): string {
  const { mark, color } = MARKS[status];
  return style(color, mark);
}

/** One aligned line per step, except for steps that an expansion generated. */
export function renderSteps(result: TaskResult, style: Style): string[] {
  const steps = result.steps.filter(({ id }) => !isOfExpansion(id));
  const width = Math.max(4, ...steps.map(({ path }) => path.length));
  const calls = Math.max(0, ...steps.map(({ call }) => call?.length ?? 0));
  return steps.map((step) => {
    const { mark, color } = MARKS[step.status];
    const time = tookOf(step);
    const attempts = attemptsOf(step);
    const call = (step.call ?? '').padEnd(calls);
    const text = `${step.path.padEnd(width)}  ${style('dim', call)}  ${style(color, step.status.padEnd(9))} ${time}${attempts}`;
    return `  ${style(color, mark)} ${text.trimEnd()}`;
  });
}

/** Empty for skipped steps and for calls denied by guards, which were not made. */
export function tookOf({ status, duration_ms, call, attempts }: StepSummary): string {
  const isMade = status !== 'skipped' && !(status === 'denied' && call !== null && attempts === 0);
  return duration_ms === null || !isMade ? '' : formatDuration(duration_ms);
}

function attemptsOf(step: StepSummary): string {
  const described = describeTurnsInLine(step, MAX_FAILURES);
  if (described !== undefined) return `  ${described}`;
  return step.attempts > 1 && step.turns === undefined ? ` (attempt ${step.attempts})` : '';
}

/** One line for a step that has changed, where nothing can be redrawn. */
export function renderChange(step: StepSummary): string {
  const took = tookOf(step);
  const time = took === '' ? '' : ` ${took}`;
  const described = step.items && isStepEnd(step.status) ? describeTurnsInLine(step, MAX_FAILURES) : undefined;
  return `  ${step.path} ${step.status}${time}${described === undefined ? attemptsOf(step) : `  ${described}`}`;
}

/** One line for a turn that did not succeed, where nothing can be redrawn. */
export function renderItemFailure(step: StepSummary, failure: ItemFailure): string {
  return `  ${step.path} ${nameOf(failure, step)} ${failure.status}${describeEnd(failure)}`;
}

import type { TaskFile } from '../../../../contracts/files.js';
import type { TaskResult } from '../../../../contracts/task.js';
import { formatDuration } from '../../../../rules/duration.js';
import { oneLine, versionedName } from '../../../../rules/shown-text.js';
import { nameOf } from '../../../../rules/steps/describe-items.js';
import { describeRollback } from '../../../../rules/tasks/describe-undo.js';
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

import type { CallAttempt } from '../../../../client/index.js';
import { isStepEnd } from '../../../../contracts/states.js';
import type { StepProgress, StepSummary, TaskView } from '../../../../contracts/task.js';
import type { OutputLine } from '../../../../operations/read-output.js';
import type { SeenNow } from '../../../../operations/watch-task.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { describeEnd, describeTurnsInLine, nameOf } from '../../../../rules/steps/describe-items.js';
import { isInTurn, isOfExpansion } from '../../../../rules/steps/step-tree.js';
import { markOf, tookOf } from '../result/render-result.js';
import { widthOf } from '../terminal/paint-block.js';
import type { Style } from '../terminal/terminal.js';
import {
  describeApprovalWait,
  describeAttempt,
  describeEarlierFailure,
  describeStepWait,
  renderLoop,
  type WaitText,
  wholeSeconds,
} from './describe-progress.js';

export interface LiveRow {
  status: StepSummary['status'];
  /** The first line is the step; the others are details that may be left out. */
  lines: string[];
}

export interface RowSources {
  /** Milliseconds since 1970. */
  now: number;
  columns: number;
  style: Style;
  attempts: readonly CallAttempt[];
  lastLine(task: string, path: string): OutputLine | undefined;
}

/** The maximum number of items of one loop with a line each. */
const MAX_ITEMS = 3;
/** From this many columns on, the called operation is shown. */
const WIDE = 72;
const WIDEST_CALL = 20;
/** Lines older than this show their age. Milliseconds. */
const OLD_MS = 10_000;

export function liveRows(
  { view, called }: Pick<SeenNow, 'view' | 'called'>,
  task: string,
  sources: RowSources,
): LiveRow[] {
  const { columns, style } = sources;
  const shown = view.steps.filter(isShown);
  const widest = Math.max(4, ...shown.map(({ path }) => path.length));
  const width = Math.min(widest, Math.max(8, Math.floor(columns * 0.4)));
  const widestCall = Math.max(0, ...shown.map(({ call }) => call?.length ?? 0));
  const calls = columns < WIDE ? 0 : Math.min(WIDEST_CALL, widestCall);
  return shown.map((step) => {
    const inner = called[step.path];
    const path = shortened(step.path, width).padEnd(width);
    const call = calls === 0 ? '' : style('dim', `${shortened(step.call ?? '', calls).padEnd(calls)}  `);
    return {
      status: isBackingOff(step, view, sources) ? 'waiting' : step.status,
      lines: [
        `${markOf(step.status, style)} ${path}  ${call}${stateOf(step, view, sources)}`,
        ...(inner ? linesOfCalled(inner, step, view, sources) : []),
        ...(step.items ? [...failureOf(step, sources), ...linesOfItems(step, view, task, sources)] : []),
        ...untilOf(step.path, view, sources),
        ...(inner || step.items ? [] : outputOf(task, step.path, step.status, sources)),
      ],
    };
  });
}

/** The row of a loop covers its steps, except failures that it does not show because its turns continued. */
function isShown({ id, path, items, failures = [] }: StepSummary): boolean {
  if (isOfExpansion(id)) return false;
  return !path.includes('*') || (items === undefined && failures.length > 0);
}

function stateOf(step: StepSummary, view: TaskView, sources: RowSources): string {
  const { style } = sources;
  const { status, path, items, attempts, error } = step;
  const entry = view.progress[path];
  if (status === 'pending') return '';
  const loop = items ? renderLoop(items, sources) : (describeTurnsInLine(step, 0) ?? '');
  if (isStepEnd(status)) {
    const took = tookOf(step);
    const tries = attempts > 1 && step.turns === undefined ? `attempt ${attempts}` : '';
    const isWhy = status !== 'succeeded' && error && loop === '';
    const why = isWhy ? `${error.code}: ${oneLine(error.message.split('\n', 1)[0] ?? '')}` : '';
    const word = status === 'succeeded' ? '' : style(status === 'skipped' ? 'dim' : 'red', status);
    return joined([word, loop, took, tries, why]);
  }
  const waits = waitsAt(path, view, sources);
  const group = loop === '' && attempts > 1 ? `attempt ${attempts}` : '';
  return joined([loop, elapsed(entry, sources), ...(waits.length > 0 ? waits : [group])]);
}

function untilOf(path: string, view: TaskView, { now, style }: RowSources): string[] {
  return waitTexts(path, view, now).flatMap(({ until }) =>
    until === undefined ? [] : [style('dim', `    │ ${until}`)],
  );
}

function waitTexts(path: string, view: TaskView, now: number): WaitText[] {
  const own = (view.waits ?? []).filter((wait) => wait.path === path).map((wait) => describeStepWait(wait, now));
  const pending = view.approvals
    .filter((approval) => approval.status === 'open' && approval.path === path && approval.task === undefined)
    .map((approval) => describeApprovalWait(approval, now));
  return [...pending, ...own];
}

function failureOf(step: StepSummary, { style }: RowSources): string[] {
  const [first] = step.failures ?? [];
  return first ? [`    ${style('red', '✗')} ${nameOf(first, step)}${describeEnd(first)}`] : [];
}

function waitsAt(path: string, view: TaskView, { now, attempts, style }: RowSources): string[] {
  const tried = attempts.filter((one) => one.path === path).map((one) => describeAttempt(one, now));
  return [...waitTexts(path, view, now).map(({ what }) => style('yellow', what)), ...tried];
}

function isLater({ starts_at }: CallAttempt, { now }: RowSources): boolean {
  return starts_at !== null && Date.parse(starts_at) > now;
}

function isBackingOff({ path }: StepSummary, view: TaskView, sources: RowSources): boolean {
  return (
    sources.attempts.some((one) => one.path === path && isLater(one, sources)) ||
    (view.waits ?? []).some((one) => one.path === path)
  );
}

function linesOfItems({ path: loop, items }: StepSummary, view: TaskView, task: string, sources: RowSources): string[] {
  const open = Object.entries(view.progress).filter(
    ([path, { status }]) =>
      path.startsWith(`${loop}/`) &&
      isInTurn(path) &&
      // These calls have rows of their own.
      !/\.(?:undo|unknown)$/.test(path) &&
      !isStepEnd(status) &&
      status !== 'pending',
  );
  const innermost = open.filter(([path]) => !open.some(([other]) => other.startsWith(`${path}/`)));
  const sorted = innermost.sort(([, one], [, other]) => ((one.started_at ?? '') < (other.started_at ?? '') ? -1 : 1));
  const lines = sorted.slice(0, MAX_ITEMS).map(([path, entry]) => {
    const [number = '', ...rest] = path.slice(loop.length + 1).split('/');
    const label = items?.now?.find(({ item }) => String(item) === number)?.label;
    const name = `${number}${label === undefined ? '' : ` (${oneLine(label)})`} ${rest.join('/')}`;
    const output = textOf(sources.lastLine(task, path), path, sources);
    const state = joined([elapsed(entry, sources), ...waitsAt(path, view, sources)]);
    return `    ${name}  ${state}${output === '' ? '' : sources.style('dim', `  │ ${output}`)}`;
  });
  const left = sorted.length - MAX_ITEMS;
  return left > 0 ? [...lines, sources.style('dim', `    ${left} more at work`)] : lines;
}

function linesOfCalled(inner: SeenNow, { path }: StepSummary, view: TaskView, sources: RowSources): string[] {
  const child = view.progress[path]?.child;
  if (child === undefined) return [];
  const rows = liveRows(inner, child, { ...sources, attempts: [], columns: sources.columns - 4 });
  return rows
    .filter(({ status }) => status === 'running' || status === 'waiting')
    .flatMap(({ lines }) => lines.map((line) => `    ${line}`));
}

function outputOf(task: string, path: string, status: StepSummary['status'], sources: RowSources): string[] {
  if (status !== 'running') return [];
  const later = sources.attempts.find((one) => one.path === path && isLater(one, sources));
  const text = later ? describeEarlierFailure(later) : textOf(sources.lastLine(task, path), path, sources);
  return text === '' ? [] : [sources.style('dim', `    │ ${text}`)];
}

/** Empty if the line belongs to an earlier attempt. */
function textOf(line: OutputLine | undefined, path: string, { now, attempts }: RowSources): string {
  if (!line) return '';
  const attempt = attempts.find((one) => one.path === path)?.attempt ?? 1;
  if (line.attempt < attempt) return '';
  const age = now - Date.parse(line.time);
  return `${line.text}${age > OLD_MS ? ` (${wholeSeconds(age)} ago)` : ''}`;
}

function elapsed(entry: StepProgress | undefined, { now }: RowSources): string {
  return entry?.started_at === undefined ? '' : wholeSeconds(now - Date.parse(entry.started_at));
}

/** Cuts the start of a path, since its end is more informative. */
function shortened(path: string, max: number): string {
  return widthOf(path) <= max ? path : `…${path.slice(1 - max)}`;
}

function joined(parts: readonly string[]): string {
  return parts.filter(Boolean).join('  ');
}

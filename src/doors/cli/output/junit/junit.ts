import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import type { ItemFailure, LoopCounts } from '../../../../contracts/loops.js';
import { reasonOf, usageError } from '../../../../contracts/problem.js';
import type { StepSummary, TaskResult } from '../../../../contracts/task.js';
import { isAmong } from '../../../../rules/number-ranges.js';
import { showUnseenCharacters } from '../../../../rules/shown-text.js';
import { describeEnd, describeTurns, nameOf } from '../../../../rules/steps/describe-items.js';
import { describeRollback } from '../../../../rules/tasks/describe-undo.js';
import type { Context } from '../../program/context.js';
import { counted } from '../plain-text.js';

type Place = Pick<Context, 'cwd' | 'terminal'>;

/** One test case a step or item; a failure as of {@link writeReport}. */
export function writeJunit(context: Place, file: string, result: TaskResult): void {
  writeReport(context, file, renderJunit(result));
}

/** Checks before a run that the report can be written. @throws AbilityError `usage.invalid`. */
export function refuseUnwritable(file: string, cwd: string): void {
  const path = resolve(cwd, file);
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new Error('it is a directory');
    accessSync(found ? path : `${dirname(path)}${sep}`, constants.W_OK);
  } catch (error) {
    throw usageError(`--junit ${file} cannot be written: ${reasonOf(error)}`);
  }
}

/** Called after the answer was printed: a failure is a warning, and keeps the exit code of the outcome. */
export function writeReport({ cwd, terminal }: Place, file: string, xml: string): void {
  try {
    writeFileSync(resolve(cwd, file), xml);
  } catch (error) {
    terminal.note(`${terminal.style('yellow', 'warning')} --junit ${file} was not written: ${reasonOf(error)}`);
  }
}

/**
 * A case for each step with none inside, each `foreach` item, each step that failed although no inner one did, and
 * a task that failed outside its steps. So each failure is reported once, where it happened.
 */
export function renderJunit(result: TaskResult): string {
  const { ability_id, status, error, started_at, finished_at, task_key, warnings } = result;
  const loops = result.steps.filter(hasItems);
  const empty = result.steps.filter(isEmptyLoop);
  const others = result.steps.filter(
    (step) => !loops.includes(step) && ![...loops, ...empty].some((loop) => isInside(step, loop)),
  );
  const steps = others.filter((step) => empty.includes(step) || isCase(step, result.steps));
  const failing = failuresOf([...steps, ...loops], result);
  const cases = result.steps.flatMap((step): JunitCase[] => {
    if (steps.includes(step)) return [caseOf(step, failing.includes(step), result)];
    return loops.includes(step) ? casesOfLoop(step, failing.includes(step), result) : [];
  });
  if (status !== 'succeeded' && !cases.some(({ end }) => end === 'failed')) {
    const message = error ? `${error.code}: ${error.message}` : status;
    const xml = `    <testcase classname=${quoteXml(ability_id)} name="task">${failure(message)}</testcase>`;
    cases.push({ xml, end: 'failed' });
  }
  const count = (wanted: JunitCase['end']): number => cases.filter(({ end }) => end === wanted).length;
  const seconds = started_at && finished_at ? (Date.parse(finished_at) - Date.parse(started_at)) / 1000 : 0;
  const attributes = [
    `name=${quoteXml(ability_id)}`,
    `tests="${cases.length}"`,
    `failures="${count('failed')}"`,
    `skipped="${count('skipped')}"`,
    `time="${seconds}"`,
    ...(started_at ? [`timestamp=${quoteXml(started_at)}`] : []),
  ].join(' ');
  const lines = [
    `    <properties>${propertyOf('task_key', task_key ?? '')}${propertyOf('rolled_back', describeRollback(result))}</properties>`,
    ...cases.map(({ xml }) => xml),
    ...(warnings.length > 0 ? [`    <system-err>${escapeXml(warnings.map(asLine).join('\n'))}</system-err>`] : []),
  ];
  return junitDocument(suiteOf(attributes, lines));
}

function propertyOf(name: string, value: string | undefined): string {
  return value === undefined ? '' : `<property name="${name}" value=${quoteXml(value)}/>`;
}

function hasItems({ items, path }: StepSummary): boolean {
  return items?.verb === 'foreach' && items.total > 0 && !path.includes('*');
}

/** A `foreach` over an empty list: it counts as a plain step, since it has no items. */
function isEmptyLoop({ items, path }: StepSummary): boolean {
  return items?.verb === 'foreach' && items.total === 0 && !path.includes('*');
}

/** One case per item, and one for the loop if it failed without a failed item. */
function casesOfLoop(loop: StepSummary, isFailing: boolean, result: TaskResult): JunitCase[] {
  const inner = result.steps.filter((step) => isInside(step, loop));
  const cases = casesOfItems(loop, inner, isFailing, result) ?? [];
  const isReported = !isFailing || cases.some(({ end }) => end === 'failed');
  return isReported ? cases : [...cases, caseOf(loop, isFailing, result)];
}

function caseOf(step: StepSummary, isFailing: boolean, result: TaskResult): JunitCase {
  const end = isFailing ? 'failed' : isPassed(step) ? 'passed' : 'skipped';
  return { xml: renderCase(step, isFailing, result), end };
}

function renderCase(step: StepSummary, isFailing: boolean, { ability_id, error }: TaskResult): string {
  const seconds = (step.duration_ms ?? 0) / 1000;
  const open = `    <testcase classname=${quoteXml(ability_id)} name=${quoteXml(step.path)} time="${seconds}"`;
  if (isPassed(step)) return `${open}/>`;
  if (!isFailure(step)) return `${open}><skipped/></testcase>`;
  const why = error?.step === step.id ? error : step.error;
  const own = why ? `${why.code}: ${why.message}` : step.status;
  if (isFailing) return `${open}>${failure(own)}</testcase>`;
  const [line = ''] = own.split('\n', 1);
  return `${open}><skipped message=${quoteXml(`did not fail the task: ${line}`)}/></testcase>`;
}

function isCase(step: StepSummary, all: readonly StepSummary[]): boolean {
  const inside = all.filter((other) => isInside(other, step));
  return inside.length === 0 || (isFailure(step) && !inside.some(isFailure));
}

/** Steps that failed the task, without handled failures and steps stopped by another failure. */
function failuresOf(cases: readonly StepSummary[], { steps, status }: TaskResult): StepSummary[] {
  if (status === 'succeeded') return [];
  const bad = cases.filter((step) => {
    const around = steps.filter((other) => isInside(step, other));
    return isFailure(step) && around.every(isFailure);
  });
  const own = bad.filter((step) => step.status !== 'cancelled');
  return own.length > 0 ? own : bad;
}

function isInside(step: StepSummary, other: StepSummary): boolean {
  return step.path.startsWith(`${other.path}/`);
}

function isPassed({ status }: StepSummary): boolean {
  return status === 'succeeded' || status === 'running' || status === 'waiting';
}

function isFailure({ status }: StepSummary): boolean {
  return ['failed', 'denied', 'timed_out', 'unknown', 'cancelled'].includes(status);
}

function asLine(warning: string): string {
  return `warning: ${warning}`;
}

function failure(message: string): string {
  return `<failure message=${quoteXml(message.split('\n', 1)[0] ?? '')}>${escapeXml(message)}</failure>`;
}

/**
 * The maximum number of items of one loop with cases of their own, besides failed ones; the others are counted in one
 * case.
 */
const MAX_CASES = 1000;

interface JunitCase {
  xml: string;
  end: 'passed' | 'failed' | 'skipped';
}

/**
 * One case an item, named by path: CI takes a changed name for a new case. Undefined for no `foreach` or unknown
 * items. @param covers whether a failure of the loop failed the task. @param inner rows of the steps in the loop.
 */
function casesOfItems(
  row: StepSummary,
  inner: readonly StepSummary[],
  covers: boolean,
  { ability_id }: TaskResult,
): JunitCase[] | undefined {
  const { items, path, failures = [], failures_left_out: left = 0 } = row;
  if (items?.verb !== 'foreach' || path.includes('*')) return undefined;
  const failed = new Map(failures.map((failure) => [failure.item, failure]));
  const covered = coveredIn(row, inner);
  const open = (name: string): string => `    <testcase classname=${quoteXml(ability_id)} name=${quoteXml(name)}`;
  const cases: JunitCase[] = [];
  const counted = { passed: 0, skipped: 0, unknown: 0 };
  for (let item = 0; item < items.total; item += 1) {
    const failure = failed.get(item);
    if (failure) {
      cases.push(renderFailure(open(`${path}/${item}`), failure, row, covers));
      continue;
    }
    const end = endOf(items, item, left);
    if (cases.length >= MAX_CASES || end === 'unknown') counted[end] += 1;
    else if (end === 'skipped') cases.push({ xml: `${open(`${path}/${item}`)}><skipped/></testcase>`, end });
    else {
      const described = covered.get(item);
      const xml = described === undefined ? '/>' : `><skipped message=${quoteXml(described)}/></testcase>`;
      cases.push({ xml: `${open(`${path}/${item}`)}${xml}`, end: described === undefined ? 'passed' : 'skipped' });
    }
  }
  return [...cases, ...countedCases(open, row, counted, covers)];
}

/** How an item outside the failures ended; `unknown` if that was not kept. */
function endOf(items: LoopCounts, item: number, left: number): 'passed' | 'skipped' | 'unknown' {
  const { total, succeeded, skipped = 0, done, skipped_items: ranges } = items;
  if (skipped > 0 && ranges && isAmong(ranges, item)) return 'skipped';
  if (skipped > 0 && !ranges) return 'unknown';
  if (succeeded + skipped === total) return 'passed';
  if (done) return isAmong(done, item) ? 'passed' : left > 0 ? 'unknown' : 'skipped';
  return 'unknown';
}

function renderFailure(open: string, failure: ItemFailure, row: StepSummary, covers: boolean): JunitCase {
  const { path, task, status } = failure;
  const described = `${nameOf(failure, row)}${describeEnd(failure) || ` ${status}`}`;
  if (status === 'cancelled')
    return { xml: `${open}><skipped message=${quoteXml(described)}/></testcase>`, end: 'skipped' };
  if (!covers) {
    return {
      xml: `${open}><skipped message=${quoteXml(`did not fail the task: ${described}`)}/></testcase>`,
      end: 'skipped',
    };
  }
  const text = [described, ...restOf(failure, described), task === undefined ? `log: ${path}` : `task: ${task}`].join(
    '\n',
  );
  return {
    xml: `${open}><failure message=${quoteXml(described)}>${escapeXml(text)}</failure></testcase>`,
    end: 'failed',
  };
}

/** Message lines that `described` does not show; includes the first line if `described` shortened it. */
function restOf({ error }: ItemFailure, described: string): string[] {
  const [first = '', ...others] = (error?.message ?? '').split('\n');
  return described.endsWith(first) ? others : [first, ...others];
}

function coveredIn({ path }: StepSummary, inner: readonly StepSummary[]): Map<number, string> {
  const described = new Map<number, string>();
  for (const step of inner) {
    for (const failure of step.items ? [] : (step.failures ?? [])) {
      const item = Number(failure.path.slice(path.length + 1).split('/', 1)[0]);
      if (!described.has(item)) described.set(item, `did not fail the task: ${step.id}${describeEnd(failure)}`);
    }
  }
  return described;
}

function countedCases(
  open: (name: string) => string,
  row: StepSummary,
  { passed, skipped, unknown }: Record<'passed' | 'skipped' | 'unknown', number>,
  covers: boolean,
): JunitCase[] {
  const cases: JunitCase[] = [];
  const name = (what: string): string => open(`${row.path}: ${what}`);
  if (passed > 0)
    cases.push({
      xml: `${name('more items')}><system-out>${counted(passed, 'more item')} succeeded</system-out></testcase>`,
      end: 'passed',
    });
  if (skipped > 0) {
    const message = quoteXml(`${counted(skipped, 'more item')} skipped or not run`);
    cases.push({ xml: `${name('more items skipped')}><skipped message=${message}/></testcase>`, end: 'skipped' });
  }
  if (unknown > 0) {
    const head = describeTurns(row, 0)?.head ?? '';
    const message = `${counted(unknown, 'more item')} not listed; of all: ${head}`;
    const isBad = (row.failures_left_out ?? 0) > 0 && covers;
    const inside = isBad ? `<failure message=${quoteXml(message)}/>` : `<system-out>${escapeXml(message)}</system-out>`;
    cases.push({ xml: `${name('items not listed')}>${inside}</testcase>`, end: isBad ? 'failed' : 'passed' });
  }
  return cases;
}

export function quoteXml(text: string): string {
  return `"${escapeXml(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`;
}

/** XML 1.0 forbids most control characters; shows these and other invisible ones visibly. */
export function escapeXml(text: string): string {
  const shown = showUnseenCharacters(text.replaceAll('\r\n', '\n'));
  const printable = shown.replaceAll(/[\ufffe\uffff]/g, '\ufffd');
  return printable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** @param suites lines as {@link suiteOf} returns them. */
export function junitDocument(suites: readonly string[]): string {
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n');
}

/** @param attributes as written in the tag. @param lines of its cases. */
export function suiteOf(attributes: string, lines: readonly string[]): string[] {
  return [`  <testsuite ${attributes}>`, ...lines, '  </testsuite>'];
}

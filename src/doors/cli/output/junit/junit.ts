import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import type { ItemFailure, LoopCounts } from '../../../../contracts/loops.js';
import { reasonOf, usageError } from '../../../../contracts/problem.js';
import type { StepSummary, TaskResult } from '../../../../contracts/task.js';
import { isAmong } from '../../../../rules/number-ranges.js';
import { showUnseenCharacters } from '../../../../rules/shown-text.js';
import { describeEnd, describeTurns, nameOf } from '../../../../rules/steps/describe-items.js';
import { describeRollback } from '../../../../rules/tasks/shown-approvals.js';
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

/** A test case; its class is the ability. */
interface JunitCase {
  name: string;
  end: 'passed' | 'failed' | 'skipped';
  /** Seconds. */
  time?: number;
  /** XML of its outcome; empty if it passed. */
  content: string;
}

function passed(name: string, content = ''): JunitCase {
  return { name, end: 'passed', content };
}

function skipped(name: string, message?: string): JunitCase {
  return { name, end: 'skipped', content: element('skipped', { message }) };
}

function failed(name: string, message: string, text = message): JunitCase {
  return { name, end: 'failed', content: element('failure', { message: firstLineOf(message) }, escapeXml(text)) };
}

function firstLineOf(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/**
 * A case for each step with none inside, each `foreach` item, each step that failed although no inner one did, and
 * a task that failed outside its steps. So each failure is reported once, where it happened.
 */
export function renderJunit(result: TaskResult): string {
  const { ability_id, status, error, started_at, finished_at, task_key, warnings } = result;
  const outer = result.steps.filter(({ items, path }) => items?.verb === 'foreach' && !path.includes('*'));
  // A loop over an empty list counts as a plain step, since it has no items.
  const loops = outer.filter(({ items }) => items?.total !== 0);
  const others = result.steps.filter((step) => !loops.includes(step) && !outer.some((loop) => isInside(step, loop)));
  const steps = others.filter((step) => outer.includes(step) || isCase(step, result.steps));
  const failing = failuresOf([...steps, ...loops], result);
  const cases = result.steps.flatMap((step): JunitCase[] => {
    if (steps.includes(step)) return [caseOf(step, failing.includes(step), result)];
    return loops.includes(step) ? casesOfLoop(step, failing.includes(step), result) : [];
  });
  if (status !== 'succeeded' && !cases.some(({ end }) => end === 'failed')) {
    cases.push(failed('task', error ? `${error.code}: ${error.message}` : status));
  }
  const count = (wanted: JunitCase['end']): number => cases.filter(({ end }) => end === wanted).length;
  const suite = {
    name: ability_id,
    tests: cases.length,
    failures: count('failed'),
    skipped: count('skipped'),
    time: started_at && finished_at ? (Date.parse(finished_at) - Date.parse(started_at)) / 1000 : 0,
    timestamp: started_at ?? undefined,
  };
  const properties = Object.entries({ task_key: task_key ?? '', rolled_back: describeRollback(result) }).map(
    ([name, value]) => (value === undefined ? '' : element('property', { name, value })),
  );
  const remarks = warnings.map((warning) => `warning: ${warning}`).join('\n');
  return junitDocument(
    suiteOf(suite, [
      element('properties', {}, properties.join('')),
      ...cases.map(({ name, time, content }) => element('testcase', { classname: ability_id, name, time }, content)),
      ...(warnings.length > 0 ? [element('system-err', {}, escapeXml(remarks))] : []),
    ]),
  );
}

/** One case per item, and one for the loop if it failed without a failed item. */
function casesOfLoop(loop: StepSummary, isFailing: boolean, result: TaskResult): JunitCase[] {
  const inner = result.steps.filter((step) => isInside(step, loop));
  const cases = casesOfItems(loop, inner, isFailing);
  const isReported = !isFailing || cases.some(({ end }) => end === 'failed');
  return isReported ? cases : [...cases, caseOf(loop, isFailing, result)];
}

function caseOf(step: StepSummary, isFailing: boolean, { error }: TaskResult): JunitCase {
  const { path, status } = step;
  const why = error?.step === step.id ? error : step.error;
  const own = why ? `${why.code}: ${why.message}` : status;
  const handled = isFailure(step) ? `did not fail the task: ${firstLineOf(own)}` : undefined;
  const plain = isPassed(step) ? passed(path) : isFailing ? failed(path, own) : skipped(path, handled);
  return { ...plain, time: (step.duration_ms ?? 0) / 1000 };
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

/**
 * The maximum number of items of one loop with cases of their own, besides failed ones; the others are counted in one
 * case.
 */
const MAX_CASES = 1000;

/**
 * One case an item, named by path: CI takes a changed name for a new case. @param covers whether a failure of the
 * loop failed the task. @param inner rows of the steps in the loop.
 */
function casesOfItems(row: StepSummary, inner: readonly StepSummary[], covers: boolean): JunitCase[] {
  const { items, path, failures = [], failures_left_out: left = 0 } = row;
  if (!items) return [];
  const known = new Map(failures.map((failure) => [failure.item, failure]));
  const covered = coveredIn(row, inner);
  const cases: JunitCase[] = [];
  const more = { passed: 0, skipped: 0, unknown: 0 };
  for (let item = 0; item < items.total; item += 1) {
    const failure = known.get(item);
    const end = endOf(items, item, left);
    const name = `${path}/${item}`;
    if (failure) cases.push(caseOfFailure(name, failure, row, covers));
    else if (cases.length >= MAX_CASES || end === 'unknown') more[end] += 1;
    else if (end === 'skipped') cases.push(skipped(name));
    else cases.push(covered.has(item) ? skipped(name, covered.get(item)) : passed(name));
  }
  return [...cases, ...countedCases(row, more, covers)];
}

/** How an item outside the failures ended; `unknown` if that was not kept. */
function endOf(items: LoopCounts, item: number, left: number): 'passed' | 'skipped' | 'unknown' {
  const { total, succeeded, skipped: count = 0, done, skipped_items: ranges } = items;
  if (count > 0 && ranges && isAmong(ranges, item)) return 'skipped';
  if (count > 0 && !ranges) return 'unknown';
  if (succeeded + count === total) return 'passed';
  if (done) return isAmong(done, item) ? 'passed' : left > 0 ? 'unknown' : 'skipped';
  return 'unknown';
}

function caseOfFailure(name: string, failure: ItemFailure, row: StepSummary, covers: boolean): JunitCase {
  const { path, task, status } = failure;
  const described = `${nameOf(failure, row)}${describeEnd(failure) || ` ${status}`}`;
  if (status === 'cancelled') return skipped(name, described);
  if (!covers) return skipped(name, `did not fail the task: ${described}`);
  const log = task === undefined ? `log: ${path}` : `task: ${task}`;
  return failed(name, described, [described, ...restOf(failure, described), log].join('\n'));
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
  row: StepSummary,
  more: Record<'passed' | 'skipped' | 'unknown', number>,
  covers: boolean,
): JunitCase[] {
  const name = (what: string): string => `${row.path}: ${what}`;
  const said = (text: string): string => element('system-out', {}, escapeXml(text));
  const cases: JunitCase[] = [];
  if (more.passed > 0) cases.push(passed(name('more items'), said(`${counted(more.passed, 'more item')} succeeded`)));
  if (more.skipped > 0) {
    cases.push(skipped(name('more items skipped'), `${counted(more.skipped, 'more item')} skipped or not run`));
  }
  if (more.unknown > 0) {
    const message = `${counted(more.unknown, 'more item')} not listed; of all: ${describeTurns(row, 0)?.head ?? ''}`;
    const isBad = (row.failures_left_out ?? 0) > 0 && covers;
    cases.push(isBad ? failed(name('items not listed'), message, '') : passed(name('items not listed'), said(message)));
  }
  return cases;
}

/** An XML element; an attribute without a value is left out. @param content XML. */
export function element(name: string, attributes: Record<string, string | number | undefined>, content = ''): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  const tag = [name, ...given.map(([key, value]) => `${key}=${quoteXml(String(value))}`)].join(' ');
  return content ? `<${tag}>${content}</${name}>` : `<${tag}/>`;
}

function quoteXml(text: string): string {
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

/** @param elements its cases, and what else is in it. */
export function suiteOf(attributes: Parameters<typeof element>[1], elements: readonly string[]): string[] {
  const open = element('testsuite', attributes).replace(/\/>$/, '>');
  return [`  ${open}`, ...elements.map((one) => `    ${one}`), '  </testsuite>'];
}

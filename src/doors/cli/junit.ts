import { accessSync, constants, existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import type { StepSummary, TaskResult } from '../../contracts/task.js';
import { escapeXml, quoteXml } from './xml.js';

/**
 * Writes a result as JUnit XML, one test case a step, so that CI shows what failed.
 *
 * @throws AbilityError `usage.invalid` when the file cannot be written.
 */
export function writeJunit(file: string, result: TaskResult, cwd: string): void {
  writeReport(file, renderJunit(result), cwd);
}

/** @throws AbilityError `usage.invalid` when nothing could be written there, which is better known before than after. */
export function refuseUnwritable(file: string, cwd: string): void {
  const path = resolve(cwd, file);
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AbilityError({ code: 'usage.invalid', message: `--junit ${file} cannot be written: ${reason}` });
  }
}

/** Writes the file that `--junit` names. @throws AbilityError `usage.invalid` when it cannot be written. */
export function writeReport(file: string, xml: string, cwd: string): void {
  try {
    writeFileSync(resolve(cwd, file), xml);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AbilityError({ code: 'usage.invalid', message: `--junit ${file} cannot be written: ${reason}` });
  }
}

/** Renders a result as JUnit XML. A task that failed outside its steps gets a case of its own. */
export function renderJunit(result: TaskResult): string {
  const { ability_id, steps, status, error, started_at, finished_at, task_key } = result;
  const failing = steps.filter((step) => isFailure(step));
  const outside = status !== 'succeeded' && failing.length === 0;
  const cases = steps.map((step) => renderCase(step, result));
  if (outside) {
    const message = error ? `${error.code}: ${error.message}` : status;
    cases.push(`    <testcase classname=${quoteXml(ability_id)} name="task">${failure(message)}</testcase>`);
  }
  const seconds = started_at && finished_at ? (Date.parse(finished_at) - Date.parse(started_at)) / 1000 : 0;
  const attributes = [
    `name=${quoteXml(ability_id)}`,
    `tests="${cases.length}"`,
    `failures="${failing.length + (outside ? 1 : 0)}"`,
    `skipped="${steps.filter(isSkipped).length}"`,
    `time="${seconds}"`,
    ...(started_at ? [`timestamp=${quoteXml(started_at)}`] : []),
  ].join(' ');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite ${attributes}>`,
    `    <properties><property name="task_key" value=${quoteXml(task_key ?? '')}/></properties>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function renderCase(step: StepSummary, { ability_id, error }: TaskResult): string {
  const seconds = (step.duration_ms ?? 0) / 1000;
  const open = `    <testcase classname=${quoteXml(ability_id)} name=${quoteXml(step.path)} time="${seconds}"`;
  if (isSkipped(step)) return `${open}><skipped/></testcase>`;
  if (!isFailure(step)) return `${open}/>`;
  const why = error?.step === step.id ? error : step.error;
  const own = why ? `${why.code}: ${why.message}` : step.status;
  return `${open}>${failure(own)}</testcase>`;
}

function isFailure({ status }: StepSummary): boolean {
  return ['failed', 'denied', 'timed_out', 'unknown', 'cancelled'].includes(status);
}

function isSkipped({ status }: StepSummary): boolean {
  return status === 'skipped' || status === 'pending';
}

function failure(message: string): string {
  return `<failure message=${quoteXml(message.split('\n', 1)[0] ?? '')}>${escapeXml(message)}</failure>`;
}

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import type { StepSummary, TaskResult } from '../../contracts/task.js';

/**
 * Writes a result as JUnit XML, one test case a step, so that CI shows what failed.
 *
 * @throws AbilityError `usage.invalid` when the file cannot be written.
 */
export function writeJunit(file: string, result: TaskResult, cwd: string): void {
  try {
    writeFileSync(resolve(cwd, file), renderJunit(result));
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
    cases.push(`    <testcase classname=${quote(ability_id)} name="task">${failure(message)}</testcase>`);
  }
  const seconds = started_at && finished_at ? (Date.parse(finished_at) - Date.parse(started_at)) / 1000 : 0;
  const attributes = [
    `name=${quote(ability_id)}`,
    `tests="${cases.length}"`,
    `failures="${failing.length + (outside ? 1 : 0)}"`,
    `skipped="${steps.filter(isSkipped).length}"`,
    `time="${seconds}"`,
    ...(started_at ? [`timestamp=${quote(started_at)}`] : []),
  ].join(' ');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite ${attributes}>`,
    `    <properties><property name="task_key" value=${quote(task_key ?? '')}/></properties>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function renderCase(step: StepSummary, { ability_id, error }: TaskResult): string {
  const seconds = (step.duration_ms ?? 0) / 1000;
  const open = `    <testcase classname=${quote(ability_id)} name=${quote(step.path)} time="${seconds}"`;
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
  return `<failure message=${quote(message.split('\n', 1)[0] ?? '')}>${escapeXml(message)}</failure>`;
}

function quote(text: string): string {
  return `"${escapeXml(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`;
}

/** XML 1.0 has no place for most control characters, whatever wrote them. */
function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
  const printable = text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return printable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

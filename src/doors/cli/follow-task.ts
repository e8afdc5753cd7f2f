import { type Session, type Stall, waitForTask } from '../../client/index.js';
import type { Approval } from '../../contracts/approvals.js';
import { EXIT, EXIT_OF_STATE, type ExitCode } from '../../contracts/exit-codes.js';
import type { ItemFailure } from '../../contracts/loops.js';
import { AbilityError } from '../../contracts/problem.js';
import type { StepSummary, TaskResult } from '../../contracts/task.js';
import { describeWait } from '../../rules/describe-concurrency.js';
import { parseDuration } from '../../rules/duration.js';
import { oneLine } from '../../rules/shown-text.js';
import type { Context } from './context.js';
import type { Deadline } from './deadline.js';
import { fitSteps } from './fit-steps.js';
import { interruption } from './interruption.js';
import { writeJunit } from './junit.js';
import { decisionCommands } from './next-commands.js';
import { plainText } from './plain-text.js';
import { renderApproval, renderResult } from './render-result.js';
import { renderChange, renderItemFailure, renderSteps } from './render-steps.js';
import type { Terminal } from './terminal.js';

/** How the caller wants to wait. */
export interface FollowFlags {
  timeout?: string;
  waitApproval?: string;
  junit?: string;
}

/** Off a terminal nobody is there to stop a command that waits for ever. Source: design, section 11. */
const TIMEOUT_OFF_TERMINAL = '15m';

/**
 * Waits for a task, shows how it goes, and ends with its exit code.
 *
 * On a terminal it waits for people; otherwise a pending approval ends it with 5, after `--wait-approval`. Source:
 * design, section 11.
 *
 * @param deadline of the command, from its start.
 */
export async function followTask(
  context: Context,
  session: Session,
  key: string,
  flags: FollowFlags,
  deadline: Deadline,
): Promise<ExitCode> {
  const { terminal } = context;
  const shower = showProgress(context, key);
  const { timeout, approvalMs } = readPatience(terminal.isLive, flags);
  const interrupted = interruption(context);
  try {
    const end = await waitForTask(session, key, {
      approvalMs,
      timeoutMs: deadline.takeRest(),
      onProgress: shower,
      onStall: (stall) => noteStall(terminal, stall),
      signal: interrupted.signal,
    });
    switch (end.kind) {
      case 'ended':
        return reportEnd(context, end.result, flags);
      case 'approval':
        return reportWaiting(context, session, key, end.result);
      case 'timeout':
        throw timedOut(key, timeout, end.result, end.stall);
      case 'aborted':
        return reportInterrupted(context, key, end.result);
    }
  } finally {
    interrupted.done();
  }
}

/** Says that no worker takes up what is due, and what helps; above the steps, where it stays. */
export function noteStall(terminal: Terminal, { message, suggestion }: Stall): void {
  if (terminal.isLive) terminal.redraw([]);
  terminal.note(`${terminal.style('yellow', 'warning')} ${plainText(message)}\n  ${plainText(suggestion)}`);
}

function timedOut(
  key: string,
  timeout: string | undefined,
  result: TaskResult | undefined,
  stall: Stall | undefined,
): AbilityError {
  const next = isCreated(result) ? `ability task run ${key}` : `ability task watch ${key}`;
  const message = isCreated(result)
    ? `${key} has not been run within ${timeout}; it waits on`
    : `${key} has not ended within ${timeout}; it goes on`;
  if (!stall) return new AbilityError({ code: 'wait.timeout', message, suggestion: next });
  return new AbilityError({
    code: 'wait.timeout',
    message: `${message} once there is a worker: ${stall.message}`,
    suggestion: `${stall.suggestion}; then ${next}`,
  });
}

/** Whether a task waits for somebody to run it. */
function isCreated(result: TaskResult | undefined): boolean {
  return result?.status === 'created';
}

/** How long a command waits. Times are milliseconds. */
export interface Patience {
  /** `timeoutMs` as it was written. */
  timeout: string | undefined;
  timeoutMs: number | undefined;
  approvalMs: number | undefined;
}

/** How long a command waits: on a terminal without end, unless it is told. @throws AbilityError `usage.invalid`. */
export function readPatience(isLive: boolean, { timeout: given, waitApproval }: FollowFlags): Patience {
  const timeout = given ?? (isLive ? undefined : TIMEOUT_OFF_TERMINAL);
  const timeoutMs = timeout === undefined ? undefined : readDuration('--timeout', timeout);
  const unasked = isLive ? undefined : 0;
  const approvalMs = waitApproval === undefined ? unasked : readDuration('--wait-approval', waitApproval);
  return { timeout, timeoutMs, approvalMs };
}

/** Refuses flags about waiting where nobody waits. @throws AbilityError `usage.invalid`. */
export function refuseUnusedFlags({ detach, junit, timeout, waitApproval }: FollowFlags & { detach?: boolean }): void {
  const given = { '--junit': junit, '--timeout': timeout, '--wait-approval': waitApproval };
  const unused = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (!detach || unused.length === 0) return;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `--detach does not wait for the task, so it does not go with ${unused.join(', ')}`,
    suggestion: 'Pass them to `ability task watch KEY`.',
  });
}

function readDuration(flag: string, text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    const message = `${flag} ${text}: ${error instanceof Error ? error.message : String(error)}`;
    throw new AbilityError({ code: 'usage.invalid', message, suggestion: 'Write 500ms, 20s, 10m, 24h or 7d.' });
  }
}

/** A table that is redrawn on a terminal, lines elsewhere. */
function showProgress({ terminal }: Context, key: string): (result: TaskResult) => void {
  const seen = new Map<string, string>();
  const announced = new Set<string>();
  return (result) => {
    const turn = result.status === 'waiting' ? result.concurrency : undefined;
    const waits = turn ? [`${terminal.style('yellow', 'waiting')} for ${oneLine(describeWait(turn))}`] : [];
    if (result.status === 'created' && !announced.has('created')) {
      announced.add('created');
      terminal.note(`${key} has been created and waits to be run: ability task run ${key}`);
    }
    if (terminal.isLive) {
      drawProgress(terminal, key, result, waits, announced);
      return;
    }
    for (const line of waits) {
      if (!announced.has(line)) terminal.note(line);
      announced.add(line);
    }
    for (const { step, failure } of result.steps.flatMap(failuresOf)) {
      if (!announced.has(failure.path)) terminal.note(renderItemFailure(step, failure));
      announced.add(failure.path);
    }
    for (const step of result.steps) {
      // Of thousands of turns, what is told is how the loop goes.
      if (step.turns !== undefined) continue;
      const before = seen.get(step.path) ?? 'pending';
      if (before === step.status || step.status === 'pending') continue;
      seen.set(step.path, step.status);
      terminal.note(renderChange(step));
    }
    for (const approval of result.approvals) {
      if (approval.status !== 'open' || announced.has(approval.id)) continue;
      announced.add(approval.id);
      terminal.note(renderApproval(approval, terminal.style));
    }
  };
}

/** The turns that did not succeed, with the row that tells of each. */
function failuresOf(step: StepSummary): { step: StepSummary; failure: ItemFailure }[] {
  return (step.failures ?? []).map((failure) => ({ step, failure }));
}

/** The steps, as many as fit; what people are asked stands above them, once, and stays. */
function drawProgress(
  terminal: Terminal,
  key: string,
  result: TaskResult,
  waits: string[],
  announced: Set<string>,
): void {
  const steps = renderSteps(result, terminal.style);
  if (result.finished_at !== null) {
    terminal.redraw([]);
    if (steps.length > 0) terminal.note(steps.join('\n'));
    return;
  }
  const open = result.approvals.filter(({ status }) => status === 'open');
  for (const approval of open) {
    if (announced.has(approval.id)) continue;
    announced.add(approval.id);
    terminal.redraw([]);
    terminal.note([renderApproval(approval, terminal.style), ...decisionLines(key, approval)].join('\n'));
  }
  terminal.redraw([...fitSteps(result.steps, steps, terminal.room() - waits.length), ...waits]);
}

/** How an approval is decided, to be copied. */
function decisionLines(key: string, approval: Approval): string[] {
  const commands = decisionCommands(key, approval);
  const width = Math.max(...commands.map(({ command }) => command.length));
  return commands.map(({ command, purpose }) => `  ${command.padEnd(width)}   ${purpose}`);
}

function reportEnd(context: Context, result: TaskResult, { junit }: FollowFlags): ExitCode {
  if (junit !== undefined) writeJunit(junit, result, context.cwd);
  printResult(context, result);
  return EXIT_OF_STATE[result.status];
}

/** Prints a result: one JSON value, or lines for people. */
export function printResult({ flags, terminal }: Context, result: TaskResult): void {
  if (flags.json) terminal.printJson(shapeOf(result));
  else terminal.print(renderResult(result, terminal.style));
}

/** The result shape of the design; what only a running task tells besides is left to `task show`. */
export function shapeOf(result: TaskResult): TaskResult {
  const { waiting, concurrency, changes, changes_left, project } = result;
  return {
    status: result.status,
    task_key: result.task_key,
    ability_id: result.ability_id,
    version: result.version,
    digest: result.digest,
    environment: result.environment,
    output: result.output,
    error: result.error,
    warnings: result.warnings,
    steps: result.steps,
    approvals: result.approvals,
    hooks: result.hooks,
    requested_by: result.requested_by,
    started_at: result.started_at,
    finished_at: result.finished_at,
    cleanup_ran: result.cleanup_ran,
    links: result.links,
    ...(concurrency && { concurrency }),
    ...(changes && { changes }),
    ...(changes_left !== undefined && { changes_left }),
    ...(waiting && { waiting }),
    ...(project !== undefined && { project }),
  };
}

/** What the task waits for, how to go on, and that a runtime of its own does not wait with it. Source: answers, 15, 21. */
function reportWaiting(context: Context, session: Session, key: string, result: TaskResult): ExitCode {
  const { terminal, flags } = context;
  const open = result.approvals.filter(({ status }) => status === 'open');
  const resume = `ability task watch ${key}`;
  const link = result.links.temporal;
  if (flags.json) {
    const waiting = { approvals: open.map(({ id }) => id), resume, link };
    terminal.printJson(shapeOf({ ...result, output: null, waiting }));
  } else terminal.print(`waiting for approval  ${result.ability_id} v${result.version}  ${key}`);
  for (const approval of open) for (const line of decisionLines(key, approval)) terminal.note(line);
  terminal.note(`Go on:  ${resume}`);
  if (link) terminal.note(`Watch:  ${link}`);
  if (session.isOwnRuntime) {
    terminal.note('The runtime of this project stops when nothing runs; its deadlines fire when it is up again.');
  }
  return EXIT.waiting;
}

function reportInterrupted({ terminal, flags }: Context, key: string, result: TaskResult | undefined): ExitCode {
  const next = isCreated(result)
    ? 'the task still waits to be run: ability task run'
    : 'the task goes on: ability task watch';
  terminal.note(`Interrupted; ${next} ${key}`);
  if (flags.json) {
    const status = result?.status ?? 'running';
    const error = {
      code: 'wait.interrupted',
      message: 'Interrupted; the task goes on',
      location: null,
      suggestion: null,
    };
    terminal.printJson({ status: 'error', task_key: key, task_status: status, error });
  }
  return EXIT.interrupted;
}

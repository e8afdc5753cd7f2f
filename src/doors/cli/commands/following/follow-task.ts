import type { Stall, WaitEnd } from '../../../../client/index.js';
import { AbilityError, usageError } from '../../../../contracts/problem.js';
import { EXIT, EXIT_OF_STATE, type ExitCode, isEndState } from '../../../../contracts/states.js';
import type { TaskResult } from '../../../../contracts/task.js';
import { anyAbortSignal } from '../../../../rules/any-abort-signal.js';
import { versionedName } from '../../../../rules/shown-text.js';
import { afterFailure } from '../../../../shown/next-commands.js';
import { asTyped, commandOf } from '../../../../shown/typed-command.js';
import { defined } from '../../../../text/defined.js';
import { readDuration } from '../../input/flag-values.js';
import { refuseUnwritable, writeJunit } from '../../output/junit/junit.js';
import { alignedCommands, decisionLines, pageLine, pageThrough } from '../../output/live/announcer.js';
import { openView } from '../../output/live/live-view.js';
import { plainText } from '../../output/plain-text.js';
import { exitOf } from '../../output/report.js';
import { renderResult } from '../../output/result/render-result.js';
import type { Terminal } from '../../output/terminal/terminal.js';
import { type Context, printAnswer } from '../../program/context.js';
import type { ProjectClient } from '../../program/project-operations.js';
import type { TaskFlags } from '../../program/tasks.js';
import { type Deadline, isCreated, type Patience, timedOut } from './deadline.js';
import { endInterrupted, interruption } from './interruption.js';

type FollowFlags = TaskFlags['watch'];

/** Without a terminal, no user can stop a command that waits forever. Source: docs/guide.md. */
const TIMEOUT_OFF_TERMINAL = '15m';

/**
 * Waits for a task, shows its progress, and returns its exit code. At a terminal it waits for people; elsewhere a
 * pending approval ends it with 5, after `--wait-approval`. Source: docs/guide.md.
 * @param how whether this command has just started it, or only looks at it.
 */
export async function followTask(
  context: Context,
  project: ProjectClient,
  key: string,
  flags: FollowFlags,
  deadline: Deadline,
  how: Pick<Watching, 'begins' | 'isLooking'> = {},
): Promise<ExitCode> {
  const { timeout, approvalMs } = readPatience(context.terminal.isLive, flags);
  const { begins = false, isLooking = false } = how;
  let seen: TaskResult | undefined;
  const onSeen = (result: TaskResult): void => {
    seen = result;
  };
  const timeoutMs = deadline.handOver(() =>
    isLooking && !seen ? undefined : timedOut(key, timeout, seen, undefined, begins),
  );
  const { signal } = deadline;
  const { verbose } = flags;
  const end = await watchTask(context, project, key, { timeoutMs, approvalMs, verbose, signal, onSeen, ...how });
  switch (end.kind) {
    case 'ended':
      return reportEnd(context, project, end.result, flags);
    case 'approval':
      return reportWaiting(context, project, key, end.result);
    case 'timeout':
      throw timedOut(key, timeout, end.result, end.stall, begins);
    case 'aborted':
      return reportInterrupted(context, key, end.result);
  }
}

interface Watching {
  timeoutMs?: number | undefined;
  approvalMs?: number | undefined;
  begins?: boolean;
  verbose?: boolean | undefined;
  /** Whether nothing is shown of a task that had ended before. */
  isLooking?: boolean;
  /** Ends the watch, with its reason. */
  signal?: AbortSignal;
  onSeen?(result: TaskResult): void;
}

/** Shows a task until it ends, or until there is a reason to wait no longer: time, people, Ctrl-C. */
export async function watchTask(
  context: Context,
  project: ProjectClient,
  key: string,
  { timeoutMs, approvalMs, begins = false, verbose, isLooking = false, signal: limit, onSeen }: Watching,
): Promise<WaitEnd> {
  const interrupted = interruption(context);
  const { signal, release } = anyAbortSignal(limit ? [interrupted.signal, limit] : [interrupted.signal]);
  const view = await openView(context, project, key, verbose);
  let last: TaskResult | undefined;
  try {
    const times = defined({ timeout_ms: whole(timeoutMs), approval_ms: whole(approvalMs) });
    const events = await project.stream('watchTask', { key, begins, ...times }, signal);
    for await (const event of events) {
      if (event.type === 'stall') noteStall(context.terminal, event.stall);
      else if (event.type === 'end') {
        if (event.kind === 'aborted' && !interrupted.signal.aborted) limit?.throwIfAborted();
        return event;
      } else if (isLooking && !last && event.now === null) last = event.result;
      else {
        last = event.result;
        if (event.now === null) await view.readLast();
        // What this command has just started is on its way to run.
        if (!begins || !isCreated(last)) view.update(last, event.now ?? undefined);
      }
      if (last) onSeen?.(last);
    }
    if (!interrupted.signal.aborted) signal.throwIfAborted();
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
  } finally {
    release();
    interrupted.done();
    view.close();
  }
  return { kind: 'aborted', result: last };
}

function whole(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms);
}

/** Prints a stall and its remedy above the steps, where it stays visible. */
export function noteStall(terminal: Terminal, { message, suggestion }: Stall): void {
  terminal.note(`${terminal.style('yellow', 'warning')} ${plainText(message)}\n  ${plainText(suggestion)}`);
}

/** How long to wait: by default without limit at a terminal. @throws AbilityError `usage.invalid`. */
export function readPatience(isLive: boolean, { timeout: given, waitApproval }: FollowFlags): Patience {
  const timeout = given ?? (isLive ? undefined : TIMEOUT_OFF_TERMINAL);
  const timeoutMs = timeout === undefined ? undefined : readDuration('--timeout', timeout);
  const unspecified = isLive ? undefined : 0;
  const approvalMs = waitApproval === undefined ? unspecified : readDuration('--wait-approval', waitApproval);
  return { timeout, timeoutMs, approvalMs };
}

/** Refuses wrong flags before anything starts. @returns how long to wait. @throws AbilityError `usage.invalid`. */
export function checkFollowFlags(context: Context, flags: FollowFlags & { detach?: boolean }): Patience {
  refuseUnusedFlags(flags);
  if (flags.junit !== undefined) refuseUnwritable(flags.junit, context.cwd);
  return readPatience(context.terminal.isLive, flags);
}

/** Refuses flags about waiting if the command does not wait. @throws AbilityError `usage.invalid`. */
function refuseUnusedFlags({
  detach,
  junit,
  timeout,
  waitApproval,
  verbose,
}: FollowFlags & { detach?: boolean }): void {
  const given = { '--junit': junit, '--timeout': timeout, '--wait-approval': waitApproval, '--verbose': verbose };
  const unused = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (!detach || unused.length === 0) return;
  throw usageError(
    `--detach does not wait for the task, so it does not go with ${unused.join(', ')}`,
    'Pass them to `ability task watch KEY`.',
  );
}

export async function reportEnd(
  context: Context,
  project: ProjectClient,
  result: TaskResult,
  { junit }: FollowFlags,
): Promise<ExitCode> {
  const { status, error, ability_id: ability, environment } = result;
  if (status === 'unavailable' && error) {
    return reportUnavailable(context, { ability, environment }, new AbilityError(error));
  }
  printOutcome(context, result);
  if (junit !== undefined) writeJunit(context, junit, result);
  if (!context.flags.json) await noteNext(context, project, result);
  return EXIT_OF_STATE[result.status];
}

/** Whether a refusal is for a reason outside the request, Temporal and the door. */
export function isUnavailable(error: AbilityError): boolean {
  const exit = exitOf(error.toProblem());
  const isApart = /^(internal\.error|wait\.timeout|door\..*)$/.test(error.code);
  return exit !== EXIT.usage && exit !== EXIT.outOfOrder && !isApart;
}

/**
 * Prints why a task cannot be formed, for a reason outside the request and Temporal. Source: docs/errors.md.
 * @throws the error for any other reason.
 */
export function reportUnavailable(
  context: Context,
  { ability, environment }: { ability: string; environment: string },
  error: AbilityError,
): ExitCode {
  const { flags, terminal } = context;
  if (!isUnavailable(error)) throw error;
  const { code, message: reason, suggestion = null } = error;
  if (flags.json) terminal.printJson({ status: 'unavailable', code, reason, suggestion });
  else {
    terminal.print(`unavailable  ${ability} in ${environment}`);
    const advice = suggestion ? `\n  ${plainText(asTyped(suggestion, context))}` : '';
    terminal.note(`  ${code}: ${plainText(reason)}${advice}`);
  }
  return EXIT.unavailable;
}

/** Prints one JSON value, or lines for people; after a failure, also what to do next, on stderr. */
export async function printResult(context: Context, project: ProjectClient, result: TaskResult): Promise<void> {
  printOutcome(context, result);
  if (!context.flags.json) await noteNext(context, project, result);
}

function printOutcome(context: Context, result: TaskResult): void {
  printAnswer(context, result, () => renderResult(result, context.terminal.style, context));
}

/** Prints on stderr what to do after a task that did not succeed; nothing after others. */
export async function noteNext(context: Context, project: ProjectClient, result: TaskResult): Promise<void> {
  const { task_key, error, steps, not_undone } = result;
  if (!isEndState(result.status) || result.status === 'succeeded' || task_key === null) return;
  // What cannot be explained has no way to retry it.
  const { retry } = await project.call('explainTask', { key: task_key }).catch(() => ({ retry: null }));
  const why = { command: commandOf('ability', 'why', task_key), purpose: 'how it came to this' };
  const after = afterFailure({ task_key, error, steps, retry, ...(not_undone && { not_undone }) });
  // After a denial, the reason comes before the retry.
  const next = result.status === 'denied' ? [why, ...after] : [...after, why];
  context.terminal.note(['Next:', ...alignedCommands(context, next)].join('\n'));
}

/**
 * What the task waits for, how to continue, and that the project's own runtime does not wait with it.
 * Source: docs/guide.md#tasks; docs/operations.md#the-runtime-of-a-project.
 */
function reportWaiting(context: Context, project: ProjectClient, key: string, result: TaskResult): ExitCode {
  const { terminal, flags } = context;
  const open = result.approvals.filter(({ status }) => status === 'open');
  const resume = asTyped(commandOf('ability', 'task', 'watch', key), context);
  const { temporal } = result.links;
  const page = pageThrough(context, key, result.links.page);
  if (flags.json) {
    const waiting = { approvals: open.map(({ id }) => id), resume, link: page ?? temporal };
    terminal.printJson({ ...result, output: null, waiting });
  } else terminal.print(`waiting for approval  ${versionedName(result.ability_id, result.version)}  ${key}`);
  for (const approval of open) for (const line of decisionLines(context, key, approval)) terminal.note(line);
  terminal.note(`Go on:  ${resume}`);
  if (temporal) terminal.note(`Watch:  ${temporal}`);
  for (const line of pageLine(context, project.isOwnRuntime(), key, result.links)) terminal.note(line);
  if (project.isOwnRuntime()) {
    terminal.note('The runtime of this project stops when nothing runs; deadlines of tasks fire when it is up again.');
  }
  return EXIT.waiting;
}

function reportInterrupted(context: Context, key: string, result: TaskResult | undefined): ExitCode {
  const [state, next] = isCreated(result)
    ? ['the task still waits to be run', `ability task run ${key}`]
    : ['the task goes on', `ability task watch ${key}`];
  const message = `Interrupted; ${state}`;
  const note = asTyped(`${message}: ${next}`, context);
  return endInterrupted(context, message, { note, task_key: key, task_status: result?.status ?? 'running' });
}

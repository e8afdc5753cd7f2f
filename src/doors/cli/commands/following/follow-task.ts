import { type Connection, readWayToRetry, type Stall, type WaitEnd, waitForTask } from '../../../../client/index.js';
import { AbilityError, usageError } from '../../../../contracts/problem.js';
import { EXIT, EXIT_OF_STATE, type ExitCode, isEndState } from '../../../../contracts/states.js';
import type { TaskResult } from '../../../../contracts/task.js';
import { versionedName } from '../../../../rules/shown-text.js';
import { shapeOf } from '../../../answers/result-shape.js';
import { readDuration } from '../../input/flag-values.js';
import { refuseUnwritable, writeJunit } from '../../output/junit/junit.js';
import { alignedCommands, decisionLines } from '../../output/live/announcer.js';
import { openView } from '../../output/live/live-view.js';
import { afterFailure } from '../../output/next-commands.js';
import { plainText } from '../../output/plain-text.js';
import { exitOf } from '../../output/report.js';
import { renderResult } from '../../output/result/render-result.js';
import type { Terminal } from '../../output/terminal/terminal.js';
import { asTyped, commandOf } from '../../output/typed-command.js';
import { type Context, printAnswer } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';
import type { Deadline, Patience } from './deadline.js';
import { endInterrupted, interruption } from './interruption.js';

type FollowFlags = TaskFlags['watch'];

/** Without a terminal, no user can stop a command that waits forever. Source: docs/guide.md. */
const TIMEOUT_OFF_TERMINAL = '15m';

/**
 * Waits for a task, shows its progress, and returns its exit code. At a terminal it waits for people; elsewhere a
 * pending approval ends it with 5, after `--wait-approval`. Source: docs/guide.md.
 * @param begins whether this command has just started it, with the limit for its begin.
 */
export async function followTask(
  context: Context,
  connection: Connection,
  key: string,
  flags: FollowFlags,
  deadline: Deadline,
  begins = false,
): Promise<ExitCode> {
  const { terminal } = context;
  const { timeout, approvalMs } = readPatience(terminal.isLive, flags);
  const interrupted = interruption(context);
  const view = openView(context, connection, key, flags.verbose);
  let end: WaitEnd;
  try {
    end = await waitForTask(connection, key, {
      approvalMs,
      timeoutMs: deadline.stopAndReadRest(),
      onProgress: (result, now) => view.update(result, now),
      onStall: (stall) => noteStall(terminal, stall),
      begins,
      signal: interrupted.signal,
    });
  } finally {
    interrupted.done();
    view.close();
  }
  switch (end.kind) {
    case 'ended':
      return reportEnd(context, connection, end.result, flags);
    case 'approval':
      return reportWaiting(context, connection, key, end.result);
    case 'timeout':
      throw timedOut(key, timeout, end.result, end.stall, begins);
    case 'aborted':
      return reportInterrupted(context, key, end.result);
  }
}

/** Prints a stall and its remedy above the steps, where it stays visible. */
export function noteStall(terminal: Terminal, { message, suggestion }: Stall): void {
  terminal.note(`${terminal.style('yellow', 'warning')} ${plainText(message)}\n  ${plainText(suggestion)}`);
}

function timedOut(
  key: string,
  timeout: string | undefined,
  result: TaskResult | undefined,
  stall: Stall | undefined,
  begins: boolean,
): AbilityError {
  const next = isCreated(result)
    ? commandOf('ability', 'task', 'run', key)
    : `${commandOf('ability', 'task', 'watch', key)} continues to wait; ${commandOf('ability', 'why', key)} shows what holds it up`;
  const message = isCreated(result)
    ? `${key} has not been run within ${timeout}; it can still be run`
    : `${key} has not ended within ${timeout}; it goes on`;
  if (!stall) return new AbilityError({ code: 'wait.timeout', message, suggestion: next });
  const limit = begins && !result ? ', within a minute of its start' : '';
  return new AbilityError({
    code: 'wait.timeout',
    message: `${message} once there is a worker${limit}: ${stall.message}`,
    suggestion: `${stall.suggestion}; then ${next}`,
  });
}

function isCreated(result: TaskResult | undefined): boolean {
  return result?.status === 'created';
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
  connection: Connection,
  result: TaskResult,
  { junit }: FollowFlags,
): Promise<ExitCode> {
  const { status, error, ability_id: ability, environment } = result;
  if (status === 'unavailable' && error) {
    return reportUnavailable(context, { ability, environment }, new AbilityError(error));
  }
  printOutcome(context, result);
  if (junit !== undefined) writeJunit(context, junit, result);
  if (!context.flags.json) await noteNext(context, connection, result);
  return EXIT_OF_STATE[result.status];
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
  const exit = exitOf(error.toProblem());
  if (exit === EXIT.usage || exit === EXIT.outOfOrder || error.code === 'internal.error') throw error;
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
export async function printResult(context: Context, connection: Connection, result: TaskResult): Promise<void> {
  printOutcome(context, result);
  if (!context.flags.json) await noteNext(context, connection, result);
}

function printOutcome(context: Context, result: TaskResult): void {
  printAnswer(context, shapeOf(result), () => renderResult(result, context.terminal.style, context));
}

/** Prints on stderr what to do after a task that did not succeed; nothing after others. */
export async function noteNext(context: Context, connection: Connection, result: TaskResult): Promise<void> {
  const { task_key, error, steps, not_undone } = result;
  if (!isEndState(result.status) || result.status === 'succeeded' || task_key === null) return;
  const retry = (await readWayToRetry(connection, result)) ?? null;
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
function reportWaiting(context: Context, connection: Connection, key: string, result: TaskResult): ExitCode {
  const { terminal, flags } = context;
  const open = result.approvals.filter(({ status }) => status === 'open');
  const resume = asTyped(commandOf('ability', 'task', 'watch', key), context);
  const link = result.links.temporal;
  if (flags.json) {
    const waiting = { approvals: open.map(({ id }) => id), resume, link };
    terminal.printJson(shapeOf({ ...result, output: null, waiting }));
  } else terminal.print(`waiting for approval  ${versionedName(result.ability_id, result.version)}  ${key}`);
  for (const approval of open) for (const line of decisionLines(context, key, approval)) terminal.note(line);
  terminal.note(`Go on:  ${resume}`);
  if (link) terminal.note(`Watch:  ${link}`);
  if (connection.isOwnRuntime) {
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

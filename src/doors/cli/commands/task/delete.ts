import {
  type Connection,
  type DeleteEnd,
  deleteTask,
  hasEnded,
  keepingRuntime,
  readHost,
  viewOwnTask,
} from '../../../../client/index.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode, isEndState } from '../../../../contracts/states.js';
import { deletedAnswer } from '../../../../operations/delete-task.js';
import { currentUser } from '../../../../operations/read-caller.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { asTyped } from '../../../../shown/typed-command.js';
import { isConfirmed } from '../../input/ask.js';
import { noteWarnings } from '../../output/describe-problem.js';
import { formatMoment } from '../../output/format-time.js';
import { type Context, printAnswer } from '../../program/context.js';
import type { ProjectClient } from '../../program/project-operations.js';
import type { TaskFlags } from '../../program/tasks.js';
import { projectInTime } from '../following/deadline.js';
import { noteStall, readPatience } from '../following/follow-task.js';
import { endInterrupted, withInterruption } from '../following/interruption.js';

/** `ability task delete KEY`: ends a task, removes its record, leaves a tombstone. Source: R-000-85, C-37. */
export async function run(context: Context, [key]: [string], flags: TaskFlags['deletion']): Promise<ExitCode> {
  const { terminal } = context;
  const { purge = false } = flags;
  const patience = readPatience(terminal.isLive, flags);
  return projectInTime(context, patience, `${key} was not deleted`, (project, deadline) => {
    const { signal } = deadline;
    if (context.door) return deleteThere(context, project, key, purge, signal);
    return project.here(async (connection) => {
      const presence = await keepingRuntime(connection, () => readPresence(connection, key, purge), signal);
      if (!(await isAgreed(context, key, presence, purge, signal))) return undeleted(context, key);
      if (purge && presence !== 'deleted' && presence !== 'unformed')
        terminal.note('Temporal takes up to a minute to delete a history.');
      // Only the history says which machine has the record, so it is read before a purge.
      const keeper = await readHost(connection, key).catch(() => undefined);
      const end = await withInterruption(context, (interrupted) =>
        deleteTask(connection, key, {
          by: currentUser(context.env),
          purge,
          timeoutMs: deadline.stopAndReadRest(),
          signal: interrupted,
          onStall: (stall) => noteStall(terminal, stall),
        }),
      );
      return report(context, key, end, keeper);
    });
  });
}

/** The same through a door, each of whose requests waits at most a minute; the next one joins the deletion. */
async function deleteThere(
  context: Context,
  project: ProjectClient,
  key: string,
  purge: boolean,
  signal: AbortSignal,
): Promise<ExitCode> {
  const presence = await presenceOf(purge, async () => {
    const { status } = await project.call('readResult', { key }, signal);
    return purge && status === 'unavailable' ? 'unformed' : isEndState(status) ? 'ended' : 'open';
  });
  if (!(await isAgreed(context, key, presence, purge, signal))) return undeleted(context, key);
  for (;;) {
    const answer = await project.call('deleteTask', { key, purge }, signal).catch((error: unknown) => {
      if (!(error instanceof AbilityError) || error.code !== 'wait.timeout') throw error;
    });
    if (answer) return reportAnswer(context, { ...answer, warnings: [] });
  }
}

async function isAgreed(context: Context, key: string, presence: TaskPresence, purge: boolean, signal: AbortSignal) {
  if (presence !== 'deleted' && !(await isConfirmed(context, questionOn(key, presence, purge), signal))) return false;
  if (presence === 'open') context.terminal.note(`${key} is cancelled first; its \`undo\` and \`finally\` run.`);
  return true;
}

function undeleted(context: Context, key: string): ExitCode {
  return endInterrupted(context, 'Nothing was deleted', { task_key: key });
}

function report(context: Context, key: string, end: DeleteEnd, keeper: string | undefined): ExitCode {
  if (end.kind === 'aborted') {
    const message = 'Interrupted; the deletion goes on';
    const note = asTyped(`${message}: ability task delete ${key} waits for it again`, context);
    return endInterrupted(context, message, { note, task_key: key });
  }
  const answer = deletedAnswer(key, end);
  const warnings = end.kind === 'deleted' ? warningsOf(key, end, keeper) : [];
  return reportAnswer(context, { ...answer, warnings });
}

type Answer = ReturnType<typeof deletedAnswer> & { warnings: string[] };

function reportAnswer(context: Context, answer: Answer): ExitCode {
  printAnswer(context, answer, () => textOf(answer));
  if (!context.flags.json) noteWarnings(context, answer);
  return EXIT.ok;
}

function textOf({ task_key: key, already, purged, deleted_at, deleted_by }: Answer): string {
  if (!deleted_by) return `${key} was never created; the request for it is deleted`;
  const rest = purged ? ', its history as well' : '; its history stays in Temporal until the retention period ends';
  const before = `was deleted already, by ${oneLine(deleted_by.name)} ${formatMoment(deleted_at)}`;
  return `${key} ${already ? before : `is deleted${rest}`}`;
}

/** The record lies with the worker that kept it; another machine may have deleted the task. */
function warningsOf(
  key: string,
  { deletion }: Extract<DeleteEnd, { kind: 'deleted' }>,
  keeper: string | undefined,
): string[] {
  if (deletion.record === 'removed') return [];
  const there = keeper !== undefined && keeper !== deletion.host ? `; it may be on ${keeper}` : '';
  return [`There was no record of ${key} on ${deletion.host}, whose worker deleted the task${there}`];
}

/** `unformed`: preflight refused it, or Temporal no longer has it; what is left goes at once. */
type TaskPresence = 'open' | 'ended' | 'deleted' | 'unformed';

function readPresence(connection: Connection, key: string, purge: boolean): Promise<TaskPresence> {
  return presenceOf(purge, async () => {
    const seen = await viewOwnTask(connection, key, 'temporal');
    if (purge && seen.result.status === 'unavailable') return 'unformed';
    return hasEnded(seen) ? 'ended' : 'open';
  });
}

async function presenceOf(purge: boolean, read: () => Promise<TaskPresence>): Promise<TaskPresence> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AbilityError && error.code === 'task.deleted') return 'deleted';
    if (error instanceof AbilityError && error.code === 'task.not_found' && purge) return 'unformed';
    throw error;
  }
}

function questionOn(key: string, presence: TaskPresence, purge: boolean): string {
  const what = purge ? 'Its record and its history' : 'Its record';
  const first = presence === 'open' ? ', which is open and will be cancelled' : '';
  return `Delete ${key}${first}? ${what} cannot be restored.`;
}

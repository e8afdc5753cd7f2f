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
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { isConfirmed } from '../../input/ask.js';
import { formatMoment } from '../../output/format-time.js';
import { plainText } from '../../output/plain-text.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, currentUser, openRegistry } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';
import { connectedInTime } from '../following/deadline.js';
import { noteStall, readPatience } from '../following/follow-task.js';
import { endInterrupted, interruption } from '../following/interruption.js';

/** `ability task delete KEY`: ends a task, removes its record, leaves a tombstone. Source: R-000-85, C-37. */
export async function run(context: Context, [key]: [string], flags: TaskFlags['deletion']): Promise<ExitCode> {
  const { terminal } = context;
  const { purge = false } = flags;
  const patience = readPatience(terminal.isLive, flags);
  const registry = await openRegistry(context);
  return connectedInTime(context, registry, patience, `${key} was not deleted`, async (connection, deadline) => {
    const { signal } = deadline;
    const presence = await keepingRuntime(connection, () => readPresence(connection, key, purge), signal);
    if (presence !== 'deleted' && !(await isConfirmed(context, questionOn(key, presence, purge), signal))) {
      return endInterrupted(context, 'Nothing was deleted', { task_key: key });
    }
    if (presence === 'open') terminal.note(`${key} is cancelled first; its clean-up runs.`);
    if (purge && presence !== 'deleted' && presence !== 'unformed')
      terminal.note('Temporal takes up to a minute to delete a history.');
    // Only the history says which machine has the record, so it is read before a purge.
    const keeper = await readHost(connection, key).catch(() => undefined);
    const interrupted = interruption(context);
    try {
      const end = await deleteTask(connection, key, {
        by: currentUser(context.env),
        purge,
        timeoutMs: deadline.stopAndReadRest(),
        signal: interrupted.signal,
        onStall: (stall) => noteStall(terminal, stall),
      });
      return report(context, key, end, keeper);
    } finally {
      interrupted.done();
    }
  });
}

function report(context: Context, key: string, end: DeleteEnd, keeper: string | undefined): ExitCode {
  const { flags, terminal } = context;
  if (end.kind === 'aborted') {
    const message = 'Interrupted; the deletion goes on';
    const note = asTyped(`${message}: ability task delete ${key} waits for it again`, context);
    return endInterrupted(context, message, { note, task_key: key });
  }
  if (end.kind === 'unformed') {
    if (flags.json)
      terminal.printJson({ status: 'deleted', task_key: key, already: false, purged: true, warnings: [] });
    else terminal.print(`${key} was never created; the request for it is deleted`);
    return EXIT.ok;
  }
  const { kind, deletion } = end;
  const warnings = kind === 'deleted' ? warningsOf(key, end, keeper) : [];
  const { deleted_at, deleted_by, purged } = deletion;
  if (flags.json) {
    const already = kind === 'already';
    terminal.printJson({ status: 'deleted', task_key: key, already, purged, deleted_at, deleted_by, warnings });
    return EXIT.ok;
  }
  const what = purged
    ? 'deleted, its history as well'
    : 'deleted; its history stays in Temporal until the retention period ends';
  const before = `was deleted already, by ${oneLine(deleted_by.name)} ${formatMoment(deleted_at)}`;
  terminal.print(`${key} ${kind === 'already' ? before : `is ${what}`}`);
  for (const warning of warnings) terminal.note(`${terminal.style('yellow', 'warning')} ${plainText(warning, '  ')}`);
  return EXIT.ok;
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

async function readPresence(connection: Connection, key: string, purge: boolean): Promise<TaskPresence> {
  try {
    const seen = await viewOwnTask(connection, key, 'temporal');
    if (purge && seen.result.status === 'unavailable') return 'unformed';
    return hasEnded(seen) ? 'ended' : 'open';
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

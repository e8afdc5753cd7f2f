import { type Connection, followEvents, keepingRuntime, viewTask, waitForTask } from '../../client/index.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskEvent } from '../../contracts/task-events.js';
import { withModelOutput } from '../../operations/follow-events.js';
import { oneLine } from '../../rules/shown-text.js';
import { refusalOf } from './answers.js';
import type { ToolAnswer, ToolCall } from './mcp-door.js';
import type { TaskSight } from './task-answer.js';
import { type OwnTask, startedAnswer, taskAnswer } from './task-answer.js';

const CROWDED_MS = 250;

/** Waits until a task ends, waits for people, or time is up. After any error, answers with the handle. */
export async function followTask(
  call: ToolCall,
  connection: Connection,
  task: OwnTask,
  patienceMs = call.door.patienceMs,
): Promise<ToolAnswer> {
  const { door, visitor, signal } = call;
  const stopReporting = reportProgress(call, connection, task.key);
  try {
    const timeoutMs = visitor.calls.isCrowded ? Math.min(patienceMs, CROWDED_MS) : patienceMs;
    const end = await waitForTask(connection, task.key, { timeoutMs, approvalMs: 0, signal });
    const stall = end.kind === 'timeout' ? end.stall : undefined;
    if (!end.result) return startedAnswer(task, stall, door);
    return await taskAnswer(task, { result: end.result, stall }, door, connection);
  } catch (error) {
    call.loan.failed(error);
    return refusalOf(error, door, { task: task.handle });
  } finally {
    stopReporting();
  }
}

/** The present state of a task. @throws AbilityError as {@link seeTask}. */
export async function lookAtTask({ door }: ToolCall, connection: Connection, task: OwnTask): Promise<ToolAnswer> {
  return taskAnswer(task, await seeTask(connection, task.key), door, connection);
}

/** Without a worker, what Temporal itself knows. @throws AbilityError `task.not_found`, `task.deleted`. */
export function seeTask(connection: Connection, key: string): Promise<TaskSight> {
  return keepingRuntime(connection, async () => {
    try {
      return { result: (await viewTask(connection, key)).result, stall: undefined };
    } catch (error) {
      if (!(error instanceof AbilityError) || error.code !== 'worker.unavailable') throw error;
      const { result } = await viewTask(connection, key, 'temporal');
      return { result, stall: { message: error.message, suggestion: error.suggestion ?? '' } };
    }
  });
}

const MAX_REPORTS = 500;

/** Needs a progress token; the total is unknown. @returns stops; an error only ends the notifications. */
function reportProgress({ progress }: ToolCall, connection: Connection, key: string): () => void {
  if (!progress) return () => {};
  const stop = new AbortController();
  const reporting = async (): Promise<void> => {
    let sent = 0;
    const events = await followEvents(connection, key, undefined, stop.signal);
    for await (const event of withModelOutput(connection, key, events, stop.signal)) {
      if (stop.signal.aborted || sent === MAX_REPORTS) return;
      sent += 1;
      await progress(sent, inWords(event));
    }
  };
  reporting().catch(() => {});
  return () => stop.abort();
}

/** Such as `call ended: db.write.user_row, succeeded`. */
function inWords({ type, data: { ability, call, name, status, step, text } }: TaskEvent): string {
  if (type === 'model.output') return oneLine(`${step}: ${text}`);
  const facts = [ability, call, name, status].filter((fact) => typeof fact === 'string');
  return oneLine([type.replace('.', ' '), facts.join(', ')].filter((part) => part !== '').join(': '));
}

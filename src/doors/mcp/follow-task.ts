import {
  type Connection,
  followEvents,
  keepingRuntime,
  viewTask,
  type WaitEnd,
  waitForTask,
} from '../../client/index.js';
import type { TaskEvent } from '../../contracts/task-events.js';
import { oneLine } from '../../rules/shown-text.js';
import { withModelOutput } from '../answers/with-model-output.js';
import { refusalOf } from './answers.js';
import type { ToolAnswer, ToolCall } from './mcp-door.js';
import { type ToldTask, tellBegun, tellTask } from './tell-task.js';

/** Where others wait for their turn, a call leaves its place to them. */
const CROWDED_MS = 250;

/**
 * Waits for a task, no longer than its caller is patient and no one has to be asked.
 *
 * Whatever goes wrong on the way, the answer has the handle: the task goes on.
 */
export async function followTask(
  call: ToolCall,
  connection: Connection,
  task: ToldTask,
  patienceMs = call.door.patienceMs,
): Promise<ToolAnswer> {
  const { door, visitor, signal } = call;
  const stopTelling = tellProgress(call, connection, task.key);
  try {
    const timeoutMs = visitor.calls.isCrowded ? Math.min(patienceMs, CROWDED_MS) : patienceMs;
    const end: WaitEnd = await waitForTask(connection, task.key, { timeoutMs, approvalMs: 0, signal });
    return end.result ? tellTask(task, end.result, door) : tellBegun(task);
  } catch (error) {
    call.loan.failed(error);
    return refusalOf(error, door, { task: task.handle });
  } finally {
    stopTelling();
  }
}

/** How a task stands now. @throws AbilityError as `viewTask`. */
export async function lookAtTask({ door }: ToolCall, connection: Connection, task: ToldTask): Promise<ToolAnswer> {
  const { result } = await keepingRuntime(connection, () => viewTask(connection, task.key));
  return tellTask(task, result, door);
}

/** A caller is not told more in one answer, however many calls a task makes. */
const MOST_TOLD = 500;

/**
 * Tells a caller who asked for it what happens to a task while it waits: each event is a step on, of which no one knows how many
 * there will be.
 *
 * @returns what ends it; nothing is told after that. What goes wrong here costs the caller nothing but the telling.
 */
function tellProgress({ progress }: ToolCall, connection: Connection, key: string): () => void {
  if (!progress) return () => {};
  const stop = new AbortController();
  const telling = async (): Promise<void> => {
    let told = 0;
    const events = await followEvents(connection, key, undefined, stop.signal);
    for await (const event of withModelOutput(connection, key, events, stop.signal)) {
      if (stop.signal.aborted || told === MOST_TOLD) return;
      told += 1;
      await progress(told, inWords(event));
    }
  };
  telling().catch(() => {});
  return () => stop.abort();
}

/** Such as `call ended: db.write.user_row, succeeded`. */
function inWords({ type, data: { ability, call, name, status, step, text } }: TaskEvent): string {
  if (type === 'model.output') return oneLine(`${step}: ${text}`);
  const facts = [ability, call, name, status].filter((fact) => typeof fact === 'string');
  return oneLine([type.replace('.', ' '), facts.join(', ')].filter((part) => part !== '').join(': '));
}

import { type Connection, keepingRuntime, viewTask, type WaitEnd, waitForTask } from '../../client/index.js';
import { refusalOf } from './answers.js';
import type { ToolAnswer, ToolCall } from './mcp-door.js';
import { tellProgress } from './tell-progress.js';
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

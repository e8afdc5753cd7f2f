import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import type { TaskStart } from '../../contracts/task.js';
import { unpackArguments } from '../../rules/tasks/task-arguments.js';

/**
 * Start arguments of a task, from the first event of its history.
 *
 * @param task the workflow id. @returns undefined if these are not the arguments of a task.
 */
export async function readArguments(
  codec: Pick<PayloadCodec, 'decode'>,
  payloads: Payload[],
  task: string,
): Promise<TaskStart | undefined> {
  const decoded = await codec.decode(payloads);
  let args: unknown[];
  try {
    args = decoded.map((payload) => defaultPayloadConverter.fromPayload(payload));
  } catch {
    // A foreign workflow, with arguments in a form of its own.
    return undefined;
  }
  return unpackArguments(args, task);
}

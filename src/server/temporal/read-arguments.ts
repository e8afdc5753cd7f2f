import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import type { TaskStart } from '../../contracts/task.js';
import { unpackArguments } from '../../rules/tasks/task-arguments.js';

/** A task's arguments, from its history's first event; undefined for others. @param task its workflow id. */
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
    // A foreign workflow with arguments of another form.
    return undefined;
  }
  return unpackArguments(args, task);
}

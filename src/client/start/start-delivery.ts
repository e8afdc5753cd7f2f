import { WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import { deliveryIdOf, taskQueueOf, WORKFLOWS } from '../../contracts/names.js';
import type { Placement } from '../../contracts/placement.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskRequest } from '../../contracts/task.js';
import type { Delivered, DeliveryRequest } from '../../contracts/webhooks.js';
import { signalWithin } from '../../rules/any-abort-signal.js';
import { digestOf } from '../../rules/canonical.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import type { Connection } from '../connection/connect.js';
import { withServer } from '../connection/keep-runtime.js';
import { isUnknownWorkflow, problemIn } from '../connection/temporal-errors.js';
import { checkUserKey } from './keys.js';

export interface Delivery {
  webhook: string;
  key: string;
  wanted: Pick<TaskRequest, 'ability' | 'environment' | 'input' | 'intent'>;
  /** The placement whose worker creates the task. */
  placement: Placement;
}

export interface DeliveryState {
  status: 'started' | 'queued';
  /** Whether the same delivery arrived before. */
  known: boolean;
}

/**
 * Starts a delivery's task by a workflow of its own: once Temporal has it, the task will be created, even if the
 * caller ends or no worker is up. The same key is the same delivery; a refused one may be retried.
 * @param waitMs limit for the start of the task. @param signal ends the wait; the delivery continues.
 * @throws AbilityError errors of preflight; `task.key_invalid`, `task.key_conflict`, `worker.unavailable`.
 */
export async function deliver(
  connection: Connection,
  delivery: Delivery,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<DeliveryState> {
  checkUserKey(delivery.key);
  refuseUnsafeKeys(delivery.wanted.input);
  return withServer(connection, async () => {
    const isNew = await startDelivery(connection, delivery);
    const ends = signalWithin(waitMs, [signal]);
    try {
      return await stateOf(connection, delivery, !isNew, ends.signal);
    } finally {
      ends.release();
    }
  });
}

/** @returns false if Temporal already has the delivery. */
async function startDelivery(connection: Connection, delivery: Delivery): Promise<boolean> {
  const { webhook, key, wanted, placement } = delivery;
  const { project, temporal } = connection;
  const user = { name: `webhook:${webhook}`, source: 'claimed' } as const;
  const request = { ...wanted, task: key, direct: false, user, session: null, caller: 'ci' } as const;
  const argument: DeliveryRequest = { format: 1, project, webhook, request };
  try {
    await temporal.workflow.start(WORKFLOWS.delivery, {
      workflowId: deliveryIdOf(project, key),
      taskQueue: taskQueueOf(project, wanted.environment, placement),
      args: [argument],
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      memo: { request: digestOfWanted(delivery) },
      staticSummary: `${wanted.ability} in ${wanted.environment}, by webhook ${webhook}`,
    });
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await refuseOther(connection, delivery);
    return false;
  }
}

/** @throws AbilityError `task.key_conflict` if the key belongs to a different delivery. */
async function refuseOther({ temporal, project }: Connection, delivery: Delivery): Promise<void> {
  const { memo } = await temporal.workflow.getHandle(deliveryIdOf(project, delivery.key)).describe();
  if (memo?.request === digestOfWanted(delivery)) return;
  throw new AbilityError({
    code: 'task.key_conflict',
    message: `The key ${delivery.key} already belongs to a delivery with another input, or to another webhook`,
    suggestion: 'State a `key` in the trigger that no other delivery has.',
  });
}

function digestOfWanted({ webhook, wanted: { ability, environment, input } }: Delivery): string {
  return digestOf({ webhook, ability, environment, input });
}

async function stateOf(
  { temporal, project }: Connection,
  { key }: Delivery,
  known: boolean,
  ends: AbortSignal,
): Promise<DeliveryState> {
  const handle = temporal.workflow.getHandle<() => Promise<Delivered>>(deliveryIdOf(project, key));
  try {
    const delivered = await temporal.withAbortSignal(ends, () => handle.result());
    return { status: 'started', known: known || delivered.known };
  } catch (error) {
    if (error instanceof WorkflowFailedError) throw refusalOf(error);
    if (ends.aborted) return { status: 'queued', known };
    // Temporal has forgotten it, so its task ended long ago.
    if (known && isUnknownWorkflow(error)) return { status: 'started', known };
    throw error;
  }
}

function refusalOf(failure: WorkflowFailedError): AbilityError {
  return new AbilityError(
    problemIn(failure.cause) ?? {
      code: 'worker.unavailable',
      message: 'The delivery ended before its task was started',
      suggestion: 'Send it again; its workflow in the Temporal UI shows how it ended.',
    },
    { cause: failure },
  );
}

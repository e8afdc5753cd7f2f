import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild } from '@temporalio/workflow';
import type { Delivered, DeliveryRequest } from '../contracts/webhooks.js';
import { formStart } from '../rules/form-start.js';
import { askPreflight, startOptions } from './start-formed.js';

/** Another caller may start the task between preflight and start; the next preflight sees whose it is. */
const MOST_TURNS = 3;

/**
 * One delivery of a webhook: an ordinary preflight, then an ordinary task, which goes on by itself. It is durable from the
 * moment on at which its sender is answered, whatever becomes of the door, and waits where no worker is up.
 *
 * Fails with the code of the refusal where preflight refuses the task.
 */
export async function delivery({ project, request }: DeliveryRequest): Promise<Delivered> {
  const { task } = request;
  for (let turn = 1; ; turn += 1) {
    const { seal, ...answer } = await askPreflight(project, request);
    if (!seal) return { task_key: task, known: true };
    try {
      const formed = formStart(project, request, { ...answer, seal }, true);
      await startChild(answer.plan.ability.id, {
        ...startOptions(task, formed),
        parentClosePolicy: ParentClosePolicy.ABANDON,
      });
      return { task_key: task, known: false };
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError) || turn === MOST_TURNS) throw error;
    }
  }
}

import {
  defineSearchAttributeKey,
  SearchAttributeType,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import {
  ApplicationFailure,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  isCancellation,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { Firing, FiringRequest } from '../contracts/schedules.js';
import type { TaskRequest } from '../contracts/task.js';
import { firingKey } from '../rules/firing-key.js';
import { type FormedStart, formStart } from '../rules/form-start.js';
import { askPreflight, startOptions } from './start-formed.js';

const SCHEDULED_FOR = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/**
 * One firing of a schedule: an ordinary preflight, then an ordinary task, whose end it waits for, so that Temporal knows
 * whether the next firing overlaps. Where it is cancelled, so is the task.
 *
 * Fails with the code of the refusal where preflight refuses the task.
 */
export async function firing({ project, schedule: fired }: FiringRequest): Promise<Firing> {
  const { typedSearchAttributes, startTime } = workflowInfo();
  const task = firingKey(fired.id, typedSearchAttributes.get(SCHEDULED_FOR) ?? startTime);
  const request: TaskRequest = {
    ability: fired.ability,
    environment: fired.environment,
    input: fired.input,
    task,
    direct: false,
    user: { name: `schedule:${fired.id}`, source: 'claimed' },
    session: null,
    caller: 'ci',
    ...(fired.intent !== undefined && { intent: fired.intent }),
  };
  const { seal, ...answer } = await askPreflight(project, request);
  if (!seal) return { task_key: task, status: null };
  return { task_key: task, status: await runTask(task, formStart(project, request, { ...answer, seal }, true)) };
}

/** @returns the end state of the task; null where it was started before. */
async function runTask(task: string, formed: FormedStart): Promise<string | null> {
  try {
    const started = await startChild(formed.argument.plan.ability.id, {
      ...startOptions(task, formed),
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    });
    return endOf(await started.result());
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    if (isCancellation(error)) throw error;
    const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure)) return 'cancelled';
    return endOf(cause.details?.[0]) ?? 'failed';
  }
}

function endOf(result: unknown): string | null {
  const status = (result as { status?: unknown } | null | undefined)?.status;
  return typeof status === 'string' ? status : null;
}

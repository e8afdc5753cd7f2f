import {
  defineSearchAttributeKey,
  SearchAttributeType,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  startChild,
  TerminatedFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { preflightIdOf, WORKFLOWS } from '../contracts/names.js';
import type { Firing, FiringRequest } from '../contracts/schedules.js';
import type { PreflightAnswer, TaskRequest } from '../contracts/task.js';
import type { Delivered, DeliveryRequest } from '../contracts/webhooks.js';
import { firingKey } from '../rules/tasks/firing-key.js';
import { type FormedStart, formStart } from '../rules/tasks/form-start.js';
import { packArguments } from '../rules/tasks/task-arguments.js';

const SCHEDULED_FOR = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/**
 * One firing of a schedule: an ordinary preflight and task. Waits for its end, so that Temporal knows whether the
 * next firing overlaps; cancelling the firing cancels the task. Fails with the code of a preflight refusal.
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
    if (isCancellation(error) && CancellationScope.current().consideredCancelled) throw error;
    const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
    // As lists show these ends.
    if (cause instanceof CancelledFailure || cause instanceof TerminatedFailure) return 'cancelled';
    return (cause instanceof ApplicationFailure ? endOf(cause.details?.[0]) : null) ?? 'failed';
  }
}

function endOf(result: unknown): string | null {
  const status = (result as { status?: unknown } | null | undefined)?.status;
  return typeof status === 'string' ? status : null;
}

/** Another caller may start the task between preflight and start; the next preflight then finds its owner. */
const MAX_TRIES = 3;

/**
 * One delivery of a webhook: an ordinary preflight, then a task that continues by itself. Durable once its sender
 * is answered, even if the door then fails or no worker is up. Fails with the code of a preflight refusal.
 */
export async function delivery({ project, request }: DeliveryRequest): Promise<Delivered> {
  const { task } = request;
  for (let tries = 1; ; tries += 1) {
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
      if (!(error instanceof WorkflowExecutionAlreadyStartedError) || tries === MAX_TRIES) throw error;
    }
  }
}

/** Runs the preflight of a task as a child. @throws ApplicationFailure with the code of the refusal. */
async function askPreflight(project: string, request: TaskRequest): Promise<PreflightAnswer> {
  const { task, ability } = request;
  try {
    return await executeChild<(request: TaskRequest) => Promise<PreflightAnswer>>(WORKFLOWS.preflight, {
      workflowId: preflightIdOf(task, project),
      args: [request],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `preflight of ${ability}`,
    });
  } catch (error) {
    throw error instanceof ChildWorkflowFailure && error.cause instanceof ApplicationFailure ? error.cause : error;
  }
}

/** A task key is never used again. */
function startOptions(task: string, { argument, attributes, ...options }: FormedStart) {
  return {
    ...options,
    workflowId: task,
    args: packArguments(argument),
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    typedSearchAttributes: Object.entries(attributes).map(([name, value]) => ({
      key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
      value,
    })),
  };
}

import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { ApplicationFailure, ChildWorkflowFailure, executeChild } from '@temporalio/workflow';
import { preflightIdOf, WORKFLOWS } from '../contracts/names.js';
import type { PreflightAnswer, TaskRequest } from '../contracts/task.js';
import type { FormedStart } from '../rules/form-start.js';
import { packArguments } from '../rules/task-arguments.js';

/** Asks the preflight of a task from a workflow that starts it. @throws ApplicationFailure with the code of the refusal. */
export async function askPreflight(project: string, request: TaskRequest): Promise<PreflightAnswer> {
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

/** What the task of a workflow that starts it is started with; a key that was used is never used again. */
export function startOptions(task: string, { argument, attributes, ...options }: FormedStart) {
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

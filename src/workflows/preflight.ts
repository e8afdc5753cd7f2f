import { ActivityFailure, proxyLocalActivities } from '@temporalio/workflow';
import { ACTIVITIES } from '../contracts/names.js';
import type { PreflightAnswer, TaskRequest } from '../contracts/task.js';

type Preflight = (request: TaskRequest) => Promise<PreflightAnswer>;

/**
 * Stands before every task: resolve, PreAbilityCreate, seal, record, in one local activity, so that it costs little.
 *
 * Completes with plan and seal, or fails with the code of what is missing. Source: docs/architecture.md#the-way-of-a-task.
 */
export async function preflight(request: TaskRequest): Promise<PreflightAnswer> {
  const activities = proxyLocalActivities<Record<string, Preflight>>({
    scheduleToCloseTimeout: '55s',
    retry: { maximumAttempts: 2 },
  });
  try {
    return await (activities[ACTIVITIES.preflight] as Preflight)(request);
  } catch (error) {
    throw error instanceof ActivityFailure && error.cause ? error.cause : error;
  }
}

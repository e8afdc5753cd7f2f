import { ActivityFailure } from '@temporalio/workflow';
import { ACTIVITIES } from '../contracts/names.js';
import type { PreflightAnswer, TaskRequest } from '../contracts/task.js';
import { localActivity } from './calls/local-activities.js';

/**
 * Precedes every task: resolve, PreAbilityCreate, seal and record in one cheap local activity. Completes with plan
 * and seal, or fails with the code of the refusal. Source: docs/architecture.md#the-way-of-a-task.
 */
export async function preflight(request: TaskRequest): Promise<PreflightAnswer> {
  const limits = { scheduleToCloseTimeout: '55s', retry: { maximumAttempts: 2 } } as const;
  try {
    return await localActivity<TaskRequest, PreflightAnswer>(ACTIVITIES.preflight, limits)(request);
  } catch (error) {
    throw error instanceof ActivityFailure && error.cause ? error.cause : error;
  }
}

import { proxyLocalActivities } from '@temporalio/workflow';
import type { EnterAnswer, EnterRequest } from '../../contracts/activities.js';
import { ACTIVITIES } from '../../contracts/names.js';
import { untilKeyed } from '../calls/ask-worker.js';
import { readActivityFailure, StepFailure } from '../steps/step-failure.js';
import type { TaskRun } from './task-run.js';

type Enter = (request: EnterRequest) => Promise<EnterAnswer>;

/**
 * Checks the input of a task that another one called, and makes its record.
 *
 * @throws StepFailure `input.invalid`. Source: docs/architecture.md#the-way-of-a-task.
 */
export async function enterChild(run: TaskRun): Promise<void> {
  const activities = proxyLocalActivities<Record<string, Enter>>({
    scheduleToCloseTimeout: '30s',
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 3, initialInterval: '200ms' },
  });
  try {
    const enter = activities[ACTIVITIES.enter] as Enter;
    const { input, warnings } = await untilKeyed(() => enter({ ...run.context, input: run.input }));
    run.input = input;
    run.warnings.push(...warnings);
  } catch (error) {
    const end = readActivityFailure(error);
    if (end.kind === 'problem') throw new StepFailure(end.problem);
    throw error;
  }
}

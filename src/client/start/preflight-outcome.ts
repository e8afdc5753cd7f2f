import { ActivityExecutionFailedError, WorkflowFailedError } from '@temporalio/client';
import type { PreflightAnswer } from '../../contracts/task.js';

/** How a preflight ended: with an answer, or with what Temporal says it failed with. */
export type PreflightOutcome = { answer: PreflightAnswer } | { failure: Error };

/** Waits for the end of a preflight, which is an activity or a workflow. @throws what prevents the waiting. */
export async function outcomeOf(result: () => Promise<PreflightAnswer>): Promise<PreflightOutcome> {
  try {
    return { answer: await result() };
  } catch (error) {
    if (error instanceof ActivityExecutionFailedError || error instanceof WorkflowFailedError)
      return { failure: error };
    throw error;
  }
}

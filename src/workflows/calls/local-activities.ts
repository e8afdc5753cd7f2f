import { type LocalActivityOptions, proxyLocalActivities, sleep } from '@temporalio/workflow';
import { readActivityFailure } from '../steps/step-failure.js';

/** First pause before a task looks again for a worker that can serve it, and the longest one. Milliseconds. */
const KEY_WAIT_MS = 10_000;
const LONGEST_KEY_WAIT_MS = 300_000;

/** Reason for waiting, shown in the Temporal UI. */
const KEY_WAIT = 'for a worker that has the key of the seal, and is of the build that planned the task';

/**
 * Waits twice as long each time, so that days of waiting fit into the history of one run. @param before the number of
 * earlier pauses.
 */
export function keyWait(before: number): Promise<void> {
  return sleep(Math.min(KEY_WAIT_MS * 2 ** Math.min(before, 10), LONGEST_KEY_WAIT_MS), { summary: KEY_WAIT });
}

/** Whether another worker may succeed, as in a rolling deployment: such a task waits instead of failing. */
export function isForAnother(code: string): boolean {
  return code === 'seal.unknown_key' || code === 'engine.unsupported';
}

/** Number of pauses, about five minutes, after which nothing waits for an answer that only informs. */
const MAX_PAUSES = 5;

/**
 * Repeats a request to an activity while it reaches workers that cannot serve the task.
 * @param isAdvice whether the task can do without the answer, and so gives up after about five minutes.
 */
export async function untilKeyed<T>(ask: () => Promise<T>, isAdvice = false): Promise<T> {
  for (let pauses = 0; ; pauses += 1) {
    try {
      return await ask();
    } catch (error) {
      const end = readActivityFailure(error);
      if (end.kind !== 'problem' || !isForAnother(end.problem.code)) throw error;
      if (isAdvice && pauses >= MAX_PAUSES) throw error;
    }
    await keyWait(pauses);
  }
}

const SHORT: LocalActivityOptions = {
  scheduleToCloseTimeout: '30s',
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 3, initialInterval: '200ms' },
};

/** A local activity on the workflow's own worker. @param options omitted: for work of a few milliseconds. */
export function localActivity<Request, Answer>(
  name: string,
  options: LocalActivityOptions = SHORT,
): (request: Request) => Promise<Answer> {
  return proxyLocalActivities<Record<string, (request: Request) => Promise<Answer>>>(options)[name] as (
    request: Request,
  ) => Promise<Answer>;
}

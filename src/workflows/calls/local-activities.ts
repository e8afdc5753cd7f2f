import { type LocalActivityOptions, proxyLocalActivities, sleep } from '@temporalio/workflow';
import { readActivityFailure } from '../steps/step-failure.js';

/** Interval at which a task looks for a worker that can serve it. Milliseconds. */
export const KEY_WAIT_MS = 10_000;

/** Reason for waiting, shown in the Temporal UI. */
export const KEY_WAIT = 'for a worker that has the key of the seal, and is of the build that planned the task';

/** Whether another worker may succeed, as in a rolling deployment: such a task waits instead of failing. */
export function isForAnother(code: string): boolean {
  return code === 'seal.unknown_key' || code === 'engine.unsupported';
}

/** Repeats a request to an activity while it reaches workers that cannot serve the task. */
export async function untilKeyed<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const end = readActivityFailure(error);
      if (end.kind !== 'problem' || !isForAnother(end.problem.code)) throw error;
    }
    await sleep(KEY_WAIT_MS, { summary: KEY_WAIT });
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

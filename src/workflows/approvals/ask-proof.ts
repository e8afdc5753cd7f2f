import { CancellationScope, proxyLocalActivities } from '@temporalio/workflow';
import type { ProveAnswer, ProveRequest } from '../../contracts/activities.js';
import { ACTIVITIES } from '../../contracts/names.js';
import { untilKeyed } from '../calls/ask-worker.js';
import type { TaskRun } from '../task/task-run.js';

type Prove = (request: ProveRequest) => Promise<ProveAnswer>;

/** Asks the worker about a proof, or whether it can check any. */
export function askProof(run: TaskRun, request: Omit<ProveRequest, 'seal'>): Promise<ProveAnswer> {
  const activities = proxyLocalActivities<Record<string, Prove>>({
    scheduleToCloseTimeout: '30s',
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 3, initialInterval: '200ms' },
  });
  const prove = activities[ACTIVITIES.prove] as Prove;
  return CancellationScope.nonCancellable(() => untilKeyed(() => prove({ ...run.context, ...request })));
}

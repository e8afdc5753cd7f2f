import { randomUUID } from 'node:crypto';
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import type { AcquireAnswer, AcquireRequest, EndedHoldersRequest, ReleaseRequest } from '../../contracts/activities.js';
import type { SlotRequest } from '../../contracts/concurrency.js';
import { lockIdOf, taskQueueOf, WORKFLOWS } from '../../contracts/names.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { concurrencyKey } from '../../planning/steps/concurrency-key.js';
import { digestOf } from '../../rules/canonical.js';
import type { ActivityDependencies } from '../dependencies.js';
import { activityOf, taskOf, toFailure } from '../failures.js';
import { sealInvalid } from '../seal.js';

type LockDependencies = Pick<ActivityDependencies, 'plans' | 'locks'>;

/**
 * Requests a task's turn from the lock of its key, which answers by signal. Key, limit and behaviour when busy
 * come from the sealed plan. Idempotent. The answers contain a token that only the task and its lock know, so that
 * no other workflow gives them by mistake.
 */
export function createAcquire({ plans, locks }: LockDependencies) {
  return activityOf(
    async ({ seal, input, run, token: known }: AcquireRequest, context): Promise<AcquireAnswer> => {
      const admitted = await plans.admit(seal, context.info);
      const { plan } = admitted;
      const task = taskOf(context);
      const { concurrency, project, environment, placement } = plan;
      if (!concurrency || (task === admitted.seal.task && digestOf(input) !== admitted.seal.input)) {
        throw sealInvalid(`The sealed plan of ${admitted.seal.task} does not ask for this turn`);
      }
      const { limit, on_busy } = concurrency;
      const key = concurrencyKey(concurrency.key, input, plan);
      const lock = lockIdOf(project, environment.name, digestOf(key));
      const taskQueue = taskQueueOf(project, environment.name, placement);
      const token = known ?? randomUUID();
      const again = known === undefined ? {} : { again: true as const };
      const entry: SlotRequest = { task, run, limit, on_busy, ...again, token };
      await locks.enter({ lock, taskQueue, key, entry, summary: `${shortened(key)} in ${environment.name}` });
      return { key, lock, token };
    },
    { toError: toLockFailure },
  );
}

/** Temporal limits a summary to 400 bytes. */
function shortened(key: string): string {
  const characters = [...key];
  return characters.length > 60 ? `${characters.slice(0, 60).join('')}...` : key;
}

/** Marks failures of Temporal as retryable; AbilityErrors are refusals and are not retried. */
function toLockFailure(error: unknown): Error {
  if (error instanceof AbilityError || error instanceof CancelledFailure) return toFailure(error);
  const message = `Temporal did not accept the request of a task for its turn: ${reasonOf(error)}`;
  const problem = { code: 'temporal.unavailable', message };
  return ApplicationFailure.create({ type: problem.code, message: problem.message, details: [problem] });
}

/** Releases the requesting task's turn or place in the queue; never those of another task. */
export function createRelease({ plans, locks }: LockDependencies) {
  return activityOf(
    async ({ seal, lock, run }: ReleaseRequest, context): Promise<void> => {
      await plans.admit(seal, context.info);
      await locks.leave(lock, { task: taskOf(context), run });
    },
    { toError: toLockFailure },
  );
}

/** Finds the holders of a lock, or the task of a grant, that have ended. Changes nothing; only these may request it. */
export function createFindEnded({ locks }: Pick<LockDependencies, 'locks'>) {
  return async ({ holders }: EndedHoldersRequest): Promise<EndedHoldersRequest['holders']> => {
    const { workflowType } = Context.current().info;
    if (workflowType !== WORKFLOWS.lock && workflowType !== WORKFLOWS.grant) {
      throw ApplicationFailure.nonRetryable('Only a lock asks for its holders', 'seal.invalid');
    }
    const isOpen = await Promise.all(holders.map((holder) => locks.isOpen(holder)));
    return holders.filter((_, index) => !isOpen[index]);
  };
}

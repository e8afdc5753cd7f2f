import { Context } from '@temporalio/activity';
import type { ReleaseRequest } from '../../contracts/activities.js';
import { taskOf } from '../task-of.js';
import { type SlotDependencies, toSlotFailure } from './acquire-slot.js';

/** Gives the turn of the task that asks back, or its place in the line; never that of another task. */
export function createRelease({ plans, locks }: SlotDependencies): (request: ReleaseRequest) => Promise<void> {
  return async ({ seal, lock, run }) => {
    try {
      const context = Context.current();
      await plans.admit(seal, context.info);
      await locks.leave(lock, { task: taskOf(context), run });
    } catch (error) {
      throw toSlotFailure(error);
    }
  };
}

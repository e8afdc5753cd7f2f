import { ApplicationFailure, Context } from '@temporalio/activity';
import type { GoneRequest } from '../../contracts/activities.js';
import { WORKFLOWS } from '../../contracts/names.js';
import type { SlotDependencies } from './acquire-slot.js';

/** Tells a lock which of its holders have ended: terminated, deleted, or forgotten. It only looks, and only for locks. */
export function createFindGone({
  locks,
}: Pick<SlotDependencies, 'locks'>): (request: GoneRequest) => Promise<GoneRequest['holders']> {
  return async ({ holders }) => {
    if (Context.current().info.workflowType !== WORKFLOWS.lock) {
      throw ApplicationFailure.nonRetryable('Only a lock asks for its holders', 'seal.invalid');
    }
    const isOpen = await Promise.all(holders.map((holder) => locks.isOpen(holder)));
    return holders.filter((_, index) => !isOpen[index]);
  };
}

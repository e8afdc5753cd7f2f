import { Context } from '@temporalio/activity';
import type { FindUiRequest } from '../contracts/activities.js';
import { toFailure } from './failures.js';
import type { PlanSource } from './plan-source.js';

/** What it takes to say where the Temporal UI is. */
export interface FindUiDependencies {
  plans: PlanSource;
  /** Address of the Temporal UI; null where it is not known. */
  ui: string | null;
}

/** Gives a task the address of the Temporal UI; null where this worker does not know it. Only a sealed task may ask. */
export function createFindUi({ plans, ui }: FindUiDependencies): (request: FindUiRequest) => Promise<string | null> {
  return async ({ seal }) => {
    try {
      await plans.admit(seal, Context.current().info);
      return ui;
    } catch (error) {
      throw toFailure(error);
    }
  };
}

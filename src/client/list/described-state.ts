import type { Connection } from '../connection/connect.js';
import { isUnknownWorkflow } from '../connection/temporal-errors.js';
import { type ListedState, listedState } from './task-query.js';

/** The state of a task as lists show it, without asking its worker; undefined where Temporal does not know it. */
export async function describedState({ temporal }: Connection, key: string): Promise<ListedState | undefined> {
  try {
    const { status, searchAttributes } = await temporal.workflow.getHandle(key).describe();
    return listedState(status.name, String(searchAttributes.AbilityStatus?.[0] ?? ''));
  } catch (error) {
    if (isUnknownWorkflow(error)) return undefined;
    throw error;
  }
}

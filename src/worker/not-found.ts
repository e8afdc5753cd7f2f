import { WorkflowNotFoundError } from '@temporalio/client';

/** Undefined if Temporal knows no such workflow. */
export async function unlessNotFound<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

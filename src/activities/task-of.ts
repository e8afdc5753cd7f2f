import type { Context } from '@temporalio/activity';

/** Workflow id of the task an activity belongs to; of one that another called, `<its id>/<path of the call>`. */
export function taskOf({ info }: Context): string {
  return info.workflowExecution?.workflowId ?? '';
}

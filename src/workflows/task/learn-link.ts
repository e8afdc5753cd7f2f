import { isCancellation, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { FindUiRequest } from '../../contracts/activities.js';
import { ACTIVITIES } from '../../contracts/names.js';
import { taskLink } from '../../rules/task-link.js';
import type { TaskRun } from './task-run.js';

type FindUi = (request: FindUiRequest) => Promise<string | null>;

/**
 * Learns what `steps.<id>.link` gives while an approval is open, before the first step, so that a branch beside the
 * approval can read it at once. For plans with `links` only: it is an event.
 *
 * A worker that cannot tell leaves the link null, with a warning: no task fails for want of a link.
 */
export async function learnLink(run: TaskRun): Promise<void> {
  const ui = await findUi(run);
  const { namespace, workflowId } = workflowInfo();
  if (ui !== null) run.link = taskLink(ui, namespace, workflowId);
  else if (!run.warnings.includes(UNKNOWN)) run.warnings.push(UNKNOWN);
}

const UNKNOWN =
  '`steps.<id>.link` is null also while an approval is open: the worker does not know the address of the Temporal UI; set TEMPORAL_UI_ADDRESS there';

async function findUi({ context }: TaskRun): Promise<string | null> {
  const activities = proxyLocalActivities<Record<string, FindUi>>({
    scheduleToCloseTimeout: '30s',
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 3, initialInterval: '200ms' },
  });
  try {
    return await (activities[ACTIVITIES.findUi] as FindUi)(context);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return null;
  }
}

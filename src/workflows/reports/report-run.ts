import { proxySinks, workflowInfo } from '@temporalio/workflow';
import type { CallContext } from '../../contracts/activities.js';
import type { JsonObject } from '../../contracts/json.js';
import type { BegunTask, RunSinks, ToldTask } from '../../contracts/run-sinks.js';
import type { TaskStart } from '../../contracts/task.js';
import { readTraceparent } from '../../rules/traces/trace-context.js';

const { runs } = proxySinks<RunSinks>();

/** Lets the worker that runs this workflow know its run, so that it need not ask Temporal about it. No event. */
export function reportRun(start?: TaskStart): void {
  runs.begun(start ? taskOf(start) : null);
}

/**
 * Lets the worker write the record of a task that closes in this activation. No event.
 *
 * The worker does so before it reports the activation to the server. If the worker is lost in between, the server
 * repeats the activation, and the record is written again.
 *
 * @param result as JSON.
 */
export function reportEnd(context: CallContext, result: string, input: JsonObject, told: ToldTask): void {
  runs.ended({ ...context, ...told, result, input: JSON.stringify(input) });
}

/** Reports facts for the record of a task, which its local activity writes next, to the worker. No event. */
export function reportTold(told: ToldTask): void {
  runs.told(told);
}

function taskOf({ seal, user, session, child, plan }: TaskStart): BegunTask {
  const trace = readTraceparent(workflowInfo().memo?.trace);
  return {
    seal,
    user,
    session,
    plan: JSON.stringify(plan),
    ...(child && { child: child.ability }),
    ...(trace !== undefined && { trace }),
  };
}

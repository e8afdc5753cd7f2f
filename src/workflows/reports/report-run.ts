import { proxySinks, workflowInfo } from '@temporalio/workflow';
import type { CallContext } from '../../contracts/activities.js';
import type { JsonObject } from '../../contracts/json.js';
import type { BegunTask, RunSinks, TaskReport } from '../../contracts/run-sinks.js';
import type { TaskStart } from '../../contracts/task.js';
import { readTraceparent } from '../../rules/traces/trace-context.js';

const { runs } = proxySinks<RunSinks>();

/** Tells the worker about this run, so that it need not query Temporal. Adds no event. */
export function reportRun(start?: TaskStart): void {
  runs.begun(start ? taskOf(start) : null);
}

/**
 * Lets the worker write the record of a closing task, without an event, before it completes the workflow task. If
 * the worker is lost in between, the server schedules that workflow task again, which writes the record again.
 * @param result as JSON.
 */
export function reportEnd(context: CallContext, result: string, input: JsonObject, report: TaskReport): void {
  runs.ended({ ...context, ...report, result, input: JSON.stringify(input) });
}

/** Gives the worker the facts for the record, which a local activity writes next. Adds no event. */
export function sendReport(report: TaskReport): void {
  runs.told(report);
}

function taskOf({ seal, user, session, child, options }: TaskStart): BegunTask {
  const trace = readTraceparent(workflowInfo().memo?.trace ?? options.trace);
  return {
    seal,
    user,
    session,
    ...(child && { child: child.ability }),
    ...(trace !== undefined && { trace }),
  };
}

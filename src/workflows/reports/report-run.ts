import { ApplicationFailure, CancelledFailure, proxySinks, workflowInfo } from '@temporalio/workflow';
import type { CallContext } from '../../contracts/activities.js';
import type { JsonObject } from '../../contracts/json.js';
import type { BegunTask, RunSinks, TaskReport } from '../../contracts/run-sinks.js';
import type { StoredResult } from '../../contracts/stored-result.js';
import type { Refusal, StepProgress, TaskArguments, TaskStart } from '../../contracts/task.js';
import { readTraceparent } from '../../rules/traces/trace-context.js';
import { defined } from '../../text/defined.js';
import { auditEnd } from './report-audit.js';

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

/** Has the worker log the end of a call. Adds no event. */
export function logCall(
  path: string,
  { call = '', status: state, error, started_at, finished_at }: StepProgress,
): void {
  const duration_ms = Date.parse(finished_at ?? '') - Date.parse(started_at ?? '');
  runs.logged({ ability: call, step: path, state, ...(error && { code: error.code }), duration_ms });
}

/** Has the worker log the end of a task, and audit it. @param end its result, or what it throws. @param start undefined if it was not formed. */
export function logTask(end: unknown, args: TaskArguments, start?: TaskStart): void {
  const isFailure = end instanceof ApplicationFailure || end instanceof CancelledFailure;
  // It goes on as a new run, or the workflow task fails and is repeated.
  if (end instanceof Error && !isFailure) return;
  const said = ((isFailure ? end.details?.[0] : end) ?? {}) as Partial<StoredResult & Refusal>;
  const { status: state = end instanceof CancelledFailure ? 'cancelled' : 'failed' } = said;
  const code = said.error?.code ?? said.code ?? (end instanceof ApplicationFailure ? end.type : undefined);
  const { workflowType: ability, startTime } = workflowInfo();
  const createdAt = args[2]?.created_at;
  const duration_ms = Date.now() - (createdAt === undefined ? startTime.getTime() : Date.parse(createdAt));
  runs.logged({ ability, state, ...(code && { code }), duration_ms });
  auditEnd(state, code ?? undefined, args, start);
}

function taskOf({ seal, user, session, child, options }: TaskStart): BegunTask {
  const trace = readTraceparent(workflowInfo().memo?.trace ?? options.trace);
  return {
    seal,
    user,
    session,
    ...defined({ child: child?.ability, trace }),
  };
}

import type { JsonObject } from '../../contracts/json.js';
import type { TaskRecord } from '../../contracts/record.js';
import type { EndedTask, TaskReport } from '../../contracts/run-sinks.js';
import type { TaskResult } from '../../contracts/task.js';
import { toolsUsed } from '../../rules/calls/tools-used.js';
import type { Admitted, RequestedBy } from '../admission.js';
import type { ActivityDependencies } from '../dependencies.js';
import type { RunRef } from '../task/runs.js';
import { newRecord } from './new-record.js';
import { recordCalls, recordSteps } from './record-calls.js';

export interface Ended {
  /** Workflow id. */
  task: string;
  /** Of its first run; absent: only the record made at creation names it. */
  run_id?: string | undefined;
  admitted: Admitted;
  result: TaskResult;
  /** SHA-256 of its input. */
  inputDigest: string;
  /** Called only if the record made at creation is missing or of an earlier input. */
  input: () => JsonObject;
  /** Report of the workflow; undefined if no worker answers queries: the record keeps earlier facts. */
  report: TaskReport | undefined;
}

type RecordPlace = Pick<ActivityDependencies, 'records' | 'host' | 'secrets'>;

/**
 * Completes a task's record. A later end already recorded is kept: a slow worker must not overwrite the worker
 * that took over. @param signal aborts all remaining writes. @throws AbilityError `record.write_failed`.
 */
export async function completeRecord(ended: Ended, place: RecordPlace, signal?: AbortSignal): Promise<void> {
  const { task, admitted, result } = ended;
  const { records } = place;
  const known = records.read(task);
  const isSame = known?.request.input === ended.inputDigest;
  if (isSame && endsLater(known?.result, result)) return;
  const used = toolsUsed(admitted.plan, result, admitted.plan.workflows ? records.toolsOfCalled(task) : []);
  const record = known && isSame ? known : recordOf(known, ended, place);
  // From the history, so that a rewritten record is the same.
  const created_at = ended.report?.created_at ?? record.created_at;
  const calls = recordCalls(ended.report?.calls, admitted.plan, place.secrets);
  const steps = recordSteps(ended.report?.steps, admitted.plan, place.secrets);
  await records.finish({ ...record, created_at, result, used, ...calls, ...steps }, signal);
}

/** Whether a recorded end is later. ISO 8601 moments in UTC with milliseconds compare as texts. */
export function endsLater(known: TaskResult | null | undefined, other: TaskResult | null): boolean {
  return (known?.finished_at ?? '') > (other?.finished_at ?? '');
}

/** A new record, if the one from creation is missing, on another machine, or of an earlier input. */
function recordOf(known: TaskRecord | undefined, ended: Ended, { host }: RecordPlace): TaskRecord {
  const { task, admitted, result, input, report } = ended;
  const created_at = report?.created_at ?? known?.created_at ?? result.started_at ?? new Date().toISOString();
  const { changes, changes_left } = result;
  return newRecord({
    ...admitted,
    input: input(),
    task,
    run_id: known?.run_id ?? ended.run_id,
    host,
    created_at,
    changes,
    changes_left,
  });
}

export type RecordBesideDependencies = RecordPlace & Pick<ActivityDependencies, 'plans'>;

export type RunOnQueue = RequestedBy & { workflowExecution: RunRef };

/**
 * Writes the record of a closing task as the activity would, if its seal admits it. @param signal aborts remaining
 * writes. @throws AbilityError `seal.invalid`, `seal.unknown_key`, `engine.unsupported`, `record.write_failed`.
 */
export async function recordBeside(
  run: RunOnQueue,
  { seal, result: text, input, ...report }: EndedTask,
  { plans, ...place }: RecordBesideDependencies,
  signal?: AbortSignal,
): Promise<void> {
  const task = run.workflowExecution.workflowId;
  const folder = place.records.pathOf(task);
  if (folder === undefined) return;
  const admitted = await plans.admit(seal, run);
  const summary = JSON.parse(text) as TaskResult;
  const result = { ...summary, links: { ...summary.links, record: folder } };
  const read = (): JsonObject => JSON.parse(input) as JsonObject;
  await completeRecord(
    { task, admitted, result, inputDigest: admitted.seal.input, input: read, report },
    place,
    signal,
  );
}

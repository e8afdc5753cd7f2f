import type { JsonObject } from '../../contracts/json.js';
import type { EndedTask } from '../../contracts/run-sinks.js';
import type { TaskResult } from '../../contracts/task.js';
import type { AskedBy, PlanSource } from '../plan-source.js';
import type { RunRef } from '../runs.js';
import { type RecordPlace, recordEnd } from './record-end.js';

/** What a record needs that is written beside the history of its task. */
export interface RecordBesideDependencies extends RecordPlace {
  plans: PlanSource;
}

/** A run, and the queue of the worker that runs it. */
export type RunOnQueue = AskedBy & { workflowExecution: RunRef };

/**
 * Writes the record of a task that is about to close, as the activity would: admitted under its seal, or not at all.
 *
 * @param signal once it is aborted, what was not written yet is not written.
 * @throws AbilityError `seal.invalid`, `seal.unknown_key`, `engine.unsupported`, `record.write_failed`.
 */
export async function recordBeside(
  run: RunOnQueue,
  { seal, result: text, input, ...told }: EndedTask,
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
  await recordEnd({ task, admitted, result, inputDigest: admitted.seal.input, input: read, told }, place, signal);
}

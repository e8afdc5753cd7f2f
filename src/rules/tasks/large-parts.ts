import type { Json } from '../../contracts/json.js';
import type { OutputRef, TaskResult } from '../../contracts/task.js';

/**
 * A result with its potentially large parts replaced: its output, and the data shown by its error and its approvals.
 *
 * The rest is small, so reading how a task ended needs no store.
 */
export function mapLargeParts(result: TaskResult, map: (part: Json) => Json): TaskResult {
  const { output, error, approvals } = result;
  const details = error?.details as Json | undefined;
  return {
    ...result,
    output: map(output),
    error: error && details !== undefined ? { ...error, details: map(details) } : error,
    approvals: approvals.map((approval) => ({
      ...approval,
      what: { ...approval.what, input: map(approval.what.input) },
    })),
  };
}

/** Whether a part was replaced by its place in the store. */
export function isOutputRef(part: unknown): part is OutputRef & Json {
  if (part === null || typeof part !== 'object') return false;
  const keys = Object.keys(part).sort().join();
  return keys === '$ref,bytes' && /^[0-9a-f]{64}$/.test(String((part as OutputRef).$ref));
}

import type { Json } from '../../contracts/json.js';
import type { OutputRef, TaskResult } from '../../contracts/task.js';

/** Maps output, error details and approval inputs; the rest is small, so that it needs no store. */
export function mapLargeParts(result: TaskResult, map: (part: Json) => Json): TaskResult {
  const { output, error, approvals } = result;
  const details = error?.details as Json | undefined;
  return {
    ...result,
    output: map(output),
    error: error && details !== undefined ? { ...error, details: map(details) } : error,
    approvals: approvals.map(({ what, ...approval }) => {
      const undo = what.undo && { undo: { ...what.undo, input: map(what.undo.input) } };
      return { ...approval, what: { ...what, input: map(what.input), ...undo } };
    }),
  };
}

export function isOutputRef(part: unknown): part is OutputRef & Json {
  if (part === null || typeof part !== 'object') return false;
  const keys = Object.keys(part).sort().join();
  return keys === '$ref,bytes' && /^[0-9a-f]{64}$/.test(String((part as OutputRef).$ref));
}

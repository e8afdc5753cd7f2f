import type { PlanPreview } from '../../contracts/preview.js';

/** A preview with the code, reason and suggestion of its first problem, as in the answer to a creation. */
export function planAnswer({ format, status, ...rest }: PlanPreview) {
  const [problem] = rest.problems;
  return {
    format,
    status,
    code: problem?.code ?? null,
    reason: problem?.message ?? null,
    suggestion: problem?.suggestion ?? null,
    ...rest,
  };
}

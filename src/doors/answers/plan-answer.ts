import type { PlanPreview } from '../../contracts/preview.js';

/** A preview with the first of its problems where the answer to a creation has it. */
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

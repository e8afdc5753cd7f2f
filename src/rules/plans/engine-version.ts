import { CEL, ENGINE } from '../../contracts/names.js';
import type { Plan } from '../../contracts/plan.js';

/** Versions of the build that made a plan; a task started by hand may have any values. */
export type PlannedFor = Partial<Pick<Plan, 'engine' | 'cel'>>;

/** Undefined if this build can run the plan. Source: docs/architecture.md#what-must-stay-deterministic. */
export function whyNotThisBuild(planned: PlannedFor | undefined): string | undefined {
  if (planned?.engine !== ENGINE) {
    return `The task was planned for engine ${planned?.engine ?? 'none'}, this build has engine ${ENGINE}`;
  }
  if (planned.cel === CEL) return undefined;
  return `The expressions of the task were planned for CEL ${planned.cel ?? 'none'}, this build has CEL ${CEL}`;
}

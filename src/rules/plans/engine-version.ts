import { CEL, CEL_READ, ENGINE, ENGINES_READ, FIRST_CEL } from '../../contracts/names.js';
import type { Plan } from '../../contracts/plan.js';

/** Versions of the build that made a plan; a task started by hand may have any values. */
export type PlannedFor = Partial<Pick<Plan, 'engine' | 'cel'>>;

/** See {@link ENGINES_READ} for the changes; earlier plans keep the old behaviour. */
export function isSinceEngine2({ engine }: Pick<Plan, 'engine'>): boolean {
  return engine >= 2;
}

/** Undefined if this build can run the plan. Source: docs/architecture.md#what-must-stay-deterministic. */
export function whyNotThisBuild(planned: PlannedFor | undefined): string | undefined {
  const engine = planned?.engine;
  if (engine === undefined || !ENGINES_READ.includes(engine))
    return `The task was planned for engine ${engine ?? 'none'}, this build has engine ${ENGINE}`;
  const cel = planned?.cel ?? FIRST_CEL;
  if (CEL_READ.includes(cel)) return undefined;
  return `The expressions of the task were planned for CEL ${cel}, this build has CEL ${CEL}`;
}

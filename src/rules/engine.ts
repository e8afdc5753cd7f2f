import { CEL, CEL_READ, ENGINE, ENGINES_READ, FIRST_CEL } from '../contracts/names.js';
import type { Plan } from '../contracts/plan.js';

/** What a plan says of the build that made it; anything may stand in what somebody started by hand. */
export type PlannedFor = Partial<Pick<Plan, 'engine' | 'cel'>>;

/** The first engine in which a step in a loop reads its own last turn. */
const FIRST_WITH_LAST_TURNS = 2;

/** Whether a plan was made for an engine in which a step in a loop reads its own last turn. */
export function seesLastTurns({ engine }: Pick<Plan, 'engine'>): boolean {
  return engine >= FIRST_WITH_LAST_TURNS;
}

/** The first engine in which a run that goes on as a new one waits for its calls first, and takes along what failed. */
const FIRST_TO_CARRY_FAILURES = 2;

/** Whether a plan was made for an engine in which a run winds up as a whole, and the next one knows what failed. */
export function carriesFailures({ engine }: Pick<Plan, 'engine'>): boolean {
  return engine >= FIRST_TO_CARRY_FAILURES;
}

/**
 * Why this build cannot run a plan as it was made: for another interpreter, or another CEL.
 *
 * @returns a sentence, or undefined where it can. Source: design, section 6, "interpreter changes".
 */
export function whyNotThisBuild(planned: PlannedFor | undefined): string | undefined {
  const engine = planned?.engine;
  if (engine === undefined || !ENGINES_READ.includes(engine))
    return `The task was planned for engine ${engine ?? 'none'}, this build has engine ${ENGINE}`;
  const cel = planned?.cel ?? FIRST_CEL;
  if (CEL_READ.includes(cel)) return undefined;
  return `The expressions of the task were planned for CEL ${cel}, this build has CEL ${CEL}`;
}

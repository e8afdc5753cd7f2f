import { ACTIVITIES } from '../contracts/names.js';
import { type CallDependencies, createCall } from './call.js';
import { createEnter } from './enter.js';
import { createFinish, type FinishDependencies } from './finish.js';
import { createHookPhase } from './hook-phase.js';
import { createPreflight, type PreflightDependencies } from './preflight.js';
import { createAcquire, type SlotDependencies } from './slots/acquire-slot.js';
import { createFindGone } from './slots/find-gone.js';
import { createRelease } from './slots/release-slot.js';

/** Everything the activities of one worker need. */
export type ActivityDependencies = CallDependencies & PreflightDependencies & FinishDependencies & SlotDependencies;

/** The activities of a worker, by type. Every operation key leads to `default`. Source: design, section 6. */
export function createActivities(dependencies: ActivityDependencies) {
  const hookPhase = createHookPhase(dependencies);
  return {
    [ACTIVITIES.preflight]: createPreflight(dependencies),
    [ACTIVITIES.enter]: createEnter(dependencies),
    [ACTIVITIES.finish]: createFinish(dependencies),
    [ACTIVITIES.acquire]: createAcquire(dependencies),
    [ACTIVITIES.release]: createRelease(dependencies),
    [ACTIVITIES.gone]: createFindGone(dependencies),
    PreAbilityCall: hookPhase,
    PostAbilityCall: hookPhase,
    default: createCall(dependencies),
  };
}

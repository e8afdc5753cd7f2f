import { ACTIVITIES } from '../contracts/names.js';
import { type CallDependencies, createCall } from './call.js';
import { createEnter } from './enter.js';
import { createFinish, type FinishDependencies } from './finish.js';
import { createHookPhase } from './hook-phase.js';
import { createModify, createRecordChange } from './modify.js';
import { createPreflight, type PreflightDependencies } from './preflight.js';

/** Everything the activities of one worker need. */
export type ActivityDependencies = CallDependencies & PreflightDependencies & FinishDependencies;

/** The activities of a worker, by type. Every operation key leads to `default`. Source: design, section 6. */
export function createActivities(dependencies: ActivityDependencies) {
  const hookPhase = createHookPhase(dependencies);
  return {
    [ACTIVITIES.preflight]: createPreflight(dependencies),
    [ACTIVITIES.enter]: createEnter(dependencies),
    [ACTIVITIES.modify]: createModify(dependencies),
    [ACTIVITIES.recordChange]: createRecordChange(dependencies),
    [ACTIVITIES.finish]: createFinish(dependencies),
    PreAbilityCall: hookPhase,
    PostAbilityCall: hookPhase,
    default: createCall(dependencies),
  };
}

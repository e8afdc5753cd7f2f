import { ACTIVITIES } from '../contracts/names.js';
import { createCall } from './call/call.js';
import { createAcquire, createFindEnded, createRelease } from './concurrency/lock-activities.js';
import { createDecide } from './decide.js';
import type { ActivityDependencies } from './dependencies.js';
import { createFindGrant, createSealGrant, createUseGrant } from './grants/grants.js';
import { createHookPhase } from './hooks/hook-phase.js';
import { createSendNotice } from './notices/send-notice.js';
import { createModify, createRecordChange } from './preflight/check-changed-input.js';
import { createCheckInput } from './preflight/check-input.js';
import { createEnter, createPreflight } from './preflight/preflight.js';
import { createEndCall, createRaiseLimit } from './session/session-calls.js';
import { createAskPrompt, createAskStart, createEndSession } from './session/session-events.js';
import { createCheckWord } from './session/session-word.js';
import { createEndTask, createErase, createPurge } from './task/delete.js';
import { createFinish } from './task/finish.js';
import { createCheckFiring, createFindLink, createHold, createProve } from './task/task-questions.js';

/** Activities by type; operation keys use `default`. */
export function createActivities(dependencies: ActivityDependencies) {
  const hookPhase = createHookPhase(dependencies);
  const preflight = createPreflight(dependencies);
  const [start, prompt] = [createAskStart(dependencies), createAskPrompt(dependencies)];
  return {
    [ACTIVITIES.preflight]: preflight.local,
    PreAbilityCreate: preflight.dedicated,
    [ACTIVITIES.enter]: createEnter(dependencies),
    [ACTIVITIES.modify]: createModify(dependencies),
    [ACTIVITIES.checkInput]: createCheckInput(dependencies),
    [ACTIVITIES.recordChange]: createRecordChange(dependencies),
    [ACTIVITIES.finish]: createFinish(dependencies),
    [ACTIVITIES.acquire]: createAcquire(dependencies),
    [ACTIVITIES.release]: createRelease(dependencies),
    [ACTIVITIES.findEnded]: createFindEnded(dependencies),
    [ACTIVITIES.endTask]: createEndTask(dependencies),
    [ACTIVITIES.erase]: createErase(dependencies),
    [ACTIVITIES.purge]: createPurge(dependencies),
    [ACTIVITIES.findLink]: createFindLink(dependencies),
    [ACTIVITIES.checkFiring]: createCheckFiring(dependencies),
    [ACTIVITIES.askStart]: start.ask,
    [ACTIVITIES.askStartLocal]: start.askLocal,
    [ACTIVITIES.askPrompt]: prompt.ask,
    [ACTIVITIES.askPromptLocal]: prompt.askLocal,
    [ACTIVITIES.endSession]: createEndSession(dependencies),
    [ACTIVITIES.checkWord]: createCheckWord(dependencies),
    [ACTIVITIES.endCall]: createEndCall(dependencies),
    [ACTIVITIES.raiseLimit]: createRaiseLimit(dependencies),
    [ACTIVITIES.notify]: createSendNotice(dependencies),
    [ACTIVITIES.prove]: createProve(dependencies),
    [ACTIVITIES.decide]: createDecide(dependencies),
    [ACTIVITIES.hold]: createHold(dependencies),
    [ACTIVITIES.sealGrant]: createSealGrant(dependencies),
    [ACTIVITIES.findGrant]: createFindGrant(dependencies),
    [ACTIVITIES.useGrant]: createUseGrant(dependencies),
    PreAbilityCall: hookPhase,
    PostAbilityCall: hookPhase,
    default: createCall(dependencies),
  };
}

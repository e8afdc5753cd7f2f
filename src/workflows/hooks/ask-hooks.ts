import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { HookRequest } from '../../contracts/activities.js';
import type { HookAnswer, Phase, SessionLimit } from '../../contracts/hooks.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { ACTIVITY_LIMITS } from '../../contracts/names.js';
import type { PlanHook, PlanOperation } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import type { Confirmation } from '../../contracts/seal.js';
import { firstDeny } from '../../rules/hooks/fold-answers.js';
import {
  answerByFacts,
  denialOf,
  failedAnswer,
  firesFor,
  handlerKindOf,
  hookFacts,
  needsActivity,
} from '../../rules/hooks/handlers.js';
import { handlerReadsSession } from '../../rules/sessions/session-reads.js';
import { callerOf } from '../../rules/tasks/persons.js';
import { untilKeyed } from '../calls/local-activities.js';
import { reportHooks } from '../reports/report-spans.js';
import { asStepFailure, readActivityFailure, StepFailure } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';

/** Why people are asked, and which fields of the input they may change then. */
export interface Reason {
  text: string;
  edit?: readonly string[] | undefined;
}

/** A call, or the task itself (`operation` undefined, `path` empty), with hooks around it. */
export interface Hooked {
  path: string;
  operation: PlanOperation | undefined;
  input: JsonObject;
  /** Id of the call in its session; omitted if it is not entered there. */
  callId?: string;
}

export interface HookedOutcome {
  status: string;
  output: Json;
  error: Problem | null;
}

const PHASE_LIMIT = '6 minutes';
/** Limits work that a fast loop does not wait for. */
const MAX_PENDING = 20;

/**
 * Runs the guards before a call: expressions alone here, without an event; with a script, all in one activity;
 * built-in ones in the attempt itself. With `policy.hooks: activities` all in one activity, whatever they are. @returns the reasons for which people must confirm. @throws StepFailure `guard.denied`,
 * `hook.failed`.
 */
export function askGuards(run: TaskRun, hooked: Hooked): Reason[] | Promise<Reason[]> {
  const hooks = hooksOf(run, hooked, 'pre_call');
  const { plan, start } = run.task;
  // Guards that read the task's session are evaluated there. Without a session they report that it is missing.
  const isInSession = plan.session_calls === true && start.session !== null;
  const readsSessionFirst =
    hooked.callId !== undefined || (isInSession && hooks.some(({ handler }) => handlerReadsSession(handler)));
  if (hooks.length === 0 && !readsSessionFirst) return [];
  if (!isShown(run) && !hooks.some(needsActivity) && !readsSessionFirst) {
    return confirmationsOf(run, answerHere(run, hooks, 'PreAbilityCall', hooked), hooks);
  }
  return askActivity(run, hooked, 'PreAbilityCall', hooks).then((answers) =>
    confirmationsOf(run, [...answers, ...missingOf(answers, hooks, hooked.path)], hooks),
  );
}

/** A guard that did not run counts as failed, unless an earlier one refused. */
function missingOf(answers: readonly HookAnswer[], hooks: readonly PlanHook[], path: string): HookAnswer[] {
  if (firstDeny(answers)) return [];
  const missing = hooks.filter(({ id }) => !answers.some(({ hook_id }) => hook_id === id));
  return missing.map(({ id }) => failedAnswer(id, { phase: 'PreAbilityCall', path }, 'it did not run'));
}

/** A guard over the session denies at a limit that people may raise. */
export class AtLimit extends StepFailure {
  constructor(
    readonly answer: HookAnswer,
    readonly limit: SessionLimit,
  ) {
    super(denialOf(answer).toProblem());
  }
}

/** Keeps guards' answers. @returns the reasons for confirmations. @throws StepFailure if one denies; {@link AtLimit}. */
function confirmationsOf(run: TaskRun, answers: readonly HookAnswer[], hooks: readonly PlanHook[]): Reason[] {
  run.hooks.keep(answers.map((answer) => (answer.limit ? { ...answer, decision: 'need_user_confirm' } : answer)));
  const deny = firstDeny(answers);
  if (deny?.limit) throw new AtLimit(deny, deny.limit);
  if (deny) throw asStepFailure(denialOf(deny));
  return answers
    .filter(({ decision }) => decision === 'need_user_confirm')
    .map(({ hook_id, reason }) => confirmation({ hook_id, reason: reason ?? 'A hook asks for confirmation.' }, hooks));
}

/** The reason that people are shown for a hook's confirmation. */
export function confirmation({ hook_id, reason }: Confirmation, hooks: readonly PlanHook[]): Reason {
  return { text: `${reason} (hook ${hook_id})`, edit: hooks.find(({ id }) => id === hook_id)?.edit };
}

/**
 * Never changes a result. Scripts are awaited only at the end of the task, by `HookAnswers.join`. Source:
 * R-000-60, R-002-27; docs/architecture.md#the-way-of-a-task.
 */
export function fireAfter(run: TaskRun, hooked: Hooked, outcome: HookedOutcome): Promise<void> | undefined {
  const hooks = hooksOf(run, hooked, 'post_call');
  if (hooks.length === 0) return undefined;
  if (hooks.some(needsActivity)) return fireScripts();
  run.hooks.keep(answerHere(run, hooks, 'PostAbilityCall', hooked, outcome));
  return undefined;

  /** Waits only while too many are outstanding. */
  async function fireScripts(): Promise<void> {
    run.life.pendingWork += 1;
    try {
      while (run.hooks.pending.size >= MAX_PENDING) await Promise.race(run.hooks.pending);
    } finally {
      run.life.pendingWork -= 1;
    }
    const pending: Promise<void> = CancellationScope.nonCancellable(async () => {
      run.hooks.keep(await askActivity(run, hooked, 'PostAbilityCall', hooks, outcome));
    }).finally(() => run.hooks.pending.delete(pending));
    run.hooks.pending.add(pending);
  }
}

/** Whether the history shows each guard phase as an activity. */
function isShown({ task }: TaskRun): boolean {
  return task.plan.hooks === 'activities';
}

/** Built-in hooks run in the attempt of their call, if guards are not shown; the task itself has none. */
function hooksOf(run: TaskRun, { operation }: Hooked, list: 'pre_call' | 'post_call'): PlanHook[] {
  const caller = callerOf(run.task.start);
  const hooks = (operation ?? run.task.plan.ability).hooks[list].filter((hook) => firesFor(hook, caller));
  if (!operation || (list === 'pre_call' && isShown(run))) return hooks;
  return hooks.filter(({ handler }) => !handlerKindOf(handler).isInAttempt);
}

function answerHere(
  run: TaskRun,
  hooks: readonly PlanHook[],
  phase: Phase,
  { path, operation, input }: Hooked,
  outcome?: HookedOutcome,
): HookAnswer[] {
  const { plan, id: task, start } = run.task;
  const { user, session } = start;
  const facts = hookFacts({ plan, operation, input, task, user, session, ...(outcome && { outcome }) });
  const answers: HookAnswer[] = [];
  for (const hook of hooks) {
    const answer = answerByFacts(hook, { phase, path }, facts, run.task.now());
    answers.push(answer);
    if (answer.decision === 'deny') break;
  }
  reportHooks(run.task, answers);
  return answers;
}

/** If the activity fails, its guards count as failed. */
async function askActivity(
  run: TaskRun,
  { path, operation, input, callId }: Hooked,
  phase: Phase,
  hooks: readonly PlanHook[],
  outcome?: HookedOutcome,
): Promise<HookAnswer[]> {
  const request: HookRequest = {
    ...run.task.context,
    phase,
    path,
    operation: operation?.key ?? null,
    input,
    ...(!hooks.every(needsActivity) && { moment: run.task.now() }),
    ...(callId !== undefined && phase === 'PreAbilityCall' && { call_id: callId }),
    ...(outcome && { outcome }),
  };
  const activities = proxyActivities<Record<string, (request: HookRequest) => Promise<HookAnswer[]>>>({
    startToCloseTimeout: PHASE_LIMIT,
    scheduleToStartTimeout: ACTIVITY_LIMITS.schedule_to_start,
    heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
    retry: { maximumAttempts: 3 },
    summary: `${path || 'task'}: ${hooks.map(({ id }) => id).join(', ') || 'entered in its session'}`,
  });
  // Only the end of the task waits for hooks after calls.
  const isAwaited = phase === 'PreAbilityCall';
  if (isAwaited) run.life.pendingWork += 1;
  try {
    const ask = activities[phase] as (request: HookRequest) => Promise<HookAnswer[]>;
    return await untilKeyed(() => ask(request));
  } catch (error) {
    if (isCancellation(error)) throw error;
    const end = readActivityFailure(error);
    // Not a denial by a guard: this task never passed preflight.
    if (phase === 'PreAbilityCall' && end.kind === 'problem' && end.problem.code === 'seal.invalid') {
      throw new StepFailure(end.problem);
    }
    const reason = end.kind === 'problem' ? end.problem.message : `it did not answer (${end.kind})`;
    if (hooks.length === 0) {
      // A call missing in its session would escape all limits on the session.
      const limited = 'could not be recorded in its session, which guards of the project limit';
      throw new StepFailure({ code: 'hook.failed', message: `The call ${path} ${limited}: ${reason}` });
    }
    return hooks.slice(0, 1).map(({ id }) => failedAnswer(id, { phase, path }, reason));
  } finally {
    if (isAwaited) run.life.pendingWork -= 1;
  }
}

import { CancellationScope, condition, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { AcquireAnswer, AcquireRequest, ReleaseRequest } from '../../contracts/activities.js';
import type { SlotAnswer } from '../../contracts/concurrency.js';
import { ACTIVITIES } from '../../contracts/names.js';
import { setState } from '../approvals/await-approval.js';
import { untilKeyed } from '../calls/ask-worker.js';
import { Halted, readActivityFailure, StepFailure } from '../steps/step-failure.js';
import { refuseCancelled } from '../task/gate.js';
import type { TaskRun } from '../task/task-run.js';

type Acquire = (request: AcquireRequest) => Promise<AcquireAnswer>;
type Release = (request: ReleaseRequest) => Promise<void>;

/** A lock that answers at all does so within this, and lists need not tell that it was asked. */
const BREATH_MS = 2000;
/** A task whose lock does not answer asks again after so long, and then less often. */
const FIRST_ASK_AGAIN_MS = 30_000;
/** A task that has waited so long asks again, should somebody have ended the lock by force. */
const ASK_AGAIN_MS = 600_000;
/** Of what comes without the token of the task, or before it knows that, so much is kept: more is sent by hand. */
const MOST_EARLY = 100;

/**
 * Waits until a task that shares a key with others may begin; the others do not pay for this.
 *
 * The wait is no working time. Source: docs/definitions.md.
 *
 * @throws StepFailure `concurrency.busy`, `concurrency.replaced`, `expression.*`; Halted when this run winds up; cancellation.
 */
export async function takeTurn(run: TaskRun): Promise<void> {
  if (!run.plan.concurrency || run.turn?.granted_at) return;
  // An earlier run of the task has told Temporal already.
  if (run.turn?.held_by.length || run.slot?.shown) run.state = 'waiting';
  for (let asks = 0; ; asks += 1) {
    await ask(run);
    await untilAnswered(run, asks);
    if (run.turn?.refused) throw busy(run);
    if (run.turn?.granted_at) break;
    if (!workflowInfo().continueAsNewSuggested) continue;
    run.rollingOver = true;
    throw new Halted();
  }
  if (run.state === 'waiting') setState(run, 'running');
}

/** Gives a turn back, or a place in the line; never throws, since the lock finds out by itself in the end. */
export async function giveUpTurn(run: TaskRun): Promise<void> {
  if (!run.turn || run.turn.refused) return;
  const { lock } = run.turn;
  const { firstExecutionRunId } = workflowInfo();
  const activities = proxyLocalActivities<Record<string, Release>>(OPTIONS);
  const release = activities[ACTIVITIES.release] as Release;
  await CancellationScope.nonCancellable(() => release({ ...run.context, lock, run: firstExecutionRunId })).catch(
    () => {},
  );
}

/** What a signal says, which may have been sent by hand, and then may be anything. */
export function asSlotAnswer(value: unknown): SlotAnswer | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const { answer, held_by, by, replaced_by, token } = value as Record<string, unknown>;
  const names = Array.isArray(held_by) ? held_by.filter((name) => typeof name === 'string') : [];
  const mark = typeof token === 'string' ? { token } : {};
  if (answer === 'granted') return { answer, ...mark };
  if (answer === 'waiting') return { answer, held_by: names, ...mark };
  if (answer === 'busy')
    return { answer, held_by: names, ...(typeof replaced_by === 'string' && { replaced_by }), ...mark };
  return answer === 'superseded' && typeof by === 'string' ? { answer, by, ...mark } : undefined;
}

/** Takes what the lock says, or what somebody sent as if he were the lock: then it lacks the token of the request. */
export function hearLock(run: TaskRun, said: SlotAnswer | undefined): void {
  const { turn, slot } = run;
  if (!turn || slot?.token !== said?.token) {
    if (run.early.length === MOST_EARLY) run.early.shift();
    run.early.push(said);
    return;
  }
  if (said?.answer === 'superseded') {
    run.warnings.push(`It was cancelled for ${said.by}, a later task with the same concurrency key.`);
  }
  if (turn.granted_at || turn.refused) return;
  switch (said?.answer) {
    case 'granted':
      turn.granted_at = new Date().toISOString();
      break;
    case 'busy':
      turn.refused = true;
      turn.held_by = said.held_by;
      if (said.replaced_by !== undefined) turn.replaced_by = said.replaced_by;
      break;
    case 'waiting':
      turn.held_by = said.held_by;
      if (run.state !== 'waiting') setState(run, 'waiting');
      break;
  }
}

const OPTIONS = {
  scheduleToCloseTimeout: '60s',
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 10, initialInterval: '200ms', maximumInterval: '10s' },
} as const;

async function ask(run: TaskRun): Promise<void> {
  refuseCancelled();
  const activities = proxyLocalActivities<Record<string, Acquire>>(OPTIONS);
  const acquire = activities[ACTIVITIES.acquire] as Acquire;
  const { slot } = run;
  const { firstExecutionRunId } = workflowInfo();
  const request = { ...run.context, input: run.input, run: firstExecutionRunId, ...(slot && { token: slot.token }) };
  try {
    // Broken off, it might be in the line without knowing of it.
    const { token, ...turn } = await untilKeyed(() => CancellationScope.nonCancellable(() => acquire(request)));
    const isOther = token !== run.slot?.token;
    if (run.turn && !isOther) return;
    // The lock goes by the last request, also by one of a worker of an earlier build.
    if (isOther) run.slot = token === undefined ? undefined : { token };
    run.turn ??= { ...turn, held_by: [], asked_at: new Date().toISOString(), granted_at: null };
    // Earlier builds, which had no tokens, heard only what came last.
    for (const said of run.slot ? run.early.splice(0) : run.early.slice(-1)) hearLock(run, said);
  } catch (error) {
    const end = readActivityFailure(error);
    if (end.kind === 'problem') throw new StepFailure(end.problem);
    if (end.kind === 'other') throw error;
    const message = `The turn of ${run.task} could not be asked for in time (${end.type})`;
    throw new StepFailure({ code: 'worker.unavailable', message, suggestion: 'Run it again.' });
  }
}

/** Until the lock has decided, or it is time to ask again: soon, if it says nothing at all. */
async function untilAnswered(run: TaskRun, asks: number): Promise<void> {
  const isOver = (): boolean => isAnswered(run) || workflowInfo().continueAsNewSuggested;
  // Histories of earlier builds have but this one timer.
  if (run.slot && !hasHeard(run)) {
    if (await condition(isOver, BREATH_MS)) return;
    if (!hasHeard(run)) {
      showUnanswered(run);
      if (await condition(isOver, Math.min(FIRST_ASK_AGAIN_MS * 2 ** Math.min(asks, 10), ASK_AGAIN_MS))) return;
      if (!hasHeard(run)) return;
    }
  }
  await condition(isOver, ASK_AGAIN_MS);
}

/** People are to see why nothing happens. */
function showUnanswered(run: TaskRun): void {
  if (!run.slot || run.slot.shown) return;
  run.slot.shown = true;
  setState(run, 'waiting');
}

/** Whether the lock has said who holds the key. */
function hasHeard({ turn }: TaskRun): boolean {
  return turn !== undefined && turn.held_by.length > 0;
}

function isAnswered({ turn }: TaskRun): boolean {
  return turn !== undefined && (turn.granted_at !== null || turn.refused === true);
}

function busy({ turn, plan }: TaskRun): StepFailure {
  const { key = '', held_by = [], replaced_by } = turn ?? {};
  if (replaced_by !== undefined) return replaced(key, replaced_by);
  const limit = plan.concurrency?.limit ?? 1;
  const most = limit === 1 ? '' : ` (${limit} at once)`;
  return new StepFailure({
    code: 'concurrency.busy',
    message: `${key} is held by ${held_by.join(', ')}${most}, and this task does not wait`,
    details: { key, held_by, limit },
    suggestion: 'Run it again when that task has ended, or write `on_busy: wait`.',
  });
}

function replaced(key: string, by: string): StepFailure {
  return new StepFailure({
    code: 'concurrency.replaced',
    message: `${by}, a newer task, waits for ${key} in the place of this one, which had not begun`,
    details: { key, replaced_by: by },
    suggestion: `Watch that one: ability task watch ${by}. To let all wait, write \`on_busy: wait\`.`,
  });
}

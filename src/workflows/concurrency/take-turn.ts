import { CancellationScope, condition, type LocalActivityOptions, workflowInfo } from '@temporalio/workflow';
import type { AcquireAnswer, AcquireRequest, ReleaseRequest } from '../../contracts/activities.js';
import type { SlotAnswer } from '../../contracts/concurrency.js';
import { ACTIVITIES } from '../../contracts/names.js';
import { localActivity, untilKeyed } from '../calls/local-activities.js';
import { BranchStopped, readActivityFailure, StepFailure } from '../steps/step-failure.js';
import { refuseCancelled } from '../task/before-step.js';
import type { TaskRun } from '../task/task-run.js';
import type { LockTurn } from './lock.js';

/** A lock that answers at all does so within this; until then lists do not show the task as waiting. */
const FIRST_ANSWER_MS = 2000;
/** First interval after which a task repeats a request to a silent lock; later ones are longer. */
const FIRST_ASK_AGAIN_MS = 30_000;
/** A task that has waited this long repeats its request, in case the lock was terminated. */
const ASK_AGAIN_MS = 600_000;
/** Maximum number of kept answers with another token; more can only be sent by hand. */
const MAX_EARLY = 100;

/**
 * Waits until a task with a key gets its turn; not working time. @throws StepFailure
 * `concurrency.busy`, `concurrency.replaced`, `expression.*`; BranchStopped when this run winds up; cancellation.
 */
export async function takeTurn(run: TaskRun): Promise<void> {
  if (!run.task.plan.concurrency || run.lock.turn?.granted_at) return;
  // An earlier run of the task has already published it.
  if (run.lock.turn?.held_by.length || run.lock.slot?.shown) run.life.state = 'waiting';
  for (let asks = 0; ; asks += 1) {
    await ask(run);
    await untilAnswered(run, asks);
    if (run.lock.turn?.refused) throw busy(run);
    if (run.lock.turn?.granted_at) break;
    if (!workflowInfo().continueAsNewSuggested) continue;
    run.life.rollingOver = true;
    throw new BranchStopped();
  }
  if (run.life.state === 'waiting') run.life.publish('running');
}

/** Leaves the lock or its queue. Never throws: the lock notices ended tasks by itself. */
export async function giveUpTurn(run: TaskRun): Promise<void> {
  if (!run.lock.turn || run.lock.turn.refused) return;
  const { lock } = run.lock.turn;
  const { firstExecutionRunId } = workflowInfo();
  const release = localActivity<ReleaseRequest, void>(ACTIVITIES.release, OPTIONS);
  await CancellationScope.nonCancellable(() => release({ ...run.task.context, lock, run: firstExecutionRunId })).catch(
    () => {},
  );
}

/** Undefined if the payload is invalid, as in a signal sent by hand. */
export function asSlotAnswer(value: unknown): SlotAnswer | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const { answer, held_by, by, replaced_by, token } = value as Record<string, unknown>;
  const names = Array.isArray(held_by) ? held_by.filter((name) => typeof name === 'string') : [];
  if (typeof token !== 'string') return undefined;
  if (answer === 'granted') return { answer, token };
  if (answer === 'waiting') return { answer, held_by: names, token };
  if (answer === 'busy')
    return { answer, held_by: names, ...(typeof replaced_by === 'string' && { replaced_by }), token };
  return answer === 'superseded' && typeof by === 'string' ? { answer, by, token } : undefined;
}

/** Applies a lock's answer. A forged one lacks the token of the request. */
export function hearLock(run: TaskRun, said: SlotAnswer | undefined): void {
  const { turn, slot, early } = run.lock;
  if (!said) return;
  if (!turn || slot?.token !== said.token) {
    if (early.length === MAX_EARLY) early.shift();
    early.push(said);
    return;
  }
  if (said.answer === 'superseded') {
    run.warnings.add(`It was cancelled for ${said.by}, a later task with the same concurrency key.`);
  }
  if (turn.granted_at || turn.refused) return;
  switch (said.answer) {
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
      if (run.life.state !== 'waiting') run.life.publish('waiting');
      break;
  }
}

const OPTIONS: LocalActivityOptions = {
  scheduleToCloseTimeout: '60s',
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 10, initialInterval: '200ms', maximumInterval: '10s' },
};

async function ask(run: TaskRun): Promise<void> {
  refuseCancelled();
  const acquire = localActivity<AcquireRequest, AcquireAnswer>(ACTIVITIES.acquire, OPTIONS);
  const { slot } = run.lock;
  const { firstExecutionRunId } = workflowInfo();
  const request = {
    ...run.task.context,
    input: run.input.value,
    run: firstExecutionRunId,
    ...(slot && { token: slot.token }),
  };
  try {
    // If cancelled halfway, the task might be in the queue without knowing it.
    const { token, ...turn } = await untilKeyed(() => CancellationScope.nonCancellable(() => acquire(request)));
    const isOther = token !== run.lock.slot?.token;
    if (run.lock.turn && !isOther) return;
    if (isOther) run.lock.slot = { token };
    run.lock.turn ??= { ...turn, held_by: [], asked_at: new Date().toISOString(), granted_at: null };
    for (const said of run.lock.early.splice(0)) hearLock(run, said);
  } catch (error) {
    const end = readActivityFailure(error);
    if (end.kind === 'problem') throw new StepFailure(end.problem);
    if (end.kind === 'other') throw error;
    const message = `The turn of ${run.task.id} could not be requested in time (${end.type})`;
    throw new StepFailure({ code: 'worker.unavailable', message, suggestion: 'Run it again.' });
  }
}

/** Waits until the lock decides or the request is due again, soon if the lock is silent. */
async function untilAnswered(run: TaskRun, asks: number): Promise<void> {
  const isOver = (): boolean => isAnswered(run.lock) || workflowInfo().continueAsNewSuggested;
  if (!hasHeard(run.lock)) {
    if (await condition(isOver, FIRST_ANSWER_MS)) return;
    if (!hasHeard(run.lock)) {
      showUnanswered(run);
      if (await condition(isOver, Math.min(FIRST_ASK_AGAIN_MS * 2 ** Math.min(asks, 10), ASK_AGAIN_MS))) return;
      if (!hasHeard(run.lock)) return;
    }
  }
  await condition(isOver, ASK_AGAIN_MS);
}

/** Shows people that the task waits for a lock. */
function showUnanswered(run: TaskRun): void {
  if (!run.lock.slot || run.lock.slot.shown) return;
  run.lock.slot.shown = true;
  run.life.publish('waiting');
}

function hasHeard({ turn }: LockTurn): boolean {
  return turn !== undefined && turn.held_by.length > 0;
}

function isAnswered({ turn }: LockTurn): boolean {
  return turn !== undefined && (turn.granted_at !== null || turn.refused === true);
}

function busy({ lock, task }: TaskRun): StepFailure {
  const { key = '', held_by = [], replaced_by } = lock.turn ?? {};
  if (replaced_by !== undefined) return replaced(key, replaced_by);
  const limit = task.plan.concurrency?.limit ?? 1;
  const atOnce = limit === 1 ? '' : ` (${limit} at once)`;
  return new StepFailure({
    code: 'concurrency.busy',
    message: `${key} is held by ${held_by.join(', ')}${atOnce}, and this task does not wait`,
    details: { key, held_by, limit },
    suggestion: 'Run it again when that task has ended, or set `on_busy: wait`.',
  });
}

function replaced(key: string, by: string): StepFailure {
  return new StepFailure({
    code: 'concurrency.replaced',
    message: `${by}, a newer task, waits for ${key} in the place of this one, which had not started`,
    details: { key, replaced_by: by },
    suggestion: `Watch that one: ability task watch ${by}. To let all wait, set \`on_busy: wait\`.`,
  });
}

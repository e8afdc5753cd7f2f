/**
 * What one turn of a loop sees of the turns before it, in plans of engine 2 and later.
 *
 * It belongs to one run of the loop: a loop that begins again begins with a first turn. Source: docs/workflow-language.md#the-last-turn.
 */

import type { LastTurn } from '../../contracts/loops.js';
import { FIRST_CEL } from '../../contracts/names.js';
import type { PlanStep, RepeatStep } from '../../contracts/plan.js';
import type { StepProgress } from '../../contracts/task.js';
import { isSinceEngine2 } from '../../rules/engine.js';
import { listSteps } from '../../rules/inner-steps.js';
import { readInTurns, readsItself } from '../../rules/steps-read.js';
import type { StepOfKind } from '../../rules/verbs.js';
import type { Frame } from '../steps/frame.js';
import type { OwnValue, StepValue, Values } from '../steps/step-values.js';
import type { TaskRun } from '../task/task-run.js';

/** What a turn that begins now sees of the one before it; undefined for plans of engine 1. */
export function lastTurns(run: TaskRun, path: string): Frame['last'] {
  return isSinceEngine2(run.plan) ? (run.progress[path]?.last ?? {}) : undefined;
}

/** The same as other steps see it: one that was skipped since is `skipped`. */
export function lastValues(last: Frame['last'] = {}): Values {
  return Object.fromEntries(
    Object.entries(last).map(([id, turn]) => [id, turn.skipped ? { ...NEVER_RAN, status: 'skipped' } : asValue(turn)]),
  );
}

/**
 * Keeps what the steps of a turn that is done leave to the next one; a step that was skipped leaves what it had.
 *
 * @param prefix of the paths of the turn.
 */
export function keepTurn(run: TaskRun, step: StepOfKind<'loop'>, path: string, prefix: string): void {
  const ids = readInTurns(step, run.plan.cel ?? FIRST_CEL);
  if (ids.length === 0 || !isSinceEngine2(run.plan)) return;
  const entry = run.progress[path] as StepProgress;
  const seen = run.values.at(prefix);
  const kept = ids.flatMap((id): [string, LastTurn][] => {
    const now = seen[id];
    if (!now || now.status === 'pending') return [];
    return [[id, now.status === 'skipped' ? { ...SKIPPED, ...entry.last?.[id], skipped: true } : asTurn(now)]];
  });
  entry.last = Object.fromEntries(kept);
}

/** Nothing inside a loop that begins has run in it yet, whatever became of an earlier run of the loop. */
export function beginTurns(run: TaskRun, step: RepeatStep, path: string): void {
  if (!isSinceEngine2(run.plan)) return;
  for (const inner of listSteps(step.steps)) {
    run.values.show(`${path}/0/${inner.path}`, inner.step.id, { status: 'pending' });
  }
}

/** Lets the expressions of a step see its own last turn, where they look at it. */
export function withOwnTurn(run: TaskRun, step: PlanStep, frame: Frame): Frame {
  if (!frame.last || !readsItself(step, run.plan.cel ?? FIRST_CEL)) return frame;
  const last = frame.last[step.id];
  return { ...frame, own: { id: step.id, value: last ? asValue(last) : NEVER_RAN } };
}

/** What the `output` of a handler sees of its step: the failure of this turn, and the output of the last one. */
export function ownInHandler(run: TaskRun, { own, prefix }: Frame): OwnValue | undefined {
  const now = own && run.values.at(prefix)[own.id];
  return now && { id: own.id, value: { ...now, output: own.value.output } };
}

const NEVER_RAN: StepValue = { output: null, status: 'pending', error: null };
const SKIPPED: LastTurn = { status: 'pending' };

function asValue({ status, output = null, error = null, files }: LastTurn): StepValue {
  return { output, status, error, ...(files && { files }) };
}

function asTurn({ status, output, error, files }: StepValue): LastTurn {
  return { status, ...(output !== null && { output }), ...(error !== null && { error }), ...(files && { files }) };
}

/** Values of a loop's earlier turns. Source: docs/workflow-language.md#the-last-turn. */

import type { LastTurn } from '../../contracts/loops.js';
import type { PlanStep, RepeatStep } from '../../contracts/plan.js';
import { listSteps, type StepOfKind } from '../../rules/steps/step-tree.js';
import { readInTurns, readsItself } from '../../rules/steps/steps-read.js';
import type { Frame } from '../steps/frame.js';
import type { StepStates } from '../steps/step-states.js';
import type { OwnValue, StepValue, Values } from '../steps/step-values.js';

/** Values of the previous turn for a turn that begins now. */
export function lastTurns(steps: StepStates, path: string): Frame['last'] {
  return steps.progress[path]?.last ?? {};
}

/** The values for other steps; a step skipped since then is `skipped`. */
export function lastValues(last: Frame['last'] = {}): Values {
  return Object.fromEntries(
    Object.entries(last).map(([id, turn]) => [id, turn.skipped ? { ...NEVER_RAN, status: 'skipped' } : asValue(turn)]),
  );
}

/** Keeps what a finished turn passes on; skipped steps pass on earlier values. @param prefix of its paths. */
export function keepTurn(steps: StepStates, step: StepOfKind<'loop'>, path: string, prefix: string): void {
  const ids = readInTurns(step);
  if (ids.length === 0) return;
  const entry = steps.entry(path);
  const seen = steps.values.at(prefix);
  const kept = ids.flatMap((id): [string, LastTurn][] => {
    const now = seen[id];
    if (!now || now.status === 'pending') return [];
    return [[id, now.status === 'skipped' ? { ...SKIPPED, ...entry.last?.[id], skipped: true } : asTurn(now)]];
  });
  entry.last = Object.fromEntries(kept);
}

/** Resets the steps in a starting loop to `pending`, even if the loop ran before. */
export function beginTurns(steps: StepStates, step: RepeatStep, path: string): void {
  for (const inner of listSteps(step.steps)) {
    steps.values.show(`${path}/0/${inner.path}`, inner.step.id, { status: 'pending' });
  }
}

/** Shows a step its own last turn, if its expressions read it. */
export function withOwnTurn(step: PlanStep, frame: Frame): Frame {
  if (!frame.last || !readsItself(step)) return frame;
  const last = frame.last[step.id];
  return { ...frame, own: { id: step.id, value: last ? asValue(last) : NEVER_RAN } };
}

/** Own values for a handler's `output`: this turn's failure with the last turn's output. */
export function ownInHandler({ run, own, prefix }: Frame): OwnValue | undefined {
  const now = own && run.steps.values.at(prefix)[own.id];
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

import { sleep } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { RepeatStep } from '../../contracts/plan.js';
import type { StepProgress } from '../../contracts/task.js';
import { stepsOfTurn } from '../../rules/steps/step-tree.js';
import { beginTurns, keepTurn, lastTurns, lastValues } from '../loops/last-turns.js';
import { failTurn } from '../loops/loop-turn.js';
import { foldTurn } from '../loops/turn-counts.js';
import { evaluateCondition, evaluateCount, evaluateDuration } from './evaluate.js';
import { type Frame, frameInside, runSteps } from './frame.js';
import { StepFailure } from './step-failure.js';

/**
 * Runs the steps until a condition holds after a turn. @returns the last output of the last turn. @throws
 * StepFailure `repeat.exhausted`. Source: docs/workflow-language.md#calls;
 * docs/workflow-language.md#the-last-turn.
 */
export async function runRepeat(step: RepeatStep, path: string, frame: Frame): Promise<Json> {
  const { run } = frame;
  const { until, every, max } = step.repeat;
  const limit = evaluateCount(max, frame);
  const inner = stepsOfTurn(step);
  const entryOf = (): StepProgress => run.steps.entry(path);
  if (entryOf().turn === undefined) beginTurns(run.steps, step, path);
  else run.steps.values.recall(`${path}/0/`, lastValues(lastTurns(run.steps, path)));
  const evaluatedTurn = entryOf().begun && entryOf().turn;
  // The last completed turn still has its entry: expressions read it, and it shows whether the loop has ended.
  for (let turn = Math.max(0, (entryOf().turn ?? 0) - 1); turn < limit; turn += 1) {
    const names = { ...frame.names, ...(step.index !== undefined && { [step.index]: turn }) };
    const inside = { ...frameInside(frame, `${path}/${turn}`), names, last: lastTurns(run.steps, path) };
    let output: Json;
    try {
      output = await runSteps(step.steps, inside);
    } catch (error) {
      failTurn(run, { verb: 'repeat', loop: path, id: step.id, inner, item: turn, labelOf: () => undefined }, error);
      throw error;
    }
    keepTurn(run.steps, step, path, inside.prefix);
    const before = { path: `${path}/${turn - 1}`, inner, nameOf: () => ({ item: turn - 1 }) };
    foldTurn(run.steps.progress, entryOf(), before);
    entryOf().turn = turn + 1;
    // An earlier run evaluated it when that turn ended.
    if (turn + 1 === evaluatedTurn) continue;
    delete entryOf().begun;
    const after = { ...inside, own: frame.own };
    if (evaluateCondition(until, after)) {
      delete entryOf().last;
      return output;
    }
    if (turn + 1 < limit) await pause(step, path, evaluateDuration(every, after), frame);
    entryOf().begun = true;
  }
  throw new StepFailure({
    code: 'repeat.exhausted',
    message: `After ${limit} turns \`${until}\` still does not hold`,
    suggestion: 'Raise `repeat.max`, or find out why it does not become true.',
  });
}

async function pause(step: RepeatStep, path: string, ms: number, frame: Frame): Promise<void> {
  const { run } = frame;
  if (ms === 0) return;
  const deadline = run.steps.deadlineOf(path, step.id, frame.budget.capWait(ms));
  await frame.branchStop.wait(() => sleep(Math.max(1, deadline - Date.now()), { summary: `${path}: next turn` }));
  const entry = run.steps.entry(path);
  delete entry.deadline;
  run.steps.note(path, step.id, { status: 'running' });
}

import { sleep } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { RepeatStep } from '../../contracts/plan.js';
import type { StepProgress } from '../../contracts/task.js';
import { isSinceEngine2 } from '../../rules/engine.js';
import { stepsOfTurn } from '../../rules/inner-steps.js';
import { beginTurns, keepTurn, lastTurns, lastValues } from '../loops/last-turns.js';
import { failTurn } from '../loops/loop-turn.js';
import { foldTurn } from '../loops/turn-counts.js';
import type { TaskRun } from '../task/task-run.js';
import { evaluateCondition, evaluateCount, evaluateDuration } from './evaluate.js';
import { type Frame, frameInside } from './frame.js';
import { runSteps } from './run-steps.js';
import { StepFailure } from './step-failure.js';

/**
 * Runs the steps until a condition holds, looked at after each turn.
 *
 * @returns the last output of the last turn. @throws StepFailure `repeat.exhausted`.
 * Source: docs/workflow-language.md#calls; docs/workflow-language.md#the-last-turn.
 */
export async function runRepeat(run: TaskRun, step: RepeatStep, path: string, frame: Frame): Promise<Json> {
  const { until, every, max } = step.repeat;
  const most = evaluateCount(run, max, frame);
  const inner = stepsOfTurn(step);
  const entryOf = (): StepProgress => run.progress[path] as StepProgress;
  if (entryOf().turn === undefined) beginTurns(run, step, path);
  else run.values.recall(`${path}/0/`, lastValues(lastTurns(run, path)));
  const asked = entryOf().begun && entryOf().turn;
  // The last turn that was done is still there: it says what expressions see, and whether it was the last.
  for (let turn = Math.max(0, (entryOf().turn ?? 0) - 1); turn < most; turn += 1) {
    const names = { ...frame.names, ...indexOf(step, turn) };
    const inside = { ...frameInside(frame, `${path}/${turn}`), names, last: lastTurns(run, path) };
    let output: Json;
    try {
      output = await runSteps(run, step.steps, inside);
    } catch (error) {
      failTurn(run, { verb: 'repeat', loop: path, id: step.id, inner, item: turn, labelOf: () => undefined }, error);
      throw error;
    }
    keepTurn(run, step, path, inside.prefix);
    const before = { path: `${path}/${turn - 1}`, inner, nameOf: () => ({ item: turn - 1 }) };
    foldTurn(run.progress, entryOf(), before);
    entryOf().turn = turn + 1;
    // It was looked at when that turn ended, in an earlier run.
    if (turn + 1 === asked) continue;
    delete entryOf().begun;
    const after = { ...inside, own: frame.own };
    if (evaluateCondition(run, until, after)) {
      delete entryOf().last;
      return output;
    }
    if (turn + 1 < most) await pause(run, step, path, evaluateDuration(run, every, after), frame);
    if (isSinceEngine2(run.plan)) entryOf().begun = true;
  }
  throw new StepFailure({
    code: 'repeat.exhausted',
    message: `After ${most} turns \`${until}\` still does not hold`,
    suggestion: 'Raise `repeat.max`, or find out why it does not become true.',
  });
}

function indexOf({ index }: RepeatStep, turn: number): { [name: string]: Json } {
  return index === undefined ? {} : { [index]: turn };
}

async function pause(run: TaskRun, step: RepeatStep, path: string, ms: number, frame: Frame): Promise<void> {
  if (ms === 0) return;
  const deadline = run.deadlineOf(path, step.id, frame.budget.capWait(ms));
  await frame.halt.wait(() => sleep(Math.max(1, deadline - Date.now()), { summary: `${path}: next turn` }));
  const entry = run.progress[path] as StepProgress;
  delete entry.deadline;
  run.note(path, step.id, { status: 'running' });
}

import type { Json } from '../../contracts/json.js';
import type { GroupStep, PlanStep, PlanTemplate } from '../../contracts/plan.js';
import type { TaskRun } from '../task/task-run.js';
import { evaluate, evaluateText } from './evaluate.js';
import { type Frame, frameInside } from './frame.js';
import { runApproval } from './run-approval.js';
import { runCall } from './run-call.js';
import { runForeach } from './run-foreach.js';
import { runParallel } from './run-parallel.js';
import { runRace } from './run-race.js';
import { runRepeat } from './run-repeat.js';
import { runSteps } from './run-steps.js';
import { runSwitch } from './run-switch.js';
import { runWait } from './run-wait.js';
import { EndOfTask, StepFailure } from './step-failure.js';

/**
 * Does what the verb of a step says; not async, since each promise of an interpreter is one more for every step.
 *
 * @returns its output. @throws as {@link runStep}. Source: docs/workflow-language.md#calls.
 */
export function runVerb(run: TaskRun, step: PlanStep, path: string, frame: Frame): Promise<Json> | Json {
  switch (step.verb) {
    case 'call':
      return runCall(run, step, path, frame);
    case 'approval':
      return runApproval(run, step, path, frame);
    case 'parallel':
      return runParallel(run, step, path, frame);
    case 'race':
      return runRace(run, step, path, frame);
    case 'foreach':
      return runForeach(run, step, path, frame);
    case 'switch':
      return runSwitch(run, step, path, frame);
    case 'repeat':
      return runRepeat(run, step, path, frame);
    case 'wait':
      return runWait(run, step, path, frame);
    case 'steps':
      return step.template
        ? runTemplate(run, step, step.template, frameInside(frame, path))
        : runSteps(run, step.steps, frameInside(frame, path));
    case 'let':
      return evaluate(run, step.let, frame);
    case 'end':
      throw new EndOfTask(evaluate(run, step.end.output, frame));
    case 'fail': {
      const { code, message, details } = step.fail;
      const said = details === undefined ? {} : { details: evaluate(run, details, frame) };
      throw new StepFailure({ code, message: evaluateText(run, message, frame), ...said });
    }
  }
}

/** Runs the steps of a template; what it was given is no output of its. @returns its output, else the last of what ran. */
async function runTemplate(run: TaskRun, step: GroupStep, template: PlanTemplate, frame: Frame): Promise<Json> {
  const [first] = step.steps;
  if (template.given && first) await frame.runStep(run, first, frame);
  const last = await runSteps(run, template.given ? step.steps.slice(1) : step.steps, frame);
  return template.output === undefined ? last : evaluate(run, template.output, frame);
}

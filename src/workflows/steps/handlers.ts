import { isCancellation } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { ErrorHandler, PlanStep } from '../../contracts/plan.js';
import { isSinceEngine2 } from '../../rules/engine.js';
import { codeMatchesAny, isCatchable } from '../../rules/error-families.js';
import { isUnknown } from '../calls/cut.js';
import { ownInHandler } from '../loops/last-turns.js';
import type { TaskRun } from '../task/task-run.js';
import { evaluate } from './evaluate.js';
import { type Frame, frameInside } from './frame.js';
import { recallStep } from './recall-step.js';
import { runSteps } from './run-steps.js';
import { isStepFailure, keepFailure, keptFailure, locate, type StepFailure, stepStatusOf } from './step-failure.js';
import type { OwnValue } from './step-values.js';

/**
 * Deals with the failure of a step as its `on_error` says.
 *
 * @returns the handler's output, null where it has none. @throws the failure where no handler names it or the handler
 * rethrows; whatever fails in the handler. Source: docs/workflow-language.md#failures; docs/workflow-language.md#calls.
 */
export function withHandlers(
  run: TaskRun,
  step: PlanStep,
  path: string,
  frame: Frame,
  work: () => Promise<Json> | Json,
): Promise<Json> | Json {
  return step.on_error ? handled(run, step, step.on_error, path, frame, work) : work();
}

async function handled(
  run: TaskRun,
  step: PlanStep,
  handlers: ErrorHandler[],
  path: string,
  frame: Frame,
  work: () => Promise<Json> | Json,
): Promise<Json> {
  const noted = run.progress[path];
  const handleWith = (handler: ErrorHandler, failure: StepFailure): Promise<Json> =>
    dealWith(run, failure, () =>
      handle(run, handler, failure, frameInside(frame, path), () => ownInHandler(run, frame)),
    );
  if (noted?.handler !== undefined && noted.error) {
    if (isSinceEngine2(run.plan)) recallStep(run, step, path);
    return handleWith(handlers[noted.handler] as ErrorHandler, keptFailure({ ...noted, error: noted.error }));
  }
  try {
    return await work();
  } catch (error) {
    if (!isStepFailure(error)) throw error;
    const { problem } = locate(error, step.id, path);
    const index = findHandler(handlers, problem.code);
    if (index === undefined) throw error;
    run.note(path, step.id, { status: stepStatusOf(problem.code), output: null, ...keepFailure(error) });
    run.note(path, step.id, { status: 'running', handler: index });
    return handleWith(handlers[index] as ErrorHandler, error);
  }
}

function dealWith(run: TaskRun, error: StepFailure, deal: () => Promise<Json>): Promise<Json> {
  const dealt = deal();
  // One promise more would be another order of commands, which plans of engine 1 must not see.
  if (!isSinceEngine2(run.plan)) return dealt;
  return dealt.catch((inner: unknown) => {
    throw insteadOf(run, inner, error);
  });
}

/**
 * What a step fails with whose handler failed.
 *
 * A handler that was cancelled has not dealt with an outcome that could not be learnt, and that is not forgotten.
 */
export function insteadOf(run: TaskRun, inner: unknown, error: StepFailure): unknown {
  return isSinceEngine2(run.plan) && isUnknown(error) && isCancellation(inner) ? error : inner;
}

/** The first handler that names the code; a catch-all never catches a no, nor the end of everything. */
export function findHandler(handlers: readonly ErrorHandler[], code: string): number | undefined {
  const index = handlers.findIndex(({ errors }) => (errors ? codeMatchesAny(code, errors) : isCatchable(code)));
  return index < 0 || isFinal(code) ? undefined : index;
}

/** Runs a handler. @param own what its `output` sees of the step it belongs to. @returns its output. */
export async function handle(
  run: TaskRun,
  handler: ErrorHandler,
  error: StepFailure,
  inside: Frame,
  own: () => OwnValue | undefined = () => undefined,
): Promise<Json> {
  await runSteps(run, handler.steps, inside);
  if (handler.rethrow) throw error;
  return handler.output === undefined ? null : evaluate(run, handler.output, { ...inside, own: own() });
}

/** The limits of the task are nobody's to catch, whoever names them. */
function isFinal(code: string): boolean {
  return code === 'timeout.task' || code === 'limit.max_calls' || code === 'internal.error';
}

import { isCancellation } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { ErrorHandler, PlanStep } from '../../contracts/plan.js';
import { codeMatchesAny, isCatchable } from '../../rules/calls/error-families.js';
import { ownInHandler } from '../loops/last-turns.js';
import { evaluate } from './evaluate.js';
import { type Frame, frameInside, runSteps } from './frame.js';
import {
  isStepFailure,
  isUnknown,
  keepFailure,
  keptFailure,
  locate,
  type StepFailure,
  stepStatusOf,
} from './step-failure.js';
import type { OwnValue } from './step-values.js';

/**
 * @returns the output of the step or its handler, else null. @throws what no handler names or one rethrows; any
 * failure in one. Source: docs/workflow-language.md#failures; docs/workflow-language.md#calls.
 */
export function withHandlers(
  step: PlanStep,
  path: string,
  frame: Frame,
  work: () => Promise<Json> | Json,
): Promise<Json> | Json {
  const { on_error: handlers } = step;
  return handlers ? handled(handlers) : work();

  async function handled(all: readonly ErrorHandler[]): Promise<Json> {
    const { steps } = frame.run;
    const noted = steps.progress[path];
    if (noted?.handler !== undefined && noted.error) {
      steps.recall(step, path);
      return handleWith(all[noted.handler] as ErrorHandler, keptFailure({ ...noted, error: noted.error }));
    }
    try {
      return await work();
    } catch (error) {
      if (!isStepFailure(error)) throw error;
      const { problem } = locate(error, step.id, path);
      const index = findHandler(all, problem.code);
      if (index === undefined) throw error;
      steps.note(path, step.id, { status: stepStatusOf(problem.code), output: null, ...keepFailure(error) });
      steps.note(path, step.id, { status: 'running', handler: index });
      return handleWith(all[index] as ErrorHandler, error);
    }
  }

  function handleWith(handler: ErrorHandler, failure: StepFailure): Promise<Json> {
    return handle(handler, failure, frameInside(frame, path), () => ownInHandler(frame)).catch((inner: unknown) => {
      throw insteadOf(inner, failure);
    });
  }
}

/** A cancelled handler has not handled an unknown outcome, so the step still fails with that. */
export function insteadOf(inner: unknown, error: StepFailure): unknown {
  return isUnknown(error) && isCancellation(inner) ? error : inner;
}

/** Handlers never catch these limits of the task, even if they name them. */
const FINAL = ['timeout.task', 'limit.max_calls', 'internal.error'];

/** The first matching handler; a catch-all never catches refusals or task limits. */
export function findHandler(handlers: readonly ErrorHandler[], code: string): number | undefined {
  const index = handlers.findIndex(({ errors }) => (errors ? codeMatchesAny(code, errors) : isCatchable(code)));
  return index < 0 || FINAL.includes(code) ? undefined : index;
}

/** @param own values of the failed step for its `output`. @returns the handler's output. */
export async function handle(
  handler: ErrorHandler,
  error: StepFailure,
  inside: Frame,
  own: () => OwnValue | undefined = () => undefined,
): Promise<Json> {
  await runSteps(handler.steps, inside);
  if (handler.rethrow) throw error;
  return handler.output === undefined ? null : evaluate(handler.output, { ...inside, own: own() });
}

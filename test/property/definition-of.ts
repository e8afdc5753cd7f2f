import type { ErrorHandler, PlanStep } from '../../src/contracts/plan.js';
import type { HighLevel } from '../../src/definitions/formats/high-level.js';
import { highLevel } from '../../src/definitions/formats/high-level.js';
import type { Tree } from './trees.js';

/** The definition that a random plan could have been made from. */
export function definitionOf({ plan }: Tree): HighLevel {
  const { steps, finally: cleanup, on_error, output } = plan;
  const definition = {
    id: 'tree',
    type: 'workflow',
    version: 1,
    summary: 'A random tree.',
    steps: steps.map(stepOf),
    ...(cleanup.length > 0 && { finally: cleanup.map(stepOf) }),
    ...(on_error && { on_error: on_error.map(handlerOf) }),
    ...(output !== undefined && { output }),
  };
  // As read from a file, where undefined values are absent.
  return highLevel.parse(JSON.parse(JSON.stringify(definition)));
}

function stepOf(step: PlanStep): Record<string, unknown> {
  return { id: step.id, ...partsOf(step) };
}

function partsOf({ id: _, on_error, finally: cleanup, ...step }: PlanStep): Record<string, unknown> {
  const { verb, ...rest } = step;
  const around = {
    ...(on_error && { on_error: on_error.map(handlerOf) }),
    ...(cleanup && { finally: cleanup.map(stepOf) }),
  };
  return { ...rest, ...around, ...verbOf({ id: '', ...step } as PlanStep) };
}

function verbOf(step: PlanStep): Record<string, unknown> {
  switch (step.verb) {
    case 'parallel':
    case 'race':
      return {
        branches: undefined,
        [step.verb]: Object.fromEntries(step.branches.map((one) => [one.id, partsOf(one)])),
      };
    case 'foreach':
      return {
        foreach: 'list' in step.foreach ? step.foreach.list : step.foreach.expression,
        steps: step.steps.map(stepOf),
      };
    case 'repeat':
    case 'steps':
      return { steps: step.steps.map(stepOf) };
    case 'switch': {
      const cases = step.cases.map((one) => {
        const steps = one.steps.map(stepOf);
        return one.if === undefined ? { else: steps } : { if: one.if, steps };
      });
      return { cases: undefined, switch: cases };
    }
    case 'wait':
      return 'for' in step.wait ? { wait: step.wait.for } : {};
    case 'approval': {
      const { expires, ...rest } = step.approval;
      return { approval: { ...rest, timeout: expires } };
    }
    default:
      return {};
  }
}

function handlerOf({ steps, ...rest }: ErrorHandler): Record<string, unknown> {
  return { ...rest, ...(steps.length > 0 && { steps: steps.map(stepOf) }) };
}

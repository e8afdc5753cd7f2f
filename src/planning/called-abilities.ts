import type { HighLevel } from '../definitions/formats/high-level.js';
import { walkSteps } from './walk-steps.js';

/** The abilities a workflow may call, each once: those it lists under `operations`, else those its steps name. */
export function allowedCalls(workflow: HighLevel): string[] {
  if (workflow.operations) return [...new Set(workflow.operations)];
  const calls = [...walkSteps(workflow)].flatMap(({ step }) =>
    step.verb === 'call' ? [step.call, ...(step.undo ? [step.undo.call] : [])] : [],
  );
  return [...new Set(calls)];
}

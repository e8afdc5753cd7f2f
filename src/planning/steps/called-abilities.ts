import type { HighLevel } from '../../definitions/formats/high-level.js';
import { walkSteps } from './walk-steps.js';

/** A call, where it is in its file. */
interface Call {
  id: string;
  path: PropertyKey[];
}

/** Every call of a workflow, those of `undo` included. */
export function* callsOf(workflow: HighLevel): Generator<Call> {
  for (const { step, path } of walkSteps(workflow)) {
    if (step.verb !== 'call') continue;
    yield { id: step.call, path: [...path, 'call'] };
    if (step.undo) yield { id: step.undo.call, path: [...path, 'undo', 'call'] };
  }
}

/** The abilities a workflow may call, each once: those it lists under `operations`, else those its steps name. */
export function allowedCalls(workflow: HighLevel): string[] {
  return [...new Set(workflow.operations ?? [...callsOf(workflow)].map(({ id }) => id))];
}

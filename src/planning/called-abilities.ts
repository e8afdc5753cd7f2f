import type { HighLevel } from '../definitions/formats/high-level.js';
import type { BranchDefinition, ErrorHandlerDefinition } from '../definitions/formats/steps.js';

/** The abilities a workflow may call, each once: those it lists under `operations`, else those its steps name. */
export function allowedCalls(workflow: HighLevel): string[] {
  return [...new Set(workflow.operations ?? calledAbilities(workflow))];
}

function calledAbilities({ steps, on_error = [], finally: cleanup = [] }: HighLevel): string[] {
  return [...[...steps, ...cleanup].flatMap(callsIn), ...on_error.flatMap(callsInHandler)];
}

function callsIn(step: BranchDefinition): string[] {
  return [
    ...callsOfVerb(step),
    ...(step.on_error ?? []).flatMap(callsInHandler),
    ...(step.finally ?? []).flatMap(callsIn),
  ];
}

function callsOfVerb(step: BranchDefinition): string[] {
  if ('call' in step) return [step.call, ...(step.undo ? [step.undo.call] : [])];
  if ('steps' in step) return step.steps.flatMap(callsIn);
  if ('parallel' in step) return Object.values(step.parallel).flatMap(callsIn);
  if ('race' in step) return Object.values(step.race).flatMap(callsIn);
  if (!('switch' in step)) return [];
  return step.switch.flatMap((item) => ('else' in item ? item.else : item.steps).flatMap(callsIn));
}

function callsInHandler({ steps = [] }: ErrorHandlerDefinition): string[] {
  return steps.flatMap(callsIn);
}

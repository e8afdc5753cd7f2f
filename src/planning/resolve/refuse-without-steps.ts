import { AbilityError, type SourceLocation } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';

/** Refuses what can be found and not run, before anything is started for it. @throws AbilityError `ability.no_steps`. */
export function refuseWithoutSteps(registry: Registry, id: string): void {
  const workflow = registry.workflows.get(id);
  if (workflow?.value.steps.length === 0) throw noSteps(id, workflow.locate([]));
}

/** Its contract may be written before what it does. Source: C-50. */
export function noSteps(id: string, location: SourceLocation): AbilityError {
  return new AbilityError({
    code: 'ability.no_steps',
    message: `${id} has no steps, so it can be found and not run`,
    location,
    suggestion: 'Write its `steps`; docs/workflow-language.md has the language.',
  });
}

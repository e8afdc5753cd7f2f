import { AbilityError } from '../../contracts/problem.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded } from '../../definitions/registry.js';
import type { Mistakes } from './definition-errors.js';
import { type StepPlace, walkSteps } from './walk-steps.js';

/**
 * The ids of all steps of a workflow, wherever they stand, with their places.
 *
 * @param mistakes keeps `definition.invalid` for one that is used twice: ids are unique in the file.
 */
export function collectIds(workflow: Loaded<HighLevel>, mistakes: Mistakes): ReadonlyMap<string, StepPlace> {
  const ids = new Map<string, StepPlace>();
  for (const { id, path, turn } of walkSteps(workflow.value)) {
    if (!ids.has(id)) {
      ids.set(id, { path, turn });
      continue;
    }
    const message = `The step id \`${id}\` is used twice`;
    const location = workflow.locate([...path, 'id'], 'value');
    const suggestion = 'Ids are unique in the file.';
    mistakes.keep(new AbilityError({ code: 'definition.invalid', message, location, suggestion }));
  }
  return ids;
}

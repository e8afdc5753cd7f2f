import type { Shown } from '../../../../authoring/import/hooks/map-abilities.js';
import type { WrittenDraft } from '../../../../authoring/import/hooks/plan-hook-files.js';
import type { JsonObject } from '../../../../contracts/json.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { satisfies } from '../../../../planning/input/schemas.js';

/** A call that a guard denies. */
export interface DeniedCall {
  ability: string;
  input: JsonObject;
}

/**
 * The first call that an imported guard must deny and that its ability takes, so that running it shows a denial.
 *
 * A usual offence is shown to the guard as the tool has it; the ability may need more than that. Such a run would end
 * before any guard is asked.
 */
export function callToShow(hooks: readonly WrittenDraft[], abilities: readonly Shown[]): DeniedCall | undefined {
  const denied = hooks.flatMap(({ definition }) => (definition.must_deny as DeniedCall[] | undefined) ?? []);
  return denied.find(({ ability, input }) =>
    abilities.some(({ key, input_schema }) => key === ability && takes(input_schema, input)),
  );
}

function takes(schema: JsonObject, input: JsonObject): boolean {
  try {
    return satisfies(schema, input);
  } catch (error) {
    // What is wrong with a schema is what lint says.
    if (error instanceof AbilityError) return false;
    throw error;
  }
}

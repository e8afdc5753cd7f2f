import type { Shown } from '../../../../authoring/import/hooks/map-abilities.js';
import type { WrittenDraft } from '../../../../authoring/import/hooks/plan-hook-files.js';
import type { JsonObject } from '../../../../contracts/json.js';
import { satisfies } from '../../../../planning/input/schemas.js';
import { unlessRefused } from '../../../../text/attempt.js';

export interface DeniedCall {
  ability: string;
  input: JsonObject;
}

/** The first denied call that its ability accepts: a run with invalid input ends before any guard. */
export function callToShow(hooks: readonly WrittenDraft[], abilities: readonly Shown[]): DeniedCall | undefined {
  const denied = hooks.flatMap(({ definition }) => (definition.must_deny as DeniedCall[] | undefined) ?? []);
  const takes = (schema: JsonObject, input: JsonObject): boolean =>
    unlessRefused(
      () => satisfies(schema, input),
      // Lint reports the broken schema.
      () => false,
    );
  return denied.find(({ ability, input }) =>
    abilities.some(({ key, input_schema }) => key === ability && takes(input_schema, input)),
  );
}

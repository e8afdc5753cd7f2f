import { AbilityError } from '../../contracts/problem.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded } from '../../definitions/registry.js';
import { checkSchema } from '../input/schemas.js';

/** @throws AbilityError `scope.environment` when the ability is not for this environment. Source: R-000-28. */
export function checkScope(
  id: string,
  ability: Loaded<{ scope: { environments?: string[] | undefined } }>,
  environment: string,
): void {
  const allowed = ability.value.scope.environments;
  if (!allowed || allowed.includes(environment)) return;
  throw new AbilityError({
    code: 'scope.environment',
    message: `${id} is not available in ${environment}, only in ${allowed.join(', ')}`,
    location: ability.locate(['scope', 'environments']),
    suggestion: `Run in ${allowed.join(' or ')}: --env ${allowed[0]}.`,
  });
}

/** @throws AbilityError `definition.invalid` where a schema is none. */
export function checkSchemas(
  ability: Loaded<{ input_schema: LowLevel['input_schema']; output_schema?: LowLevel['output_schema'] }>,
): void {
  for (const key of ['input_schema', 'output_schema'] as const) {
    const schema = ability.value[key];
    if (!schema) continue;
    try {
      checkSchema(schema, `\`${key}\``);
    } catch (error) {
      if (!(error instanceof AbilityError)) throw error;
      const { path = [] } = (error.details ?? {}) as { path?: string[] };
      const location = ability.locate([key, ...path]);
      throw new AbilityError({ ...error.toProblem(), details: undefined, location }, { cause: error });
    }
  }
}

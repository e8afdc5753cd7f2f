import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded } from '../../definitions/registry.js';
import { checkAgainst } from '../input/schemas.js';

/**
 * Checks the examples of an ability against its own schemas: whoever learns the contract from them must learn it right.
 *
 * @throws AbilityError `definition.invalid`, with the place of the example. Source: R-000-37.
 */
export function checkExamples(ability: Loaded<Pick<HighLevel, 'examples' | 'input_schema' | 'output_schema'>>): void {
  const { examples = [], input_schema, output_schema } = ability.value;
  const check = (schema: JsonObject | undefined, value: Json | undefined, path: PropertyKey[]): void => {
    if (schema === undefined || value === undefined) return;
    try {
      checkAgainst(schema, value, { code: 'definition.invalid', what: `The example ${path.join('.')}` });
    } catch (error) {
      if (!(error instanceof AbilityError)) throw error;
      throw new AbilityError({ ...error.toProblem(), location: ability.locate(path) }, { cause: error });
    }
  };
  for (const [index, { input, output }] of examples.entries()) {
    check(input_schema, input, ['examples', index, 'input']);
    check(output_schema, output, ['examples', index, 'output']);
  }
}

import type { JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { didYouMean } from '../../text/nearest.js';
import type { ChosenImplementation } from './chosen-implementation.js';

/**
 * Checks that the inputs a request names can be given: a contract that takes no others (`additionalProperties: false`)
 * must know them. A mistyped name would leave its parameter out, or send the input in another form, unnoticed.
 *
 * @throws AbilityError `definition.invalid`, with the place.
 */
export function checkParams({ body, from, path }: ChosenImplementation, input_schema: JsonObject): void {
  if (body.kind !== 'api' || input_schema.additionalProperties !== false) return;
  const { properties = {}, patternProperties } = input_schema;
  if (patternProperties !== undefined || properties === null || typeof properties !== 'object') return;
  const refuse = (name: string, at: PropertyKey[], what: string): void => {
    if (Object.hasOwn(properties, name)) return;
    throw new AbilityError({
      code: 'definition.invalid',
      message: `${what} takes the input ${name}, which \`input_schema\` neither has nor allows`,
      location: from.locate([...path, 'api', ...at], at.length > 1 ? 'key' : 'value'),
      suggestion: didYouMean(name, Object.keys(properties)) ?? 'Add it to `input_schema`.',
    });
  };
  const { params = {} } = body.api;
  for (const name of Object.keys(params)) refuse(name, ['params', name], '`params`');
  const filled = new Set(
    Object.entries(params).map(([key, param]) => (param.in === 'path' ? (param.name ?? key) : '')),
  );
  for (const [, name = ''] of body.api.path.matchAll(/\{\+?([^{}]*)\}/g)) {
    if (!filled.has(name)) refuse(name, ['path'], 'The path');
  }
}

import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';

/** What one step of a new workflow is given, and what the workflow must be given for that. */
export interface StepInput {
  /** Input of the step: templates over the input of the workflow. */
  with: Record<string, string>;
  /** Field of the workflow's input to its schema. */
  fields: Record<string, Json>;
}

/**
 * The required fields of each call as fields of the workflow that makes them.
 *
 * Calls that need the same field of the same schema share it; where the schemas differ, the later one is called after its
 * step as well.
 */
export function requiredInputs(calls: readonly { step: string; schema: JsonObject }[]): StepInput[] {
  const all = new Map<string, Json>();
  return calls.map(({ step, schema }) => {
    const input: StepInput = { with: {}, fields: {} };
    for (const [name, field] of requiredFields(schema)) {
      const known = all.get(name);
      const own = known === undefined || isDeepStrictEqual(known, field) ? name : `${step}_${name}`;
      all.set(own, field);
      input.fields[own] = field;
      input.with[name] = `\${{ ${reference(own)} }}`;
    }
    return input;
  });
}

function requiredFields({ required, properties }: JsonObject): [string, Json][] {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const known = isJsonObject(properties) ? properties : {};
  return names.map((name) => [name, standalone(known[name] ?? {})]);
}

/** A schema that leans on the definitions of its document means nothing elsewhere. */
function standalone(schema: Json): Json {
  return JSON.stringify(schema).includes('"$ref"') || !isJsonObject(schema) ? {} : schema;
}

function reference(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `input.${name}` : `input[${JSON.stringify(name)}]`;
}

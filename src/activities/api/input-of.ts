import type { Json, JsonObject } from '../../contracts/json.js';

/** What an input is; null where it is not there. */
export function inputOf(input: JsonObject, name: string): Json {
  return Object.hasOwn(input, name) ? (input[name] ?? null) : null;
}

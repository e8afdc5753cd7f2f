import type { Json, JsonObject } from '../../../contracts/json.js';

/** A path of plain members of the input, such as `input.region` or `input.build.id`. */
const PLAIN_PATH = /^input((?:\.[A-Za-z_]\w*)+)$/;

/** Whether an expression is the plain name of an input, or of a member of one. */
export function isPlainPath(source: string): boolean {
  return PLAIN_PATH.test(source);
}

/**
 * Whether an expression is the plain name of an input that the contract leaves to the caller, who has left it out.
 *
 * Only for such a name is there no question what was meant: what counts with it (`!input.quiet`) has to say what its
 * absence means, and a name that the contract does not know is a slip.
 *
 * @param schema of the input; null: not known, as for a hook, so that any name may be absent.
 */
export function isAbsentInput(source: string, input: Json, schema: JsonObject | null): boolean {
  const [, members] = PLAIN_PATH.exec(source) ?? [];
  if (members === undefined) return false;
  let value: Json | undefined = input;
  let known: Json | undefined = schema;
  for (const name of members.slice(1).split('.')) {
    if (!isMap(value)) return false;
    known = memberOf(memberOf(known, 'properties'), name);
    if (!Object.hasOwn(value, name)) return schema === null || known !== undefined;
    value = value[name];
  }
  return false;
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isMap(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

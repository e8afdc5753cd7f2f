import { isJsonObject, type JsonObject } from '../../contracts/json.js';

/** Why whoever decides cannot change a field of an input; undefined if they can. */
export function whyNotEditable(inputSchema: JsonObject, name: string): string | undefined {
  const { properties } = inputSchema;
  const schema = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (!isJsonObject(schema)) return '`input_schema` has no such property';
  // The files of a task are kept when it begins.
  const mayHoldFile = takesFile(schema) || (JSON.stringify(schema).includes('"$ref":') && takesFile(inputSchema));
  return mayHoldFile ? 'it may hold a file' : undefined;
}

function takesFile(schema: JsonObject): boolean {
  return JSON.stringify(schema).includes('"format":"file"');
}

/** The fields that all who ask allow to change, with their schemas; undefined if there are none. */
export function editableFields(
  inputSchema: JsonObject,
  [first, ...others]: readonly { edit?: readonly string[] | undefined }[],
): Record<string, JsonObject> | undefined {
  const names = (first?.edit ?? []).filter(
    (name) => others.every(({ edit }) => edit?.includes(name)) && whyNotEditable(inputSchema, name) === undefined,
  );
  if (names.length === 0) return undefined;
  const properties = inputSchema.properties as Record<string, JsonObject>;
  return Object.fromEntries(names.map((name) => [name, properties[name] as JsonObject]));
}

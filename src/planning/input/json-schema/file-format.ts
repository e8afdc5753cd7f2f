import type { FuncKeywordDefinition } from 'ajv';
import { _ } from 'ajv/dist/2020.js';
import { isFileValue } from '../../../contracts/files.js';
import type { JsonObject } from '../../../contracts/json.js';
import { FILE_KEYWORD, isFileSchema } from './is-file-schema.js';
import { LocalReferences } from './local-references.js';

const known = new WeakMap<JsonObject, boolean>();

/** Whether a schema asks for a file anywhere. */
export function asksForFiles(schema: JsonObject): boolean {
  const seen = known.get(schema);
  if (seen !== undefined) return seen;
  const asks =
    JSON.stringify(schema).includes('"format":"file"') &&
    new LocalReferences(schema, 'The schema').parts.some((part) => isFileSchema(part.schema));
  known.set(schema, asks);
  return asks;
}

/** Checks that what is not null is a whole file value; `type` decides about null. */
export const fileKeyword: FuncKeywordDefinition = {
  keyword: FILE_KEYWORD,
  schemaType: 'boolean',
  validate: (_wanted: boolean, value: unknown) => value === null || isFileValue(value),
  error: { message: 'must be a file: { $file, name, bytes, media_type }', params: () => _`{}` },
};

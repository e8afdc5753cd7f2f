import type { JsonObject } from '../../contracts/json.js';
import { memberOf, type Part } from './document-parts.js';
import { follow, referenceIn } from './follow-reference.js';

/** Bytes as an input: base64, alone or with a name and a type. Source: docs/api-calls.md. */
export function fileSchema(description?: string): JsonObject {
  return {
    ...(description !== undefined && { description }),
    anyOf: [{ type: 'string', description: 'The bytes as base64.' }, wholeFileSchema()],
  };
}

/** A file among the fields of a body, where text alone would be text. */
export function wholeFileSchema(description?: string): JsonObject {
  return {
    ...(description !== undefined && { description }),
    type: 'object',
    required: ['base64'],
    properties: { base64: { type: 'string' }, filename: { type: 'string' }, content_type: { type: 'string' } },
    additionalProperties: false,
  };
}

/** Whether a schema is about bytes: `format: binary` in 3.0, a media type and no encoding in 3.1. */
export function isBinary(document: Part, schema: unknown): boolean {
  const target = referenceIn(schema) === undefined ? schema : follow(document, schema);
  if (memberOf(target, 'type') !== 'string' && memberOf(target, 'type') !== undefined) return false;
  if (memberOf(target, 'format') === 'binary') return true;
  return memberOf(target, 'contentMediaType') !== undefined && memberOf(target, 'contentEncoding') === undefined;
}

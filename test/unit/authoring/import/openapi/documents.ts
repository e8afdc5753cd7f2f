import type { Imported } from '../../../../../src/authoring/import/imported.js';
import { importDocument, openDocument } from '../../../../../src/authoring/import/openapi/import-document.js';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';

/** A document with these paths; `more` is merged at its top level. */
export function documentOf(paths: JsonObject, more: JsonObject = {}): JsonObject {
  const servers = [{ url: 'https://api.test/v1' }];
  return { openapi: '3.0.3', info: { title: 'Acme', version: '1' }, servers, paths, ...more };
}

/** Imports a document as `acme`. */
export function importOf(
  document: JsonObject,
  more: { server?: string; documentUrl?: string } = {},
): Promise<Imported> {
  return importDocument(openDocument(JSON.stringify(document), 'api.json'), {
    service: 'acme',
    prefix: 'acme',
    ...more,
  });
}

/** An operation of a document, whose answer may be anything. */
export function operation(more: JsonObject = {}): JsonObject {
  return { responses: { 200: { description: 'fine' } }, ...more };
}

/** A body or answer of one media type. */
export function content(type: string, schema: Json = {}, more: JsonObject = {}): JsonObject {
  return { description: 'x', content: { [type]: { schema, ...more } } };
}

/** The definition that one operation becomes, with its notes. */
export async function mapped(
  path: string,
  method: string,
  described: JsonObject,
  more: JsonObject = {},
): Promise<{ api: JsonObject; input: JsonObject; output: Json | undefined; definition: JsonObject; notes: string[] }> {
  const { operations, leftOut } = await importOf(documentOf({ [path]: { [method]: operation(described) } }, more));
  const [only] = operations;
  if (!only) throw new Error(`It was left out: ${leftOut.map(({ reason }) => reason).join('; ')}`);
  const { definition, notes } = only;
  const { implementation, input_schema, output_schema } = definition as {
    implementation: { api: JsonObject };
    input_schema: JsonObject;
    output_schema?: Json;
  };
  return { api: implementation.api, input: input_schema, output: output_schema, definition, notes };
}

/** Why the only operation of a document is omitted; undefined if it is not. */
export async function whyLeftOut(
  path: string,
  method: string,
  described: JsonObject,
  more: JsonObject = {},
): Promise<string | undefined> {
  const { leftOut } = await importOf(documentOf({ [path]: { [method]: operation(described) } }, more));
  return leftOut[0]?.reason;
}

import type { JsonObject } from '../../../contracts/json.js';
import { isPart, listOf, memberOf, partOf } from '../openapi/document-parts.js';
import type { KnownOperation } from './find-operation.js';
import { NotTranslated } from './not-translated.js';

/** What the workflows of a document read of an answer besides its body. */
export interface AnswerNeeds {
  status: boolean;
  headers: ReadonlySet<string>;
}

export interface AnswerForm {
  key: string;
  /** The path to the body, such as `.body`. */
  body: string;
  noBody?: string;
  /** A second ability that gives status and headers; absent: the imported one is enough. */
  definition?: JsonObject;
}

/**
 * How an operation is called so that its answer holds everything that is read of it. An imported one returns its
 * body alone; if more is read, it gets a second form that differs only in the answer, so that other callers see no
 * change. @throws NotTranslated if no such form is possible.
 */
export function answerForm(operation: KnownOperation, needs: AnswerNeeds, place: string): AnswerForm {
  const { key, definition } = operation;
  const implementation = partOf(memberOf(definition, 'implementation'));
  const api = partOf(memberOf(implementation, 'api'));
  const response = partOf(memberOf(api, 'response'));
  const as = memberOf(response, 'as');
  const had = listOf(memberOf(response, 'headers')).map(String);
  const isWrapped = had.length > 0 || memberOf(response, 'status') === true;
  const missing = [...needs.headers].filter((name) => !had.some((one) => one.toLowerCase() === name.toLowerCase()));
  const isEnough = missing.length === 0 && (!needs.status || memberOf(response, 'status') === true);
  const noBody = as === 'base64' ? 'is bytes, which no expression reads' : undefined;
  const inside = as === 'text' ? '.text' : '';
  if (isEnough) return { key, body: `${isWrapped ? '.body' : ''}${inside}`, ...(noBody && { noBody }) };
  if (key.length > 88) throw new NotTranslated(`${key} is too long for a second form with its status`, place);
  const withFaults = JSON.stringify(definition).includes('"fail_if"');
  if (withFaults) throw new NotTranslated(`${key} has a \`fail_if\`, which reads the answer in another form`, place);
  if ([...needs.headers].some((name) => name.toLowerCase() === 'set-cookie')) {
    throw new NotTranslated('the header Set-Cookie holds a secret, and is not read', place);
  }
  const headers = [...had, ...missing].sort();
  const form = { ...response, ...(needs.status && { status: true }), ...(headers.length > 0 && { headers }) };
  const schema = memberOf(definition, 'output_schema');
  const output = isPart(schema) ? wrapSchema(schema as JsonObject, isWrapped, form) : undefined;
  const { output_schema: _, implementation: __, operation_key: ___, ...rest } = definition;
  return {
    key: formKey(key),
    body: `.body${inside}`,
    ...(noBody && { noBody }),
    definition: {
      operation_key: formKey(key),
      ...rest,
      ...(output && { output_schema: output }),
      implementation: { ...implementation, api: { ...api, response: form } } as JsonObject,
    },
  };
}

/** Named after the imported operation, so that patterns such as `shop.*` match both. */
export function formKey(key: string): string {
  return `${key}.with_status`;
}

/** Adds to the needs what an existing form of the ability already gives. */
export function withNeedsOf(definition: JsonObject, { status, headers }: AnswerNeeds): AnswerNeeds {
  const response = memberOf(memberOf(memberOf(definition, 'implementation'), 'api'), 'response');
  const all = [...headers];
  for (const name of listOf(memberOf(response, 'headers')).map(String)) {
    if (!all.some((one) => one.toLowerCase() === name.toLowerCase())) all.push(name);
  }
  return { status: status || memberOf(response, 'status') === true, headers: new Set(all) };
}

function wrapSchema(schema: JsonObject, isWrapped: boolean, form: { status?: unknown; headers?: unknown }): JsonObject {
  const more: JsonObject = {
    ...(form.status === true && { status: { type: 'integer' } }),
    ...(form.headers !== undefined && { headers: { type: 'object' } }),
  };
  if (isWrapped) return { ...schema, properties: { ...(partOf(schema.properties) as JsonObject), ...more } };
  const { $defs, ...body } = schema;
  return {
    type: 'object',
    required: [...Object.keys(more), 'body'],
    properties: { ...more, body },
    ...($defs !== undefined && { $defs }),
  };
}

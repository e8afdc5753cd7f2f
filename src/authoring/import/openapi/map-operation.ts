import type { Json, JsonObject } from '../../../contracts/json.js';
import type { ImportedOperation } from '../imported.js';
import { cleanText, listOf, memberOf, type Part, textOf } from './document-parts.js';
import { effectsOf, type Method, namedLike } from './effects-of.js';
import { type MappedBody, mapBody } from './map-body.js';
import {
  describeInput,
  InputNames,
  type MappedParameter,
  mapParameters,
  mapPath,
  parametersOf,
} from './map-parameters.js';
import { mapResponses } from './map-responses.js';
import { type MappedSecurity, type SecurityReader, withOwnCredentials } from './map-security.js';
import type { ServerReader } from './map-servers.js';
import type { SchemaReader } from './schema-closure.js';

export interface FoundOperation {
  source: string;
  method: Method;
  path: string;
  pathItem: Part;
  operation: Part;
}

export interface DocumentReaders {
  document: Part;
  schemas: SchemaReader;
  security: SecurityReader;
  servers: ServerReader;
  /** Entry of `services` with the endpoints and credentials. */
  service: string;
}

export interface MappedOperation extends ImportedOperation {
  credentials: string[];
}

/** Methods whose unnamed inputs go to the query. Source: docs/api-calls.md. */
const TO_THE_QUERY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/** @throws NotExpressible with the reason. Source: docs/api-calls.md; docs/imports.md#an-openapi-document. */
export function mapOperation(key: string, found: FoundOperation, readers: DocumentReaders): MappedOperation {
  const { source, pathItem, operation } = found;
  const { document, schemas, security, servers, service } = readers;
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(text);
  const method = found.method.toUpperCase();
  const endpoint = servers.endpointOf(pathItem, operation);
  const access = accessAt(endpoint, security.map(operation, note), servers);
  const names = new InputNames();
  const listed = parametersOf(pathItem, operation);
  const declared = mapParameters(document, listed, { names, given: access.given, note });
  const { path, parameters } = mapPath(found.path, declared, names);
  let body: MappedBody | undefined;
  const input = schemas.close('request', (convert) => {
    body = mapBody(memberOf(operation, 'requestBody'), {
      document,
      method,
      names,
      hidden: schemas.hidden.request,
      convert,
      note,
    });
    return inputSchema(parameters, body, convert);
  });
  let as: string | undefined;
  let isAny = false;
  const output = schemas.close('response', (convert) => {
    const mapped = mapResponses(memberOf(operation, 'responses'), { document, convert, note });
    ({ as } = mapped);
    isAny = mapped.schema === undefined;
    return mapped.schema ?? {};
  });
  if (input.cut || output.cut) note('Its schemas are large; their deeply nested parts allow any value');
  const isDeprecated = memberOf(operation, 'deprecated') === true;
  const { summary, ...described } = describeOperation(operation, source);
  const definition: JsonObject = {
    operation_key: key,
    version: 1,
    summary,
    effects: effectsOf(found.method),
    ...described,
    input_schema: withDefs(input),
    ...(!isAny && { output_schema: withDefs(output) }),
    implementation: {
      kind: 'api',
      ...(isDeprecated && { tags: ['deprecated'] }),
      api: {
        method,
        path,
        service,
        ...(endpoint !== 'default' && { endpoint }),
        ...paramsOf(parameters, body, method),
        ...(Object.keys(access.headers).length > 0 && { headers: access.headers }),
        ...(body?.section && { body: body.section }),
        ...(access.auth && { auth: access.auth }),
        ...(as !== undefined && { response: { as } }),
      },
    },
  };
  const like = namedLike(found.method, found.path, memberOf(operation, 'operationId'));
  return {
    ...{ key, source, definition, notes, credentials: access.credentials },
    ...(like && { namedLike: like }),
  };
}

/** A credential is for one host; calls to another host of a document get credentials of their own. */
function accessAt(endpoint: string, access: MappedSecurity, servers: ServerReader): MappedSecurity {
  if (access.credentials.length === 0 || !servers.isElsewhere(endpoint)) return access;
  const own = withOwnCredentials(access, endpoint);
  servers.notes.add(
    `Some operations are called at ${servers.endpoints[endpoint]}, which is another host: they take ${own.credentials.join(', ')}, and nothing that is meant for ${servers.endpoints.default}`,
  );
  return own;
}

function withDefs({ schema, $defs }: { schema: JsonObject; $defs: JsonObject }): JsonObject {
  return Object.keys($defs).length > 0 ? { ...schema, $defs } : schema;
}

function inputSchema(
  parameters: readonly MappedParameter[],
  body: MappedBody | undefined,
  convert: (schema: unknown) => JsonObject,
): JsonObject {
  const properties = Object.fromEntries(
    parameters.map((parameter) => [parameter.input, describeInput(parameter, convert(parameter.schema))]),
  );
  const needed = parameters.filter(({ required }) => required).map(({ input }) => input);
  const required = [...needed, ...(body?.required ?? [])];
  const all = { ...properties, ...body?.properties };
  const additional = body?.additional ?? false;
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(Object.keys(all).length > 0 && { properties: all }),
    ...(additional !== true && { additionalProperties: additional }),
  };
}

/** Entries only for parameters whose default place, name or style would be wrong. */
function paramsOf(parameters: readonly MappedParameter[], body: MappedBody | undefined, method: string): JsonObject {
  const params: Record<string, Json> = {};
  const goesToQuery = TO_THE_QUERY.has(method) && body?.section === undefined;
  for (const { input, place, name, form } of parameters) {
    const isUsual = place === 'path' || (place === 'query' && goesToQuery);
    if (isUsual && Object.keys(form).length === 0 && (place === 'path' || input === name)) continue;
    params[input] = { in: place, ...(place !== 'path' && input !== name && { name }), ...form };
  }
  const all: JsonObject = { ...params, ...body?.params };
  return Object.keys(all).length > 0 ? { params: all } : {};
}

const MAX_CHARACTERS = 1000;
const MAX_KEYWORDS = 10;

interface Description {
  summary: string;
  /** The document's text beyond the summary. */
  notes?: string;
  routing_hints?: JsonObject;
}

/** Tags become keywords. No `scope`: it would be a permission, which a foreign document cannot grant. */
function describeOperation(operation: Part, source: string): Description {
  const description = clean(memberOf(operation, 'description'));
  const stated = clean(memberOf(operation, 'summary'));
  // A summary that only repeats the name of the operation says nothing to a search.
  const isName = stated !== undefined && plainOf(stated) === plainOf(textOf(memberOf(operation, 'operationId')) ?? '');
  const summary = (isName ? description : undefined) ?? stated ?? description ?? source;
  const tags = listOf(memberOf(operation, 'tags')).flatMap((tag) => (textOf(tag) ? [cleanText(String(tag), 60)] : []));
  const keywords = [...new Set(tags.filter((tag) => tag !== ''))].slice(0, MAX_KEYWORDS);
  return {
    summary,
    ...(description !== undefined && description !== summary && { notes: description }),
    ...(keywords.length > 0 && { routing_hints: { keywords } }),
  };
}

/** Letters and digits alone: "Get pet by ID" is `getPetById`. */
function plainOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

function clean(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : cleanText(text, MAX_CHARACTERS) || undefined;
}

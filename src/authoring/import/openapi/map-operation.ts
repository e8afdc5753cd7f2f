import type { Json, JsonObject } from '../../../contracts/json.js';
import { EFFECTS_OF_METHODS } from '../../choices.js';
import type { ImportedOperation } from '../imported.js';
import { cleanText, follow, listOf, memberOf, NotExpressible, type Part, partOf, textOf } from './follow-reference.js';
import { type MappedBody, mapBody } from './map-body.js';
import {
  describeInput,
  InputNames,
  type MappedParameter,
  mapParameters,
  mapPath,
  parametersOf,
} from './map-parameters.js';
import { type MappedSecurity, type SecurityReader, withOwnCredentials } from './map-security.js';
import type { ServerReader } from './map-servers.js';
import { isBinary, type Media, mediaOf } from './media-types.js';
import { type Method, namedLike } from './methods.js';
import type { SchemaReader } from './schema-closure.js';

export interface FoundOperation {
  /** Method and path, unique in the document. */
  source: string;
  method: Method;
  path: string;
  pathItem: Part;
  operation: Part;
  operationId: unknown;
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

/** Methods whose unnamed inputs go to the query. */
const TO_THE_QUERY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/** @throws NotExpressible with the reason. Source: docs/api-calls.md; docs/imports.md#an-openapi-document. */
export function mapOperation(key: string, found: FoundOperation, readers: DocumentReaders): MappedOperation {
  const { source, pathItem, operation } = found;
  const { document, schemas, security, servers, service } = readers;
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(text);
  const method = found.method.toUpperCase() as Uppercase<Method>;
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
  const { summary, ...described } = describeOperation(found);
  const definition: JsonObject = {
    operation_key: key,
    version: 1,
    summary,
    effects: EFFECTS_OF_METHODS[method],
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
  const like = namedLike(found.method, found.path, found.operationId);
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
function describeOperation({ operation, operationId, source }: FoundOperation): Description {
  const description = clean(memberOf(operation, 'description'));
  const stated = clean(memberOf(operation, 'summary'));
  // A summary that only repeats the name of the operation says nothing to a search.
  const isName = stated !== undefined && plainOf(stated) === plainOf(textOf(operationId) ?? '');
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

interface MappedResponses {
  /** Absent: any output. */
  schema?: JsonObject;
  /** The `response` section; absent: JSON. */
  as?: 'text' | 'base64';
}

interface ResponseMapping {
  document: Part;
  convert(schema: unknown): JsonObject;
  note(text: string): void;
}

const NOTHING: JsonObject = { type: 'null' };

interface Success {
  form: 'json' | 'text' | 'base64' | 'nothing' | 'unsaid';
  /** Only for JSON. */
  schema?: unknown;
}

/** Maps successful responses to an output. @throws NotExpressible if the only one is an event stream. */
function mapResponses(listed: unknown, { document, convert, note }: ResponseMapping): MappedResponses {
  const successes = successesOf(document, listed);
  const forms = new Set(successes.map(({ form }) => form));
  const said = successes.filter(({ form }) => form !== 'nothing' && form !== 'unsaid');
  const [first, ...others] = [...new Set(said.map(({ form }) => form))];
  if (first === undefined) return forms.size === 1 && forms.has('nothing') ? { schema: NOTHING } : {};
  if (others.length > 0) {
    note('Its answers have several forms (JSON, text or bytes); any of them is accepted');
    return {};
  }
  if (first === 'text' || first === 'base64') return { as: first, schema: wrapped(first) };
  const branches = said.map(({ schema }) => (schema === undefined ? {} : convert(schema)));
  // A success without content, beside others with content, means that the body may be missing.
  if (said.length < successes.length) branches.push(NOTHING);
  const unique = [...new Map(branches.map((branch) => [JSON.stringify(branch), branch])).values()];
  if (unique.some((branch) => Object.keys(branch).length === 0)) return {};
  const [only] = unique;
  return { schema: unique.length === 1 && only ? only : { anyOf: unique satisfies Json } };
}

/** The output for text and bytes. */
function wrapped(form: 'text' | 'base64'): JsonObject {
  return { type: 'object', required: [form], properties: { [form]: { type: 'string' } } };
}

function successesOf(document: Part, listed: unknown): Success[] {
  const responses = partOf(listed);
  const codes = Object.keys(responses).filter((code) => /^2(\d\d|XX)$/i.test(code));
  const chosen = codes.length > 0 ? codes : Object.keys(responses).filter((code) => code === 'default');
  return chosen.map((code) => successOf(document, code, follow(document, memberOf(responses, code))));
}

function successOf(document: Part, code: string, response: unknown): Success {
  const media = mediaOf(memberOf(response, 'content'));
  if (media.length === 0) return { form: code === '204' || code === '205' ? 'nothing' : 'unsaid' };
  const json = media.find(({ family }) => family === 'json');
  if (json) return jsonOf(document, json);
  if (media.some(({ family }) => family === 'binary' || family === 'none')) return { form: 'base64' };
  if (media.some(({ family }) => family === 'text' || family === 'xml' || family === 'form')) {
    const bytes = media.every(({ about }) => isBinary(document, memberOf(about, 'schema')));
    return { form: bytes ? 'base64' : 'text' };
  }
  if (media.every(({ family }) => family === 'stream')) {
    throw new NotExpressible(`its answer is a stream of events (${media.map(({ type }) => type).join(', ')})`);
  }
  return { form: 'base64' };
}

/** Treats a media range with a binary schema as bytes. */
function jsonOf(document: Part, { type, about }: Media): Success {
  const schema = memberOf(about, 'schema');
  if (type.includes('*') && isBinary(document, schema)) return { form: 'base64' };
  return { form: 'json', schema };
}

import { isJsonObject, type JsonObject } from '../../../contracts/json.js';
import { isPart, listOf, memberOf, type Part, partOf, textOf } from '../openapi/document-parts.js';
import type { KnownOperation } from './find-operation.js';
import { NotTranslated } from './not-translated.js';
import { type Reading, readValue } from './reading.js';
import { readBody } from './request-body.js';

const TO_THE_QUERY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/** A step's parameters and body as input of its operation. @throws NotTranslated for an unknown parameter. */
export function readInputs(
  operation: KnownOperation,
  parameters: readonly Part[],
  requestBody: unknown,
  reading: Reading,
): JsonObject {
  const api = memberOf(memberOf(operation.definition, 'implementation'), 'api');
  if (!isPart(api)) throw new NotTranslated(`${operation.key} is no call over HTTP any more`, reading.place);
  const found = inputsOf(operation, api);
  const given: [string, JsonObject[string]][] = parameters.map((parameter, index) => {
    const at = { ...reading, place: `${reading.place}.parameters[${index}]` };
    return [inputFor(parameter, operation, api, found, at), readValue(memberOf(parameter, 'value'), at)];
  });
  const fields = new Map(
    [...found.values()].filter(({ place }) => place === 'body').map(({ name, input }) => [name, input]),
  );
  const body = isPart(requestBody)
    ? readBody(requestBody, api, fields, { ...reading, place: `${reading.place}.requestBody` })
    : {};
  const input: JsonObject = { ...Object.fromEntries(given), ...body };
  refuseIncomplete(operation, input, reading.place);
  return input;
}

/** Refuses a step that omits a required input: such a call would always be refused. */
function refuseIncomplete({ key, definition }: KnownOperation, input: JsonObject, place: string): void {
  const schema = memberOf(definition, 'input_schema');
  const missing = missingIn(schema, schema, input, '');
  if (missing.length > 0)
    throw new NotTranslated(`${key} needs ${missing.join(', ')}, which the step does not give`, place);
}

function missingIn(root: unknown, schema: unknown, value: JsonObject, at: string): string[] {
  const target = targetOf(root, schema);
  const missing = listOf(memberOf(target, 'required')).filter((name) => !Object.hasOwn(value, String(name)));
  const inner = Object.entries(value).flatMap(([name, item]) =>
    isJsonObject(item) ? missingIn(root, memberOf(memberOf(target, 'properties'), name), item, `${at}${name}.`) : [],
  );
  return [...missing.map((name) => `${at}${String(name)}`), ...inner];
}

function targetOf(root: unknown, schema: unknown): unknown {
  const [, name] = /^#\/\$defs\/(.+)$/.exec(String(memberOf(schema, '$ref') ?? '')) ?? [];
  return name === undefined ? schema : memberOf(memberOf(root, '$defs'), name);
}

interface KnownInput {
  place: string;
  name: string;
  input: string;
}

/** Inputs of an operation by place and name in the API, as the import mapped them. */
function inputsOf({ definition }: KnownOperation, api: Part): Map<string, KnownInput> {
  const params = partOf(memberOf(api, 'params'));
  const path = String(memberOf(api, 'path') ?? '/');
  const inPath = new Set([...path.matchAll(/\{\+?([^{}]+)\}/g)].map(([, name = '']) => name));
  const toQuery = TO_THE_QUERY.has(String(memberOf(api, 'method') ?? 'GET')) && memberOf(api, 'body') === undefined;
  const known = new Map<string, KnownInput>();
  for (const input of Object.keys(partOf(memberOf(memberOf(definition, 'input_schema'), 'properties')))) {
    const param = memberOf(params, input);
    const place = textOf(memberOf(param, 'in')) ?? (inPath.has(input) ? 'path' : toQuery ? 'query' : 'body');
    const name = textOf(memberOf(param, 'name')) ?? input;
    known.set(keyOf(place, name), { place, name, input });
  }
  return known;
}

function keyOf(place: string, name: string): string {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
}

function inputFor(
  parameter: Part,
  { key }: KnownOperation,
  api: Part,
  known: ReadonlyMap<string, KnownInput>,
  { place: at }: Reading,
): string {
  const [name, place] = [textOf(memberOf(parameter, 'name')), textOf(memberOf(parameter, 'in'))];
  if (name === undefined) throw new NotTranslated('it has no name', at);
  if (place === undefined) throw new NotTranslated(`the parameter ${name} does not say where it goes (\`in\`)`, at);
  const found =
    known.get(keyOf(place, name)) ??
    (place === 'path' ? known.get(keyOf(place, name.replaceAll(/[^A-Za-z0-9_.-]+/g, '_'))) : undefined);
  if (found) return found.input;
  const isGiven = Object.keys(partOf(memberOf(api, 'headers'))).some(
    (header) => header.toLowerCase() === name.toLowerCase(),
  );
  if (place === 'header' && (isGiven || name.toLowerCase() === 'authorization')) {
    throw new NotTranslated(`the header ${name} is sent with the credentials of the service, and not by a step`, at);
  }
  throw new NotTranslated(`${key} has no parameter ${name} in ${place}`, at);
}

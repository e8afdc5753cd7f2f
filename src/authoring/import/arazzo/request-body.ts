import type { Json, JsonObject } from '../../../contracts/json.js';
import { isPart, listOf, memberOf, type Part, partOf, pointerTokens, textOf } from '../openapi/document-parts.js';
import { singularPath } from './json-path.js';
import { NotTranslated } from './not-translated.js';
import { isSelector, parseExpression, type Reading, readOperand, readValue, typeNamed } from './reading.js';
import { orNull, selectOptional, template } from './write-cel.js';

/** The default media type of each kind of body. */
const USUAL: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  text: 'text/plain',
  binary: 'application/octet-stream',
};

/** @param fieldInputs inputs that are fields of the body, by the document's names. @throws NotTranslated */
export function readBody(
  requestBody: Part,
  api: Part,
  fieldInputs: ReadonlyMap<string, string>,
  reading: Reading,
): JsonObject {
  const refuse = (what: string): never => {
    throw new NotTranslated(what, reading.place);
  };
  const section = partOf(memberOf(api, 'body'));
  const type = String(memberOf(section, 'type') ?? 'json');
  const sent = String(memberOf(section, 'content_type') ?? USUAL[type]);
  const wanted = textOf(memberOf(requestBody, 'contentType'));
  if (wanted !== undefined && baseOf(wanted) !== baseOf(sent)) {
    refuse(`its body is ${wanted}, and the operation was imported with ${sent}`);
  }
  const payload = replaced(payloadOf(memberOf(requestBody, 'payload'), type, refuse), requestBody, refuse);
  const whole = /^\$\{\{ input\.\??([A-Za-z_][A-Za-z0-9_]*) \}\}$/.exec(String(memberOf(section, 'value') ?? ''));
  if (whole?.[1]) return { [whole[1]]: readValue(payload, reading) };
  if (memberOf(section, 'value') !== undefined) return refuse('the body of the operation was written by hand');
  return fieldsOf(payload, fieldInputs, reading, refuse);
}

function fieldsOf(
  payload: unknown,
  fieldInputs: ReadonlyMap<string, string>,
  reading: Reading,
  refuse: (what: string) => never,
): JsonObject {
  if (payload === undefined) return {};
  const isExpression = isSelector(payload) || (typeof payload === 'string' && parseExpression(payload) !== undefined);
  if (isExpression) {
    reading.note(`Of the payload at ${reading.place} only the fields that the operation describes are sent`);
    const value = readOperand(payload, reading);
    const base = value.optional ? `${orNull(value)}` : value.cel;
    const fields = [...fieldInputs].map(([name, input]) => {
      const member = value.optional ? selectOptional(value.cel, name) : selectOptional(base, name);
      return [input, template({ cel: member })];
    });
    return Object.fromEntries(fields) as JsonObject;
  }
  if (!isPart(payload)) return refuse('its payload is not a map, but the operation requires the fields of one');
  return Object.fromEntries(
    Object.entries(payload).map(([name, value]): [string, Json] => [
      fieldInputs.get(name) ?? name,
      readValue(value, reading),
    ]),
  );
}

/** A payload given as JSON text is parsed; an unquoted expression in it keeps its type. */
function payloadOf(payload: unknown, type: string, refuse: (what: string) => never): unknown {
  if (typeof payload !== 'string' || parseExpression(payload) || type === 'text' || type === 'binary') return payload;
  if (type !== 'json') return refuse(`a text as the payload of a ${type} body cannot be translated; write its fields`);
  const bare = payload.replaceAll(/"(?:[^"\\]|\\.)*"|\{(\$[^{}]+)\}/g, (found, expression?: string) =>
    expression === undefined ? found : JSON.stringify(expression),
  );
  try {
    return JSON.parse(bare) as unknown;
  } catch {
    return refuse('its payload is a text, and no JSON');
  }
}

function replaced(payload: unknown, requestBody: Part, refuse: (what: string) => never): unknown {
  const replacements = listOf(memberOf(requestBody, 'replacements'));
  if (replacements.length === 0) return payload;
  if (payload !== undefined && (typeof payload !== 'object' || isSelector(payload))) {
    return refuse('replacements in a payload that is an expression cannot be translated');
  }
  const copy = structuredClone(payload ?? {}) as Json;
  for (const replacement of replacements) {
    const tokens = targetOf(replacement, refuse);
    put(copy, tokens, memberOf(replacement, 'value') as Json, refuse);
  }
  return copy;
}

function targetOf(replacement: unknown, refuse: (what: string) => never): (string | number)[] {
  const target = String(memberOf(replacement, 'target') ?? '');
  const said = memberOf(replacement, 'targetSelectorType');
  const type = said === undefined ? 'jsonpointer' : typeNamed(said, refuse);
  const tokens =
    type === 'jsonpointer'
      ? target.startsWith('/')
        ? pointerTokens(target)
        : undefined
      : type === 'jsonpath'
        ? singularPath(target, refuse)
        : undefined;
  return tokens && tokens.length > 0 ? tokens : refuse(`the replacement at ${target} cannot be translated`);
}

function put(root: Json, tokens: (string | number)[], value: Json, refuse: (what: string) => never): void {
  let at: Json = root;
  for (const [index, token] of tokens.entries()) {
    const isPlace = Array.isArray(at) ? Number(token) < at.length : at !== null && typeof at === 'object';
    if (!isPlace || token === '__proto__') refuse(`the replacement at /${tokens.join('/')} leads nowhere`);
    const holder = at as Record<string | number, Json>;
    if (index === tokens.length - 1) holder[token] = value;
    else at = Object.hasOwn(holder, token) ? (holder[token] as Json) : null;
  }
}

function baseOf(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

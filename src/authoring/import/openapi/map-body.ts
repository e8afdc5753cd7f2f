import type { JsonObject } from '../../../contracts/json.js';
import {
  cleanText,
  follow,
  isPart,
  listOf,
  memberOf,
  NotExpressible,
  type Part,
  partOf,
  textOf,
} from './follow-reference.js';
import type { HiddenNames } from './hidden-names.js';
import { type InputNames, styleOf } from './map-parameters.js';
import { fileSchema, isBinary, type Media, type MediaFamily, mediaOf, wholeFileSchema } from './media-types.js';

export interface MappedBody {
  properties: JsonObject;
  required: string[];
  /** Entries of `params` for fields with another name or style in the API. */
  params: JsonObject;
  /** The `body` section; absent: the default of an `api` implementation. */
  section?: JsonObject;
  /** Schema of undeclared inputs; false: none are allowed. */
  additional: JsonObject | boolean;
}

interface BodyMapping {
  document: Part;
  method: string;
  names: InputNames;
  hidden: HiddenNames;
  convert(schema: unknown): JsonObject;
  note(text: string): void;
}

/** Preferred media types, those that say most about their content first. */
const PREFERENCE: readonly MediaFamily[] = ['json', 'form', 'multipart', 'text', 'binary'];

/** Methods whose body has no meaning. Source: RFC 9110, 9.3.1. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Undefined: nothing is sent. Properties of an object become inputs; any other body becomes one input, `body`.
 * @throws NotExpressible if the body is required and no `api` implementation can send it.
 */
export function mapBody(listed: unknown, mapping: BodyMapping): MappedBody | undefined {
  const requestBody = follow(mapping.document, listed);
  const media = mediaOf(memberOf(requestBody, 'content'));
  if (media.length === 0) return undefined;
  const required = memberOf(requestBody, 'required') === true;
  if (WITHOUT_BODY.has(mapping.method)) {
    if (required) throw new NotExpressible(`it wants a body with ${mapping.method}, which has none`);
    mapping.note(`The body of this ${mapping.method} is left out: ${mapping.method} has none`);
    return undefined;
  }
  const chosen = choose(media, mapping.document);
  if (!chosen) {
    if (!required) {
      mapping.note(`Its optional body, ${typesOf(media)}, cannot be sent and is left out`);
      return undefined;
    }
    throw new NotExpressible(reasonFor(media));
  }
  const others = media.filter(({ family, type }) => type !== chosen.type && family !== chosen.family);
  if (others.length > 0) mapping.note(`Its body is sent as ${chosen.type}; ${typesOf(others)} would be possible, too`);
  const description = textOf(memberOf(requestBody, 'description'));
  return fieldsOf(chosen, required, mapping) ?? wholeOf(chosen, required, description, mapping);
}

function choose(media: Media[], document: Part): Media | undefined {
  const ranked = PREFERENCE.flatMap((family) => media.filter((one) => one.family === family));
  const [first] = ranked;
  // A form cannot hold files; prefer multipart if the body has files and may be either.
  const multipart = ranked.find(({ family }) => family === 'multipart');
  if (first?.family !== 'form' || !multipart) return first;
  const properties = plainObjectOf(document, memberOf(multipart.about, 'schema'))?.properties ?? new Map();
  return [...properties.values()].some((schema) => holdsFiles(document, schema)) ? multipart : first;
}

function reasonFor(media: Media[]): string {
  const types = typesOf(media);
  if (media.every(({ family }) => family === 'xml')) return `its body is XML only (${types})`;
  if (media.every(({ family }) => family === 'stream')) return `its body is a stream (${types})`;
  return `its body can only be ${types}`;
}

function typesOf(media: Media[]): string {
  return media.map(({ type }) => cleanText(type, 60)).join(', ');
}

/** Maps each field of an object to an input; undefined if that is not possible. */
function fieldsOf(media: Media, bodyRequired: boolean, mapping: BodyMapping): MappedBody | undefined {
  const { document, names, convert, method } = mapping;
  const { family, about } = media;
  if (family !== 'json' && family !== 'form' && family !== 'multipart') return undefined;
  const object = plainObjectOf(document, memberOf(about, 'schema'));
  if (!object) return undefined;
  const hidden = mapping.hidden.own({ properties: Object.fromEntries(object.properties) });
  const wanted = [...object.required].filter((name) => !hidden.has(name));
  // The body is optional, but these fields are required in it; as separate inputs they would all be optional.
  if (!bodyRequired && wanted.length > 0) return undefined;
  const mapped: MappedBody = {
    properties: {},
    required: [],
    params: {},
    additional: typeof object.additional === 'boolean' ? object.additional : convert(object.additional),
  };
  const encoding = partOf(memberOf(about, 'encoding'));
  for (const [name, schema] of object.properties) {
    if (hidden.has(name)) continue;
    if (name === '__proto__') throw new NotExpressible('its body has a field __proto__');
    const input = names.take(name, 'body');
    mapped.properties[input] =
      family === 'multipart' && holdsFiles(document, schema) ? filesOf(document, schema) : convert(schema);
    if (wanted.includes(name)) mapped.required.push(input);
    const style = family === 'form' ? formStyleOf(document, partOf(memberOf(encoding, name)), schema) : {};
    if (input === name && Object.keys(style).length === 0) continue;
    mapped.params[input] = { in: 'body', ...(input !== name && { name }), ...style };
  }
  // A body with a required field is never empty.
  const isSentEmpty = bodyRequired && mapped.required.length === 0;
  const section = { ...sectionOf(media), ...(isSentEmpty && { required: true }) };
  // Without a `body` section, inputs without a name would go into the query.
  const needsSection = method === 'DELETE' || method === 'OPTIONS' || Object.keys(section).length > 0;
  return { ...mapped, ...(needsSection && { section: { type: family, ...section } }) };
}

/** A map in a form is JSON unless a style is given. Source: OpenAPI Specification 3.1.1, "Encoding Object". */
function formStyleOf(document: Part, encoding: Part, schema: unknown): JsonObject {
  const saysStyle = ['style', 'explode', 'allowReserved'].some((key) => memberOf(encoding, key) !== undefined);
  const style = styleOf(document, encoding, 'body', schema);
  return !saysStyle && style.style === 'form' ? { style: 'json' } : style;
}

function wholeOf(media: Media, required: boolean, description: string | undefined, mapping: BodyMapping): MappedBody {
  const { document, names, convert } = mapping;
  const { family, about } = media;
  const input = names.take(names.has('body') ? 'request_body' : 'body', 'whole');
  const schema = memberOf(about, 'schema');
  const said = description === undefined ? undefined : cleanText(description, 400);
  if (family === 'multipart' && wholeHoldsFiles(document, schema)) {
    throw new NotExpressible('its multipart body has files and is no plain list of fields');
  }
  const converted = family === 'binary' ? fileSchema(said) : family === 'text' ? { type: 'string' } : convert(schema);
  const described = said === undefined ? converted : { ...converted, description: said };
  return {
    properties: { [input]: described },
    required: required ? [input] : [],
    params: {},
    section: { type: family, ...sectionOf(media), value: `\${{ input.${required ? '' : '?'}${input} }}` },
    additional: false,
  };
}

/** States the content type if it is not the default of its family. */
function sectionOf({ type, family }: Media): JsonObject {
  const usual: Partial<Record<MediaFamily, string>> = {
    json: 'application/json',
    form: 'application/x-www-form-urlencoded',
    multipart: 'multipart/form-data',
    text: 'text/plain',
    binary: 'application/octet-stream',
  };
  const isSaid = type !== usual[family] && !type.includes('*');
  return { ...(family !== 'json' && { type: family }), ...(isSaid && { content_type: type }) };
}

function holdsFiles(document: Part, schema: unknown): boolean {
  const target = follow(document, schema);
  return isBinary(document, target) || isBinaryList(document, target);
}

function isBinaryList(document: Part, target: unknown): boolean {
  return memberOf(target, 'type') === 'array' && isBinary(document, memberOf(target, 'items'));
}

function filesOf(document: Part, schema: unknown): JsonObject {
  const target = follow(document, schema);
  const said = textOf(memberOf(target, 'description'));
  const description = said === undefined ? undefined : cleanText(said, 400);
  if (!isBinaryList(document, target)) return wholeFileSchema(description);
  return { ...(description !== undefined && { description }), type: 'array', items: wholeFileSchema() };
}

function wholeHoldsFiles(document: Part, schema: unknown): boolean {
  const properties = partOf(memberOf(follow(document, schema), 'properties'));
  return Object.values(properties).some((property) => holdsFiles(document, property));
}

interface PlainObject {
  properties: Map<string, unknown>;
  required: Set<string>;
  /** Schema of further members, or whether any are allowed. */
  additional: unknown;
}

/** Keywords that allow mapping by property: they only describe, or are handled here. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'allOf', 'title', 'description', 'example', 'examples'],
  ...['default', 'deprecated', 'xml', 'externalDocs', '$schema', '$id', '$comment', 'readOnly', 'writeOnly'],
]);

const MAX_PARTS = 50;

/**
 * Flattens an object schema, with its references and `allOf`.
 * @returns undefined if it is no object or has constraints beyond its properties; then it stays one input.
 */
function plainObjectOf(document: Part, schema: unknown): PlainObject | undefined {
  const found: PlainObject = { properties: new Map(), required: new Set(), additional: true };
  return gather(document, schema, found, new Set()) && found.properties.size > 0 ? found : undefined;
}

/** @param seen the expanded schemas; a repeated one would recurse without end. */
function gather(document: Part, schema: unknown, found: PlainObject, seen: Set<unknown>): boolean {
  const target = follow(document, schema);
  if (!isPart(target) || seen.has(target) || seen.size > MAX_PARTS) return false;
  seen.add(target);
  const keys = Object.keys(target).filter((key) => !key.startsWith('x-'));
  const additional = memberOf(target, 'additionalProperties');
  const isClosed = additional !== undefined && additional !== true;
  if (!keys.every((key) => ALLOWED.has(key)) || ![undefined, 'object'].includes(typeNameOf(target))) return false;
  const branches = listOf(memberOf(target, 'allOf'));
  if (isClosed && (branches.length > 0 || seen.size > 1)) return false;
  for (const [name, property] of Object.entries(partOf(memberOf(target, 'properties')))) {
    // A property with two schemas must match both; an input has only one.
    if (found.properties.has(name)) return false;
    found.properties.set(name, property);
  }
  for (const name of listOf(memberOf(target, 'required'))) if (typeof name === 'string') found.required.add(name);
  if (isClosed) found.additional = additional;
  return branches.every((branch) => gather(document, branch, found, seen));
}

function typeNameOf(schema: Part): string | undefined {
  const type = memberOf(schema, 'type');
  if (Array.isArray(type) && type.length === 1) return String(type[0]);
  return type === undefined ? undefined : String(type);
}

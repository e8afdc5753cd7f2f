import type { ApiPlace, ApiStyle } from '../../contracts/api.js';
import type { JsonObject } from '../../contracts/json.js';
import { defaultExplode, defaultStyle, STYLES_IN } from '../../definitions/api-styles.js';
import { cleanText } from './clean-text.js';
import { isPart, listOf, memberOf, type Part, textOf } from './document-parts.js';
import { follow } from './follow-reference.js';
import type { InputNames } from './input-names.js';
import { mediaOf } from './media-types.js';
import { NotExpressible } from './not-expressible.js';
import { kindsOf } from './value-kinds.js';

/** One parameter as an input of ours. */
export interface MappedParameter {
  input: string;
  place: ApiPlace;
  /** What it is called over there. */
  name: string;
  required: boolean;
  /** Its schema as it stands in the document. */
  schema: unknown;
  description: string | undefined;
  deprecated: boolean;
  /** What `params` must say of it besides its place; empty: nothing. */
  form: { style?: ApiStyle; explode?: boolean; allow_reserved?: true };
}

/** What goes into headers and the query without being an input, in small letters with the place in front. */
export type GivenNames = ReadonlySet<string>;

/** What RFC 9110 lets a name of a header or cookie consist of. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Said elsewhere in a document, so that parameters of these names are to be ignored. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/** Headers that the runtime writes, or the connection. */
const NEVER_INPUT: ReadonlySet<string> = new Set([
  ...['idempotency-key', 'connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'cookie'],
]);

/** The order in which inputs get their names: a path has no other place to go. */
const PLACES: readonly ApiPlace[] = ['path', 'query', 'header', 'cookie'];

/**
 * The parameters of an operation: those of its path, overridden by its own.
 *
 * @throws NotExpressible for one that is required and cannot be sent.
 */
export function mapParameters(
  document: Part,
  parameters: readonly unknown[],
  { names, given, note }: { names: InputNames; given: GivenNames; note(text: string): void },
): MappedParameter[] {
  const found = new Map<string, Part>();
  for (const listed of parameters) {
    const parameter = follow(document, listed);
    const [name, place] = [memberOf(parameter, 'name'), memberOf(parameter, 'in')];
    if (!isPart(parameter) || typeof name !== 'string' || !isPlace(place)) continue;
    found.set(place === 'header' ? `header ${name.toLowerCase()}` : `${place} ${name}`, parameter);
  }
  const inOrder = [...found].sort(([, a], [, b]) => PLACES.indexOf(placeOf(a)) - PLACES.indexOf(placeOf(b)));
  return inOrder.flatMap(([key, parameter]) => {
    const place = placeOf(parameter);
    const name = String(memberOf(parameter, 'name'));
    if (given.has(key) || (place === 'header' && SAID_ELSEWHERE.has(name.toLowerCase()))) return [];
    const fault = faultOf(place, name);
    if (fault === undefined) return [mapOne(document, parameter, place, name, names)];
    if (memberOf(parameter, 'required') === true && name.toLowerCase() !== 'idempotency-key') {
      throw new NotExpressible(`its ${place} parameter ${name} ${fault}`);
    }
    note(`The ${place} parameter ${name} ${fault}, and is left out`);
    return [];
  });
}

function isPlace(place: unknown): place is ApiPlace {
  return PLACES.some((known) => known === place);
}

function placeOf(parameter: Part): ApiPlace {
  const place = memberOf(parameter, 'in');
  return isPlace(place) ? place : 'query';
}

function faultOf(place: ApiPlace, name: string): string | undefined {
  if (name === '__proto__' || name === '') return 'has a name that no input can have';
  if (place !== 'header' && place !== 'cookie') return undefined;
  if (!TOKEN.test(name)) return `has a name that no ${place} can have`;
  return place === 'header' && NEVER_INPUT.has(name.toLowerCase()) ? 'is written by the runtime' : undefined;
}

function mapOne(document: Part, parameter: Part, place: ApiPlace, name: string, names: InputNames): MappedParameter {
  const { schema, asJson } = schemaOf(parameter);
  return {
    input: names.take(place === 'path' ? holeNameOf(name) : name, place),
    place,
    name,
    required: place === 'path' || memberOf(parameter, 'required') === true,
    schema,
    description: textOf(memberOf(parameter, 'description')),
    deprecated: memberOf(parameter, 'deprecated') === true,
    form: asJson ? { style: 'json' } : formOf(document, parameter, place, schema),
  };
}

/** In a path of ours a name stands in braces and is nobody else's business, so that it may be changed. */
export function holeNameOf(name: string): string {
  const legal = name.replaceAll(/[^A-Za-z0-9_.-]+/g, '_');
  return /^[A-Za-z_]/.test(legal) ? legal : `_${legal}`;
}

function schemaOf(parameter: Part): { schema: unknown; asJson: boolean } {
  const [media] = mediaOf(memberOf(parameter, 'content'));
  if (!media) return { schema: memberOf(parameter, 'schema'), asJson: false };
  return { schema: memberOf(media.about, 'schema'), asJson: media.family === 'json' };
}

/** Only what differs from what `params` would mean without it. */
function formOf(document: Part, parameter: Part, place: ApiPlace, schema: unknown): MappedParameter['form'] {
  return {
    ...styleOf(document, parameter, place, schema),
    ...(place === 'query' && memberOf(parameter, 'allowReserved') === true && { allow_reserved: true }),
  };
}

/** Style and explode, of parameters and of the fields of a form. */
export function styleOf(
  document: Part,
  about: Part,
  place: ApiPlace,
  schema: unknown,
): { style?: ApiStyle; explode?: boolean } {
  const kinds = kindsOf(schema, document);
  const said = memberOf(about, 'style');
  const standard = defaultStyle(place);
  const style = STYLES_IN[place].find((known) => known === said) ?? standard;
  if (!kinds.list && !kinds.map && style !== 'label' && style !== 'matrix') return {};
  const explode = memberOf(about, 'explode');
  // Without a word of it, `form` explodes and the others do not. Source: OpenAPI Specification 3.1.1.
  const exploded = typeof explode === 'boolean' ? explode : style === 'form';
  const tells = style !== 'deepObject' && exploded !== defaultExplode(style);
  return {
    ...(style !== standard || kinds.map || place === 'path' ? { style } : {}),
    ...(tells && { explode: exploded }),
  };
}

/** The schema of an input, with what the parameter says besides. */
export function describeInput({ description, deprecated }: MappedParameter, schema: JsonObject): JsonObject {
  const [standard = ''] = /Default over there: .*$/.exec(String(schema.description ?? '')) ?? [];
  const own = description === undefined ? undefined : `${cleanText(description, 400)} ${standard}`.trim();
  return { ...schema, ...(own !== undefined && { description: own }), ...(deprecated && { deprecated: true }) };
}

/** The parameters of a path item and of an operation in it, in one list. */
export function parametersOf(pathItem: Part, operation: Part): unknown[] {
  return [...listOf(memberOf(pathItem, 'parameters')), ...listOf(memberOf(operation, 'parameters'))];
}

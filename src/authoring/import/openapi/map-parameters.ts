import type { ApiPlace, ApiStyle } from '../../../contracts/api.js';
import type { JsonObject } from '../../../contracts/json.js';
import { RESERVED_NAMES } from '../../../contracts/names.js';
import { defaultExplode, defaultStyle, STYLES_IN } from '../../../definitions/api-styles.js';
import { freeName } from '../../../text/free-name.js';
import { cleanText, follow, isPart, listOf, memberOf, NotExpressible, type Part, textOf } from './follow-reference.js';
import { mediaOf } from './media-types.js';

export interface MappedParameter {
  input: string;
  place: ApiPlace;
  /** Its name in the API. */
  name: string;
  required: boolean;
  /** The schema in the document, not converted yet. */
  schema: unknown;
  description: string | undefined;
  deprecated: boolean;
  /** Style in the entry of `params`; empty: the default. */
  form: { style?: ApiStyle; explode?: boolean; allow_reserved?: true };
}

/** Header and query names that are not inputs, in lowercase after their place: `header x-key`. */
export type GivenNames = ReadonlySet<string>;

/** Names of headers and cookies according to RFC 9110. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** OpenAPI declares these headers elsewhere, and ignores parameters with their names. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/** Headers that the runtime or the connection writes. */
const NEVER_INPUT: ReadonlySet<string> = new Set([
  ...['idempotency-key', 'connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'cookie'],
]);

/** Order of naming inputs; path parameters come first, since they have no other place. */
const PLACES: readonly ApiPlace[] = ['path', 'query', 'header', 'cookie'];

/** Own parameters override those of the path. @throws NotExpressible if a required one cannot be sent. */
export function mapParameters(
  document: Part,
  parameters: readonly unknown[],
  { names, given, note }: { names: InputNames; given: GivenNames; note(text: string): void },
): MappedParameter[] {
  const found = new Map<string, { parameter: Part; place: ApiPlace; name: string }>();
  for (const listed of parameters) {
    const parameter = follow(document, listed);
    const name = memberOf(parameter, 'name');
    const place = PLACES.find((known) => known === memberOf(parameter, 'in'));
    if (!isPart(parameter) || typeof name !== 'string' || place === undefined) continue;
    const key = place === 'header' ? `header ${name.toLowerCase()}` : `${place} ${name}`;
    found.set(key, { parameter, place, name });
  }
  const inOrder = [...found].sort(([, a], [, b]) => PLACES.indexOf(a.place) - PLACES.indexOf(b.place));
  return inOrder.flatMap(([key, { parameter, place, name }]) => {
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

/** A legal placeholder name; it may differ from the document's, since it is never sent. */
function holeNameOf(name: string): string {
  const legal = name.replaceAll(/[^A-Za-z0-9_.-]+/g, '_');
  return /^[A-Za-z_]/.test(legal) ? legal : `_${legal}`;
}

function schemaOf(parameter: Part): { schema: unknown; asJson: boolean } {
  const [media] = mediaOf(memberOf(parameter, 'content'));
  if (!media) return { schema: memberOf(parameter, 'schema'), asJson: false };
  return { schema: memberOf(media.about, 'schema'), asJson: media.family === 'json' };
}

/** Only what differs from the defaults of `params`. */
function formOf(document: Part, parameter: Part, place: ApiPlace, schema: unknown): MappedParameter['form'] {
  return {
    ...styleOf(document, parameter, place, schema),
    ...(place === 'query' && memberOf(parameter, 'allowReserved') === true && { allow_reserved: true }),
  };
}

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
  // By default `form` explodes and the other styles do not. Source: OpenAPI Specification 3.1.1.
  const exploded = typeof explode === 'boolean' ? explode : style === 'form';
  const isUnusual = style !== 'deepObject' && exploded !== defaultExplode(style);
  return {
    ...(style !== standard || kinds.map || place === 'path' ? { style } : {}),
    ...(isUnusual && { explode: exploded }),
  };
}

/** The schema of an input, with description and deprecation of its parameter. */
export function describeInput({ description, deprecated }: MappedParameter, schema: JsonObject): JsonObject {
  const [standard = ''] = /Default of the service: .*$/.exec(String(schema.description ?? '')) ?? [];
  const own = description === undefined ? undefined : `${cleanText(description, 400)} ${standard}`.trim();
  return { ...schema, ...(own !== undefined && { description: own }), ...(deprecated && { deprecated: true }) };
}

export function parametersOf(pathItem: Part, operation: Part): unknown[] {
  return [...listOf(memberOf(pathItem, 'parameters')), ...listOf(memberOf(operation, 'parameters'))];
}

interface MappedPath {
  path: string;
  /** Without parameters that the path does not contain, and with undeclared ones that it contains. */
  parameters: MappedParameter[];
}

/**
 * Maps the key of a path item: `/users/{user id}` to `/users/{user_id}`; `{path+}` keeps slashes.
 * @throws NotExpressible for a query or fragment in the key, and for unbalanced braces.
 */
export function mapPath(key: string, parameters: readonly MappedParameter[], names: InputNames): MappedPath {
  if (/[?#]/.test(key))
    throw new NotExpressible(`its path has a ${key.includes('?') ? 'query (`?`)' : 'fragment (`#`)'}`);
  const undeclared: MappedParameter[] = [];
  const inputs = new Map(parameters.filter(({ place }) => place === 'path').map(({ name, input }) => [name, input]));
  const used = new Set<string>();
  const path = key.replaceAll(/\{(\+?)([^{}]*?)([+*]?)\}/g, (_, before: string, bare: string, after: string) => {
    const name = inputs.has(`${bare}${after}`) ? `${bare}${after}` : bare;
    let input = inputs.get(name);
    if (input === undefined) {
      input = names.take(holeNameOf(name), 'path');
      inputs.set(name, input);
      undeclared.push(plainText(input, name));
    }
    used.add(name);
    return `{${before || after ? '+' : ''}${input}}`;
  });
  if (/[{}]/.test(path.replaceAll(/\{\+?[A-Za-z_][A-Za-z0-9_.-]*\}/g, ''))) {
    throw new NotExpressible('its path has braces that do not match');
  }
  const sent = parameters.filter(({ place, name }) => place !== 'path' || used.has(name));
  return { path, parameters: [...sent, ...undeclared] };
}

function plainText(input: string, name: string): MappedParameter {
  const schema = { type: 'string' };
  return { input, place: 'path', name, required: true, schema, description: undefined, deprecated: false, form: {} };
}

/** The kinds of values that affect the encoding in a request. */
interface ValueKinds {
  list: boolean;
  map: boolean;
}

/** Maximum branches to check; a value with more of them may be of any kind. */
const MAX_VISITS = 200;

/** Whether values of a schema may be lists or maps; without information, only plain values. */
function kindsOf(schema: unknown, document: Part): ValueKinds {
  const kinds = { list: false, map: false };
  const open = [schema];
  for (let visit = 0; visit < MAX_VISITS && open.length > 0; visit += 1) {
    const next = open.pop();
    const target = follow(document, next);
    const types = [memberOf(target, 'type')].flat();
    const says = (type: string, ...keywords: string[]): boolean =>
      types.includes(type) ||
      (types[0] === undefined && keywords.some((keyword) => memberOf(target, keyword) !== undefined));
    kinds.list ||= says('array', 'items', 'prefixItems');
    kinds.map ||= says('object', 'properties', 'additionalProperties');
    for (const keyword of ['allOf', 'anyOf', 'oneOf'])
      open.push(...listOf(memberOf(target, keyword)).slice(0, MAX_VISITS));
  }
  return kinds;
}

/** Names the inputs of an operation: as in the document, unless the name is used or reserved. */
export class InputNames {
  private readonly taken = new Set<string>();

  /** @param place prefix if the name is taken or reserved: `query_id`. */
  take(name: string, place: string): string {
    const isUnfit = RESERVED_NAMES.has(name) || name === '' || this.taken.has(name);
    const chosen = freeName(isUnfit ? `${place}_${name}` : name, (other) => this.taken.has(other));
    this.taken.add(chosen);
    return chosen;
  }

  has(name: string): boolean {
    return this.taken.has(name);
  }
}

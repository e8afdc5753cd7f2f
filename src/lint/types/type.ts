import type { PlanOutputFile } from '../../contracts/files.js';
import type { Json } from '../../contracts/json.js';
import type { LintCode } from '../../contracts/lint-codes.js';
import { didYouMean, nearestNames } from '../../text/nearest.js';

/** The kinds of CEL besides lists, maps and optionals. */
const SCALARS = ['null', 'bool', 'int', 'double', 'string', 'uint', 'bytes', 'type', 'timestamp', 'duration'] as const;

export type Scalar = (typeof SCALARS)[number];

export interface MapType {
  kind: 'map';
  fields: ReadonlyMap<string, Field>;
  /** `none`: no other names. `unlisted`: others are allowed, without a schema. Else: the type of others. */
  others: 'none' | 'unlisted' | (() => Type);
  /** Whether the schema says which names are always present, so that any other one may be missing. */
  isPromise?: boolean | undefined;
}

export interface Field {
  /** A function, since schemas may refer to themselves. */
  type: () => Type;
  isOptional: boolean;
  /** Whether validation fills in a default for a missing value. */
  isFilled?: boolean;
}

export type Alternative =
  | { kind: 'any' }
  | { kind: Exclude<Scalar, 'string'> }
  /** `texts`: the only allowed values. */
  | { kind: 'string'; texts?: readonly string[] }
  | { kind: 'list'; item: () => Type }
  | MapType
  | { kind: 'optional'; of: Type };

/** All alternatives that a value may be; possibly more than occur at run time, never fewer. */
export type Type = readonly Alternative[];

export const ANY: Type = [{ kind: 'any' }];
export const BOOL: Type = [{ kind: 'bool' }];
export const INT: Type = [{ kind: 'int' }];
export const STRING: Type = [{ kind: 'string' }];
export const NULL: Type = [{ kind: 'null' }];

/** A union of more alternatives becomes {@link ANY}. */
const MAX_ALTERNATIVES = 40;

export function textsType(texts: readonly string[]): Type {
  return [{ kind: 'string', texts }];
}

export function listType(item: Type): Type {
  return [{ kind: 'list', item: () => item }];
}

/** `others`: the type of names besides `fields`; by default there are none. A plain type is always there. */
export function mapType(
  fields: Record<string, Type | Field>,
  others: MapType['others'] = 'none',
  isPromise?: true,
): readonly [MapType] {
  const entries = Object.entries(fields).map(([name, field]): [string, Field] => [
    name,
    'type' in field ? field : { type: () => field, isOptional: false },
  ]);
  return [{ kind: 'map', fields: new Map(entries), others, isPromise }];
}

/** The type of an item of a list; {@link ANY} if it may be no list. */
export function itemsOf(range: Type): Type {
  return isAny(range) ? ANY : unite(...range.flatMap((one) => (one.kind === 'list' ? [one.item()] : [])));
}

/** The union of types; {@link ANY} for an empty or a very large one. */
export function unite(...types: Type[]): Type {
  const all = types.flat();
  if (all.length === 0 || isAny(all) || all.length > MAX_ALTERNATIVES) return ANY;
  const strings = all.filter((one) => one.kind === 'string');
  const kept = new Map<string, Alternative>();
  for (const one of all) if (isScalar(one) && one.kind !== 'string') kept.set(one.kind, one);
  const [text] = strings;
  if (text) {
    const isLimited = strings.every(({ texts }) => texts);
    const texts = [...new Set(strings.flatMap((one) => one.texts ?? []))];
    kept.set('string', isLimited ? { kind: 'string', texts } : { kind: 'string' });
  }
  return [...kept.values(), ...new Set(all.filter((one) => !isScalar(one)))];
}

export function isAny(type: Type): boolean {
  return type.some(({ kind }) => kind === 'any');
}

function isScalar({ kind }: Alternative): boolean {
  return (SCALARS as readonly string[]).includes(kind);
}

/** Whether a value of the type may be of one of the kinds; always true for {@link ANY}. */
export function mayBe(type: Type, ...kinds: Alternative['kind'][]): boolean {
  return type.some(({ kind }) => kind === 'any' || kinds.includes(kind));
}

export function typeOfValue(value: Json): Type {
  if (value === null) return NULL;
  if (typeof value === 'string') return textsType([value]);
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? INT : [{ kind: 'double' }];
  if (Array.isArray(value)) return listType(unite(...value.map(typeOfValue)));
  return mapType(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, typeOfValue(item)])));
}

const WORDS: Partial<Record<Alternative['kind'], string>> = {
  any: 'anything',
  bool: 'true or false',
  int: 'a whole number',
  double: 'a number',
  string: 'a text',
  list: 'a list',
  map: 'a map',
  timestamp: 'a moment',
  duration: 'a duration of CEL',
  optional: 'an optional',
  bytes: 'bytes',
};

export function listNames(names: readonly string[]): string {
  const all = [...new Set(names)];
  return all.length > 12 ? `${all.slice(0, 12).join(', ')}, ..` : all.join(', ');
}

export function describeType(type: Type): string {
  const words = [...new Set(type.map(({ kind }) => WORDS[kind] ?? kind))];
  const last = words.pop();
  return words.length > 0 ? `${words.join(', ')} or ${last}` : (last ?? 'nothing');
}

/** An error in an expression, without its location. */
export interface Diagnostic {
  code: LintCode;
  message: string;
  /** Default: the fix of the code in `LINT_CODES`. */
  fix?: string | undefined;
}

export type Report = (diagnostic: Diagnostic) => void;

/** The intersection of both types; {@link ANY} if it is empty, since the schemas contradict each other. */
export function intersect(one: Type, other: Type): Type {
  if (isAny(one)) return other;
  if (isAny(other)) return one;
  const both = one.flatMap((a) => other.flatMap((b) => intersectOne(a, b)));
  return both.length === 0 || both.length > MAX_ALTERNATIVES ? ANY : both;
}

function intersectOne(a: Alternative, b: Alternative): Alternative[] {
  if (a.kind === 'map' && b.kind === 'map') return [intersectMaps(a, b)];
  if (a.kind === 'list' && b.kind === 'list') return [{ kind: 'list', item: () => intersect(a.item(), b.item()) }];
  if (a.kind === 'string' && b.kind === 'string') {
    if (!a.texts || !b.texts) return [a.texts ? a : b];
    const { texts } = b;
    return [{ kind: 'string', texts: a.texts.filter((text) => texts.includes(text)) }];
  }
  return a.kind === b.kind ? [a] : [];
}

function intersectMaps(a: MapType, b: MapType): MapType {
  const fields = new Map<string, Field>();
  for (const name of new Set([...a.fields.keys(), ...b.fields.keys()])) {
    const [one, other] = [a.fields.get(name), b.fields.get(name)];
    // If either map forbids the name, the result cannot have it.
    if ((!one && a.others === 'none') || (!other && b.others === 'none')) continue;
    fields.set(name, {
      type: () => intersect(one?.type() ?? ANY, other?.type() ?? ANY),
      isOptional: (one?.isOptional ?? true) && (other?.isOptional ?? true),
      isFilled: one?.isFilled === true || other?.isFilled === true,
    });
  }
  return { kind: 'map', fields, others: intersectOthers(a, b), isPromise: a.isPromise || b.isPromise };
}

/** `unlisted` if only one part lists names: the other one adds none. */
function intersectOthers({ others: a, fields: own }: MapType, { others: b, fields }: MapType): MapType['others'] {
  if (a === 'none' || b === 'none') return 'none';
  if (a === 'unlisted') return fields.size > 0 || b === 'unlisted' ? 'unlisted' : a;
  if (b === 'unlisted') return own.size > 0 ? 'unlisted' : b;
  return () => intersect(a(), b());
}

export const FILE: Type = mapType({ $file: STRING, name: STRING, bytes: INT, media_type: STRING });

export function mayBeFile(type: Type): boolean {
  return type.some((one) => one.kind === 'map' && one.fields.has('$file'));
}

/** The files that a contract names. A step that has not run, or failed, has none of them at run time. */
export function filesType(files: Readonly<Record<string, PlanOutputFile>>): Type {
  return mapType(
    Object.fromEntries(Object.entries(files).map(([name, { many }]) => [name, many ? listType(FILE) : FILE])),
  );
}

export interface Selection {
  name: string;
  /** The source text of the map. */
  from: string;
  /** Whether the name may be missing: read with `?` or `has()`, or known to exist from a condition. */
  isChecked: boolean;
}

/** The type of a member; reports a member that cannot exist, or may be missing and is read unchecked. */
export function select(type: Type, selection: Selection, report: Report): Type {
  const optionals = type.flatMap((one) => (one.kind === 'optional' ? [one.of] : []));
  if (optionals.length > 0) {
    return [{ kind: 'optional', of: select(unite(...optionals), { ...selection, isChecked: true }, report) }];
  }
  if (type.some(({ kind }) => kind === 'any')) return ANY;
  const maps = type.filter((one) => one.kind === 'map');
  const found = maps.flatMap((map) => typeIn(map, selection.name) ?? []);
  if (found.length > 0) {
    reportMissing(maps, selection, report);
    return unite(found);
  }
  const diagnostic = diagnosticOf(type, maps, selection);
  if (diagnostic) report(diagnostic);
  return ANY;
}

function typeIn({ fields, others }: MapType, name: string): Type | undefined {
  return fields.get(name)?.type() ?? (typeof others === 'function' ? others() : undefined);
}

function reportMissing(maps: MapType[], { name, from, isChecked }: Selection, report: Report): void {
  if (isChecked) return;
  const promised = maps.flatMap(({ fields, isPromise }): Field[] => {
    const field = fields.get(name);
    return field ? [{ ...field, isOptional: field.isOptional && isPromise === true }] : [];
  });
  if (promised.length === 0 || promised.some(({ isOptional }) => !isOptional)) return;
  if (maps.some(({ fields, others }) => !fields.has(name) && typeof others === 'function')) return;
  report({
    code: 'lint.optional_field',
    message: `\`${from}.${name}\` may be missing, and reading it then is an error`,
    fix: `Use \`${from}.?${name}.orValue(..)\`, or check first: \`has(${from}.${name})\`.`,
  });
}

function diagnosticOf(type: Type, maps: MapType[], { name, from, isChecked }: Selection): Diagnostic | undefined {
  if (maps.length === 0) {
    if (isChecked) return undefined;
    const message = `\`${from}\` is ${describeType(type)}, and has no \`${name}\``;
    return { code: 'lint.type_mismatch', message };
  }
  const names = maps.flatMap(({ fields }) => [...fields.keys()]);
  const isClosed = maps.every(({ others }) => others === 'none');
  const fix = didYouMean(name, names) ?? (names.length > 0 ? `There are: ${listNames(names)}.` : undefined);
  if (isClosed) {
    const message = `\`${from}\` never has \`${name}\``;
    return { code: isChecked ? 'lint.undeclared_field' : 'lint.unknown_field', message, fix };
  }
  if (isChecked && nearestNames(name, names).length === 0) return undefined;
  return { code: 'lint.undeclared_field', message: `The schema of \`${from}\` does not list \`${name}\``, fix };
}

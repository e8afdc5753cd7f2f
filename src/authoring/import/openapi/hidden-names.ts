import { follow, isPart, listOf, memberOf, type Part, partOf, unlessInexpressible } from './follow-reference.js';

/** Requests omit read-only values, and responses omit write-only ones. */
export type Direction = 'request' | 'response';

/** Keywords whose schemas describe the same value as their owner and its properties. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'] as const;

const MAX_LEVELS = 20;

const NONE: ReadonlySet<string> = new Set();

/** Names omitted in a direction. Source: OpenAPI Specification 3.0.4, `readOnly` and `writeOnly`. */
export class HiddenNames {
  private readonly mark: 'readOnly' | 'writeOnly';
  private readonly known = new WeakMap<Part, ReadonlySet<string>>();
  private readonly reached = new Map<unknown, boolean>();
  /** Whether the document hides anything; most hide nothing in responses and need no search. */
  private readonly hidesAny: boolean;
  /** Whether `unevaluatedProperties` may forbid properties from an outer schema. */
  readonly forbidsFromAfar: boolean;

  constructor(
    private readonly document: Part,
    readonly direction: Direction,
  ) {
    this.mark = direction === 'request' ? 'readOnly' : 'writeOnly';
    this.hidesAny = holds(document, this.mark);
    this.forbidsFromAfar = this.hidesAny && holds(document, 'unevaluatedProperties');
  }

  own(schema: Part): ReadonlySet<string> {
    if (!this.hidesAny) return NONE;
    const properties = Object.entries(partOf(memberOf(schema, 'properties')));
    const hidden = properties.filter(([, property]) => this.isHidden(property, 0)).map(([name]) => name);
    return hidden.length > 0 ? new Set(hidden) : NONE;
  }

  /** Names hidden by this schema or by others for the same value, such as `allOf` branches. */
  around(schema: Part): ReadonlySet<string> {
    if (!this.hidesAny) return NONE;
    const known = this.known.get(schema) ?? this.gather(schema);
    this.known.set(schema, known);
    return known;
  }

  /** As `around`, without one keyword: names that none of its branches may require. */
  besides(schema: Part, keyword: string): ReadonlySet<string> {
    return this.hidesAny ? this.gather(schema, keyword) : NONE;
  }

  /** Those of the names that a schema requires and does not itself hide. */
  requiredAmong(schema: unknown, names: ReadonlySet<string>): string[] {
    if (names.size === 0) return [];
    const parts = [...this.inPlace(schema)];
    const required = new Set(parts.flatMap(requiredIn));
    const hidden = new Set(parts.flatMap((part) => [...this.own(part)]));
    return [...names].filter((name) => required.has(name) && !hidden.has(name)).sort();
  }

  /** Whether hiding the names weakens the schema anywhere. */
  isTouched(schema: unknown, names: ReadonlySet<string>): boolean {
    if (!this.hidesAny) return false;
    return this.reaches(schema) || this.requiredAmong(schema, names).length > 0;
  }

  private gather(schema: Part, except?: string): ReadonlySet<string> {
    const names = [...this.inPlace(schema, except)].flatMap((part) => [...this.own(part)]);
    return names.length > 0 ? new Set(names) : NONE;
  }

  /** Adds a schema and all others for the same value. @param except a keyword of the schema that is left out. */
  private inPlace(schema: unknown, except?: string, found = new Set<Part>()): Set<Part> {
    const part = this.target(schema);
    if (!isPart(part) || found.has(part)) return found;
    found.add(part);
    for (const keyword of IN_PLACE) {
      if (keyword === except) continue;
      const held = memberOf(part, keyword);
      const inner = keyword === 'dependentSchemas' ? Object.values(partOf(held)) : [held].flat();
      for (const one of inner) this.inPlace(one, undefined, found);
    }
    return found;
  }

  /** Whether a schema hides anything, at any depth. */
  private reaches(start: unknown): boolean {
    const known = this.reached.get(start);
    if (known !== undefined) return known;
    const seen = new Set<unknown>();
    const open: unknown[] = [start];
    let found = false;
    while (open.length > 0 && !found) {
      const value = this.target(open.pop());
      if (value === null || typeof value !== 'object' || seen.has(value)) continue;
      seen.add(value);
      found = memberOf(value, this.mark) === true;
      open.push(...Object.values(value));
    }
    this.reached.set(start, found);
    return found;
  }

  private isHidden(property: unknown, level: number): boolean {
    if (level > MAX_LEVELS) return false;
    if (memberOf(property, this.mark) === true) return true;
    const target = this.target(property);
    if (memberOf(target, this.mark) === true) return true;
    return listOf(memberOf(target, 'allOf')).some((branch) => this.isHidden(branch, level + 1));
  }

  /** Resolves a reference; a missing target is undefined here and reported by the conversion. */
  private target(value: unknown): unknown {
    return unlessInexpressible(
      () => follow(this.document, value),
      () => undefined,
    );
  }
}

function requiredIn(part: Part): string[] {
  const lists = [memberOf(part, 'required'), ...Object.values(partOf(memberOf(part, 'dependentRequired')))];
  return lists.flatMap(listOf).filter((name): name is string => typeof name === 'string');
}

function holds(document: Part, keyword: string): boolean {
  const open: unknown[] = [document];
  while (open.length > 0) {
    const value = open.pop();
    if (value === null || typeof value !== 'object') continue;
    if (Object.hasOwn(value, keyword)) return true;
    for (const inner of Object.values(value)) open.push(inner);
  }
  return false;
}

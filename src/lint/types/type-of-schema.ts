import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { isFileSchema } from '../../planning/input/json-schema/local-references.js';
import { pointerSteps, valueAt } from '../../text/json-pointer.js';
import { memoize } from '../../text/memoize.js';
import {
  ANY,
  FILE,
  type Field,
  intersect,
  type MapType,
  NULL,
  type Scalar,
  type Type,
  typeOfValue,
  unite,
} from './type.js';

/** Maximum depth of references: a schema may refer to itself without a property between. */
const DEEPEST = 12;

/**
 * The type of a JSON Schema (draft 2020-12) in CEL. Constraints other than types, properties, items, choices and
 * local references count as unknown, so that no allowed value is missing.
 */
export const typeOfSchema = memoize((schema: JsonObject): Type => new SchemaReader(schema).read(schema, 0, true));

/** Unlike in {@link typeOfSchema}, properties that the schema does not require may be missing. */
export function typeOfInput(schema: JsonObject): Type {
  const maps = typeOfSchema(schema).filter((one) => one.kind === 'map');
  return maps.length === 0 ? ANY : maps.map((map) => ({ ...map, isPromise: true }));
}

const KINDS: Record<string, Scalar[]> = {
  null: ['null'],
  boolean: ['bool'],
  integer: ['int'],
  number: ['int', 'double'],
  string: ['string'],
};

/** Keywords that may allow names which `properties` does not list. */
const MORE_NAMES = ['patternProperties', 'if', 'dependentSchemas', '$dynamicRef', 'unevaluatedProperties', 'not'];

/** Limit for recursive alternatives, whose number would grow without bound. */
const MAX_READ = 2000;

class SchemaReader {
  private left = MAX_READ;

  constructor(private readonly root: JsonObject) {}

  /** @param fills whether validation fills in defaults here; it does not inside alternatives. */
  read(schema: Json | undefined, depth: number, fills: boolean): Type {
    this.left -= depth === 0 ? 0 : 1;
    if (!isJsonObject(schema) || depth > DEEPEST || this.left < 0) return ANY;
    const parts: Type[] = [this.own(schema, fills)];
    if (typeof schema.$ref === 'string') parts.push(this.read(this.follow(schema.$ref), depth + 1, fills));
    for (const part of asList(schema.allOf)) parts.push(this.read(part, depth + 1, fills));
    for (const choices of [schema.anyOf, schema.oneOf]) {
      if (Array.isArray(choices)) parts.push(unite(...choices.map((item) => this.read(item, depth + 1, false))));
    }
    return parts.reduce(intersect);
  }

  private own(schema: JsonObject, fills: boolean): Type {
    if (schema.const !== undefined) return typeOfValue(schema.const);
    if (Array.isArray(schema.enum)) return unite(...schema.enum.map(typeOfValue));
    if (isFileSchema(schema))
      return Array.isArray(schema.type) && schema.type.includes('null') ? unite(FILE, NULL) : FILE;
    const names = typesOf(schema);
    if (!names) return ANY;
    return unite(...names.map((name) => this.ofType(name, schema, fills)));
  }

  private ofType(name: string, schema: JsonObject, fills: boolean): Type {
    if (name === 'object') return [this.map(schema, fills)];
    if (name === 'array') {
      const { items, prefixItems } = schema;
      const isPlain = isJsonObject(items) && prefixItems === undefined;
      return [{ kind: 'list', item: lazily(() => (isPlain ? this.read(items, 0, fills) : ANY)) }];
    }
    const kinds = KINDS[name];
    return kinds ? kinds.map((kind) => ({ kind })) : ANY;
  }

  private map(schema: JsonObject, fills: boolean): MapType {
    const required = asList(schema.required);
    const properties = isJsonObject(schema.properties) ? schema.properties : {};
    const fields = Object.entries(properties).map(([name, property]): [string, Field] => {
      const isFilled = fills && isJsonObject(property) && property.default !== undefined;
      const type = lazily(() => this.read(property, 0, fills));
      return [name, { type, isOptional: !isFilled && !required.includes(name), isFilled }];
    });
    const fieldsByName = new Map(fields);
    for (const name of required) {
      if (typeof name === 'string' && !fieldsByName.has(name)) {
        fieldsByName.set(name, { type: () => ANY, isOptional: false });
      }
    }
    const isPromise = schema.required !== undefined;
    return { kind: 'map', fields: fieldsByName, others: this.others(schema, fields.length > 0), isPromise };
  }

  private others(schema: JsonObject, isListed: boolean): MapType['others'] {
    const { additionalProperties: more } = schema;
    if (MORE_NAMES.some((keyword) => schema[keyword] !== undefined)) return () => ANY;
    if (more === false) return 'none';
    if (more !== undefined) return lazily(() => this.read(more, 0, false));
    return isListed ? 'unlisted' : () => ANY;
  }

  private follow(reference: string): Json | undefined {
    if (reference === '#') return this.root;
    if (!reference.startsWith('#/')) return undefined;
    return valueAt<Json>(this.root, pointerSteps(reference, true));
  }
}

/** The types that a schema names; if it names none, the type implied by `properties` or `items`. */
function typesOf({ type, ...schema }: JsonObject): string[] | undefined {
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === 'string');
  if (schema.properties !== undefined) return ['object'];
  return schema.items === undefined ? undefined : ['array'];
}

function lazily(make: () => Type): () => Type {
  let made: Type | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function asList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

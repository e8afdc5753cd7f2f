import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import { RESERVED_NAMES } from '../../../contracts/names.js';
import { AbilityError } from '../../../contracts/problem.js';
import { innerSchemas, SCHEMA_MAPS } from '../../../definitions/json-schema-keywords.js';
import { pointerSteps, valueAt } from '../../../text/json-pointer.js';

export interface SchemaPart {
  schema: JsonObject;
  path: string[];
}

/** Keywords that choose a schema during validation, with the suggestion for each. */
const DYNAMIC: Record<string, string> = {
  $dynamicRef: 'Use `$ref`; `$dynamicAnchor` may remain, and then counts as an `$anchor`.',
  $recursiveRef: 'Use `$ref: "#"`.',
  $recursiveAnchor: 'Leave it out, and refer to the schema by `$ref`.',
};

/**
 * Refuses keywords that the validator does not read as JSON Schema 2020-12. @param parts all schemas of one
 * contract. @throws AbilityError `feature.unsupported`, `definition.invalid`; `details.path` leads to the keyword.
 */
export function refuseKeywords(parts: readonly SchemaPart[], what: string): void {
  const hasContains = parts.some(({ schema }) => schema.contains !== undefined);
  for (const { schema, path } of parts) {
    for (const [keyword, instead] of Object.entries(DYNAMIC)) {
      if (Object.hasOwn(schema, keyword)) throw unsupported(`${what} uses \`${keyword}\``, instead, [...path, keyword]);
    }
    if (hasContains && schema.unevaluatedItems !== undefined) {
      const message = `${what} uses \`unevaluatedItems\` together with \`contains\``;
      throw unsupported(message, 'Describe the items by `prefixItems` and `items`.', [...path, 'unevaluatedItems']);
    }
    if (Array.isArray(schema.enum) && schema.enum.length === 0) {
      throw new AbilityError({
        code: 'definition.invalid',
        message: `${what} has an \`enum\` without values, which nothing satisfies`,
        details: { path: [...path, 'enum'] },
        suggestion: 'List the values, or use `not: {}` where nothing is allowed.',
      });
    }
    refuseInheritedNames(schema.properties, path, what);
  }
}

/** Such as `toString`, for which ajv fills in no default; `__proto__` is forbidden in any value. */
function refuseInheritedNames(properties: Json | undefined, path: readonly string[], what: string): void {
  if (!isJsonObject(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    if (name === '__proto__') {
      const message = `${what} describes a property \`__proto__\`, which no value may have`;
      throw unsupported(message, 'Rename the property.', [...path, 'properties', name]);
    }
    if (!RESERVED_NAMES.has(name) || !isJsonObject(property) || property.default === undefined) continue;
    const message = `${what} has a default for \`${name}\`, which is never filled in, since every object has that name`;
    throw unsupported(message, 'Rename the property, or leave out its default.', [
      ...path,
      'properties',
      name,
      'default',
    ]);
  }
}

function unsupported(message: string, suggestion: string, path: string[]): AbilityError {
  return new AbilityError({ code: 'feature.unsupported', message, details: { path }, suggestion });
}

/** Base URI of a schema without `$id`; never fetched. */
const NO_BASE = 'https://schema.invalid/';
/** The only other document that a schema may reference: the validator has it. */
export const METASCHEMA = 'https://json-schema.org/draft/2020-12/schema';
/** Keywords that only name a schema; useless once references are resolved. */
const NAMES: ReadonlySet<string> = new Set(['$id', '$anchor', '$dynamicAnchor', '$schema', '$vocabulary']);

interface Part extends SchemaPart {
  base: string;
}

/** Resolves `$id` and `$anchor` of one schema, since the validator remembers such names across schemas. */
export class LocalReferences {
  /** All subschemas, starting with the schema itself. */
  readonly parts: Part[] = [];
  private readonly seen = new Set<JsonObject>();
  /** Maps the URI of a `$id` or an anchor to the path of its schema. */
  private readonly named = new Map<string, string[]>();
  private readonly replaced = new Map<JsonObject, string>();

  /** @throws AbilityError `definition.invalid` for a reference without a target or to another document. */
  constructor(
    private readonly root: JsonObject,
    private readonly what: string,
  ) {
    this.named.set(NO_BASE, []);
    this.collect(root, [], NO_BASE);
    // Resolving may add schemas at places that no keyword describes.
    for (let next = 0; next < this.parts.length; next += 1) this.resolve(this.parts[next] as Part);
  }

  /** The schema with each `$ref` as a JSON pointer from its root, and without names such as `$id`. */
  rewritten(): JsonObject {
    return this.rewrite(this.root) as JsonObject;
  }

  private rewrite(value: Json): Json {
    if (Array.isArray(value)) return value.map((item) => this.rewrite(item));
    if (!isJsonObject(value)) return value;
    const isSchema = this.seen.has(value);
    const entries = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
      if (isSchema && NAMES.has(key)) return [];
      if (isSchema && key === '$ref') return [[key, this.replaced.get(value) ?? inner]];
      if (isSchema && LITERAL.has(key)) return [[key, inner]];
      return [[key, this.rewrite(inner)]];
    });
    if (isSchema && isFileSchema(value)) entries.push([FILE_KEYWORD, true]);
    return Object.fromEntries(entries);
  }

  private collect(schema: Json | undefined, path: string[], around: string): void {
    if (!isJsonObject(schema) || this.seen.has(schema)) return;
    this.seen.add(schema);
    const base = typeof schema.$id === 'string' ? this.resolved(schema.$id, around, [...path, '$id']) : around;
    if (typeof schema.$id === 'string') this.name(base, path, '$id');
    for (const key of ['$anchor', '$dynamicAnchor'] as const) {
      if (typeof schema[key] === 'string') this.name(`${base}#${schema[key]}`, path, key);
    }
    this.parts.push({ schema, path, base });
    for (const { schema: inner, at } of innerSchemas(schema, [...SCHEMA_MAPS, 'dependencies'])) {
      this.collect(inner, [...path, ...at.map(String)], base);
    }
  }

  private name(uri: string, path: string[], key: string): void {
    const known = this.named.get(uri);
    if (known !== undefined && known.join('/') !== path.join('/')) {
      throw this.refused(`\`${key}\` has the same name for two schemas`, [...path, key], 'Rename one of them.');
    }
    this.named.set(uri, path);
  }

  private resolve({ schema, path, base }: Part): void {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return;
    const at = [...path, '$ref'];
    const uri = this.resolved($ref, base, at, true);
    const [document = '', fragment = ''] = uri.split('#');
    if (document === METASCHEMA && !this.named.has(document)) {
      this.replaced.set(schema, uri);
      return;
    }
    const resource = this.named.get(document);
    if (!resource) {
      const message = `\`${$ref}\` is not in this schema, and references to other documents are not followed`;
      throw this.refused(message, at, 'Copy what it refers to under `$defs`.');
    }
    const target =
      fragment === '' || fragment.startsWith('/')
        ? [...resource, ...pointerSteps(fragment, true)]
        : this.named.get(uri);
    const found = target && valueAt<Json>(this.root, target);
    if (target === undefined || found === undefined) throw this.refused(`\`${$ref}\` leads nowhere`, at, 'Correct it.');
    this.collect(found, target, document);
    this.replaced.set(schema, `#${target.map((step) => `/${escaped(step)}`).join('')}`);
  }

  private resolved(reference: string, base: string, at: string[], withFragment = false): string {
    try {
      const url = new URL(reference, base).href;
      return withFragment ? url : url.replace(/#.*$/, '');
    } catch {
      throw this.refused(`\`${reference}\` is no URI`, at, 'Correct it.');
    }
  }

  private refused(message: string, path: string[], suggestion: string): AbilityError {
    return new AbilityError({
      code: 'definition.invalid',
      message: `${this.what} is not a JSON Schema (draft 2020-12): ${message}`,
      details: { path },
      suggestion,
    });
  }
}

/** Keywords that hold values, not schemas, so that a `$ref` in them is no reference. */
const LITERAL: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example']);

function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Replaces `format: file` for the validator, which checks formats of strings only. */
export const FILE_KEYWORD = 'x-ability-file';

/** Whether the value is a file. For a string, `format: file` says nothing: older API descriptions use it. */
export function isFileSchema({ format, type }: JsonObject): boolean {
  const types = Array.isArray(type) ? type : [type];
  return format === 'file' && (type === undefined || types.includes('object'));
}

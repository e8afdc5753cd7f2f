import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import type { JsonObject } from '../../../contracts/json.js';
import { ENGINE } from '../../../contracts/names.js';
import { isSinceEngine2 } from '../../../rules/plans/engine-version.js';
import { compilePattern } from '../../../rules/regular-expressions.js';
import { addExactKeywords } from './exact-keywords.js';
import { LocalReferences } from './local-references.js';
import { refuseKeywords } from './refuse-keywords.js';

/** Patterns of a user run on RE2; `code` is only used for standalone code, which is not made here. */
const re2 = Object.assign(
  (pattern: string, flags: string) => {
    const program = compilePattern(pattern, flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0);
    // ajv distinguishes compiled patterns by their text.
    return { test: (text: string) => program.matcher(text).find(), toString: () => `/${pattern}/${flags}` };
  },
  { code: 're2' },
);

const settings = {
  allErrors: true,
  strict: false,
  useDefaults: true,
  allowUnionTypes: true,
  validateFormats: true,
  strictNumbers: true,
  // To JSON Schema an unknown format is a note for people, not a mistake.
  logger: false,
  code: { regExp: re2 },
} as const;

/** How the schemas of one engine are read. */
export interface SchemaReading {
  ajv: Ajv2020;
  /**
   * The schema as passed to ajv.
   *
   * @throws AbilityError `definition.invalid`, `feature.unsupported`; `details.path` leads to the place.
   */
  prepare: (schema: JsonObject, what: string) => JsonObject;
  /** By the digest of the schema. */
  validators: Map<string, ValidateFunction>;
  /** So that the schemas of a plan, which stays in memory, are not digested at every call. */
  bySchema: WeakMap<JsonObject, ValidateFunction>;
}

/** Names that every object has are properties like any other, and each keyword is read as JSON Schema 2020-12 says. */
function exactReading(): SchemaReading {
  const ajv = addFormats.default(new Ajv2020({ ...settings, ownProperties: true }));
  addExactKeywords(ajv);
  return { ajv, prepare, validators: new Map(), bySchema: new WeakMap() };
}

/** As builds before engine 2 read schemas, mistakes included: their tasks must end by the rules they began with. */
function firstReading(): SchemaReading {
  const ajv = addFormats.default(new Ajv2020(settings));
  return { ajv, prepare: withoutId, validators: new Map(), bySchema: new WeakMap() };
}

let exact: SchemaReading | undefined;
let first: SchemaReading | undefined;

/** The reading of an engine, made once. @param engine of the plan whose schemas are read. */
export function readingOf(engine = ENGINE): SchemaReading {
  if (isSinceEngine2({ engine })) {
    exact ??= exactReading();
    return exact;
  }
  first ??= firstReading();
  return first;
}

function prepare(schema: JsonObject, what: string): JsonObject {
  const references = new LocalReferences(schema, what);
  refuseKeywords(references.parts, what);
  return references.rewritten();
}

/** Two abilities may have the same `$id`; here each schema is isolated. */
function withoutId(schema: JsonObject): JsonObject {
  const { $id: _, $schema: __, ...rest } = schema;
  return rest;
}

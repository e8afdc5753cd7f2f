import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import type { JsonObject } from '../../../contracts/json.js';
import { compilePattern } from '../../../rules/regular-expressions.js';
import { addExactKeywords } from './exact-keywords.js';
import { LocalReferences, METASCHEMA } from './local-references.js';
import { validateMetaschema } from './metaschema.js';
import { refuseKeywords } from './refuse-keywords.js';

/** RE2 runs the patterns of users. ajv needs `code` only for standalone code, which is not generated here. */
const re2 = Object.assign(
  (pattern: string, flags: string) => {
    const program = compilePattern(pattern, flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0);
    // ajv distinguishes patterns by their text.
    return { test: (text: string) => program.matcher(text).find(), toString: () => `/${pattern}/${flags}` };
  },
  { code: 're2' },
);

export const AJV_SETTINGS = {
  allErrors: true,
  strict: false,
  useDefaults: true,
  allowUnionTypes: true,
  validateFormats: true,
  strictNumbers: true,
  // JSON Schema treats an unknown format as an annotation, not an error.
  logger: false,
  code: { regExp: re2 },
} as const;

export interface SchemaReading {
  ajv: Ajv2020;
  /** @throws AbilityError `definition.invalid`, `feature.unsupported`; `details.path` leads to the place. */
  prepare: (schema: JsonObject, what: string) => JsonObject;
  validators: Map<string, ValidateFunction>;
  /** Avoids computing the digest of a plan's schemas at every call. */
  bySchema: WeakMap<JsonObject, ValidateFunction>;
}

/** Follows JSON Schema 2020-12 exactly, also for properties with inherited names such as `toString`. */
function exactReading(): SchemaReading {
  const ajv = addFormats.default(new Ajv2020({ ...AJV_SETTINGS, ownProperties: true }));
  addExactKeywords(ajv);
  const metaschema = ajv.schemas[METASCHEMA];
  if (!metaschema) throw new TypeError('ajv has no metaschema');
  // Ajv would take 30 ms to compile it, in each process.
  metaschema.validate = Object.assign(validateMetaschema, { schema: metaschema.schema, schemaEnv: metaschema });
  return { ajv, prepare, validators: new Map(), bySchema: new WeakMap() };
}

let reading: SchemaReading | undefined;

/** Created once. */
export function schemaReading(): SchemaReading {
  reading ??= exactReading();
  return reading;
}

function prepare(schema: JsonObject, what: string): JsonObject {
  const references = new LocalReferences(schema, what);
  refuseKeywords(references.parts, what);
  return references.rewritten();
}

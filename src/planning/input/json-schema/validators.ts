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

let exact: Ajv2020 | undefined;

/** Follows JSON Schema 2020-12 exactly, also for properties with inherited names such as `toString`. Made once. */
export function exactAjv(): Ajv2020 {
  if (exact) return exact;
  const ajv = new Ajv2020({ ...AJV_SETTINGS, ownProperties: true });
  addFormats.default(ajv);
  addExactKeywords(ajv);
  const metaschema = ajv.schemas[METASCHEMA];
  if (!metaschema) throw new TypeError('ajv has no metaschema');
  // Ajv would take 30 ms to compile it, in each process.
  metaschema.validate = Object.assign(validateMetaschema, { schema: metaschema.schema, schemaEnv: metaschema });
  exact = ajv;
  return ajv;
}

/** @throws AbilityError `definition.invalid`, `feature.unsupported`; `details.path` leads to the place. */
export function prepare(schema: JsonObject, what: string): JsonObject {
  const references = new LocalReferences(schema, what);
  refuseKeywords(references.parts, what);
  return references.rewritten();
}

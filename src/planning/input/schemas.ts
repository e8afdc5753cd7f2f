import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { digestOf } from '../../rules/canonical.js';
import { compilePattern } from '../../rules/regular-expressions.js';
import { pointerSteps } from '../../text/json-pointer.js';
import { memoize } from '../../text/memoize.js';
import { didYouMean } from '../../text/nearest.js';
import { addExactKeywords } from './json-schema/exact-keywords.js';
import { LocalReferences, METASCHEMA, refuseKeywords } from './json-schema/local-references.js';
import { validateMetaschema } from './json-schema/metaschema.js';

const MAX_KEPT = 5000;
const MAX_NAMES = 12;
/** An input may have as many errors as members. */
const MAX_ERRORS = 100;

const validators = new Map<string, ValidateFunction>();
/** Avoids computing the digest of a plan's schemas at every call. */
const bySchema = new WeakMap<JsonObject, ValidateFunction>();

/**
 * Compiles a JSON Schema (draft 2020-12) once.
 * @throws AbilityError `definition.invalid` for an invalid schema, `feature.unsupported` for an unsupported
 * keyword; `details.path` leads to the first mistake.
 */
export function compileSchema(schema: JsonObject, what: string): ValidateFunction {
  const ajv = exactAjv();
  const seen = bySchema.get(schema);
  if (seen) return seen;
  const key = digestOf(schema);
  const validator = validators.get(key) ?? compiled();
  if (validators.size >= MAX_KEPT) validators.clear();
  validators.set(key, validator);
  bySchema.set(schema, validator);
  return validator;

  function compiled(): ValidateFunction {
    try {
      if (schema.$async !== undefined) throw new Error('`$async` is not part of JSON Schema');
      return ajv.compile(prepare(schema, what));
    } catch (error) {
      throw refused(schema, what, ajv, error);
    }
  }
}

/** The error for an invalid schema; violations of JSON Schema itself come before other errors. */
function refused(schema: JsonObject, what: string, ajv: Ajv2020, error: unknown): AbilityError {
  const { $schema: _, ...rest } = schema;
  const errors = ajv.validateSchema(rest) === true ? [] : (ajv.errors ?? []);
  const [first] = errors;
  if (!first && error instanceof AbilityError && error.details !== undefined) return error;
  const reason = first ? describe(errors).slice(0, 5).join('; ') : reasonOf(error);
  return new AbilityError(
    {
      code: 'definition.invalid',
      message: `${what} is not a JSON Schema (draft 2020-12): ${reason}`,
      ...(first && { details: { path: pointerSteps(first.instancePath) } }),
      ...(first && wantsSchema(first) && { suggestion: 'A schema is a map, such as `{ type: string }`.' }),
    },
    { cause: error },
  );
}

/** Keywords whose errors only compiling finds: invalid patterns, unresolvable references. */
const ONLY_COMPILED = /"(\$ref|\$async|pattern|patternProperties)":/;

/** Schemas that {@link checkSchema} has accepted. */
const sound = new WeakSet<JsonObject>();

/** Compiles only if necessary: a project has thousands. @throws AbilityError as {@link compileSchema}. */
export function checkSchema(schema: JsonObject, what: string): void {
  if (sound.has(schema)) return;
  const { $schema: _, ...rest } = schema;
  const isPlain = !ONLY_COMPILED.test(JSON.stringify(schema));
  if (!isPlain || exactAjv().validateSchema(rest) !== true) compileSchema(schema, what);
  else prepare(schema, what);
  sound.add(schema);
}

/**
 * Fills in defaults and checks. @returns a copy, or the value itself if the schema has no defaults.
 * @throws AbilityError with the given code; its message names each field.
 */
export function checkAgainst<Value extends Json>(
  schema: JsonObject,
  value: Value,
  { code, what }: { code: string; what: string },
): Value {
  const validator = compileSchema(schema, `The schema of ${what}`);
  const checked = fillsIn(schema) ? structuredClone(value) : value;
  if (validate(validator, checked, what)) return checked;
  const errors = validator.errors ?? [];
  const mistakes = describe(errors);
  const meant = misspelled(errors, schema, checked);
  throw new AbilityError({
    code,
    ...(meant !== undefined && { suggestion: meant }),
    message: `${what} does not match its schema: ${mistakes.slice(0, 5).join('; ')}`,
    details: { errors: mistakes },
  });
}

/** Whether validation may write defaults into a value. */
const fillsIn = memoize((schema: JsonObject) => JSON.stringify(schema).includes('"default"'));

/** Whether a value satisfies a schema, without filling in defaults. */
export function satisfies(schema: JsonObject, value: Json): boolean {
  return validate(compileSchema(schema, 'The schema'), structuredClone(value), 'The value');
}

function validate(validator: ValidateFunction, value: Json, what: string): boolean {
  try {
    return validator(value) === true;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `The schema of ${what} refers to itself without end`;
    throw new AbilityError({ code: 'definition.invalid', message }, { cause: error });
  }
}

function describe(errors: ErrorObject[]): string[] {
  const texts = errors.slice(0, MAX_ERRORS).map((error) => {
    const at = error.instancePath.replaceAll('/', '.').replace(/^\./, '');
    const params = error.params as Record<string, unknown>;
    if (error.keyword === 'required') {
      return `\`${at ? `${at}.` : ''}${String(params.missingProperty)}\` is missing`;
    }
    if (error.keyword === 'additionalProperties') {
      return `\`${at ? `${at}.` : ''}${String(params.additionalProperty)}\` is not allowed`;
    }
    const where = at ? `\`${at}\` ` : 'it ';
    if (error.keyword === 'enum') return `${where}must be one of ${JSON.stringify(params.allowedValues)}`;
    if (error.keyword === 'const') return `${where}must be ${JSON.stringify(params.allowedValue)}`;
    return `${where}${error.message ?? 'is wrong'}`;
  });
  return [...new Set(texts)];
}

/** Whether something else is where a schema belongs, such as `name: string` under `properties`. */
function wantsSchema({ keyword, params }: ErrorObject): boolean {
  const { type } = params as { type?: unknown };
  return keyword === 'type' && Array.isArray(type) && type.includes('object') && type.includes('boolean');
}

/** The likely meaning of an unknown name if a required one is missing or unknown ones are refused; else the names that the schema lists. */
function misspelled(errors: ErrorObject[], { properties }: JsonObject, value: Json): string | undefined {
  const missing = errors
    .filter(({ keyword, instancePath }) => keyword === 'required' && instancePath === '')
    .map(({ params }) => String((params as { missingProperty?: unknown }).missingProperty));
  const known = isJsonObject(properties) ? properties : {};
  const strange = isJsonObject(value)
    ? Object.keys(value)
        .slice(0, MAX_ERRORS)
        .filter((name) => !Object.hasOwn(known, name))
    : [];
  const isRefused = errors.some(
    ({ keyword, instancePath }) => keyword === 'additionalProperties' && instancePath === '',
  );
  const names = Object.keys(known).slice(0, MAX_NAMES);
  for (const name of strange) {
    const hint = didYouMean(name, missing) ?? (isRefused ? didYouMean(name, names) : undefined);
    if (hint !== undefined) return `Its schema does not list \`${name}\`. ${hint}`;
  }
  return isRefused && names.length > 0 ? `Its schema lists ${names.join(', ')}.` : undefined;
}

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

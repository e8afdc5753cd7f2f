import type { ErrorObject } from 'ajv';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { loadedAbility } from '../../definitions/find-ability.js';
import type { Registry } from '../../definitions/registry.js';
import { compileSchema } from '../../planning/input/schemas.js';
import { pointerSteps, valueAt } from '../../text/json-pointer.js';
import { didYouMean, nearestNames } from '../../text/nearest.js';
import { canBe, fitsAsText, wantedItem, wantedOf } from '../types/compare.js';
import { presetParameters } from '../types/implementations.js';
import type { View } from '../types/infer.js';
import { templateType } from '../types/template-type.js';
import { describeType, listNames, mayBeFile, type Type } from '../types/type.js';
import { typeOfSchema } from '../types/type-of-schema.js';
import type { WorkflowTypes } from '../types/workflow-types.js';
import type { PlacedDiagnostic } from './expressions.js';

interface Contract {
  schema: JsonObject;
  /** For messages: the id of the called ability, or `output_schema`. */
  of: string;
  isOutput: boolean;
  /** Parameters that the implementation or environment provides. */
  preset: ReadonlySet<string>;
  at: PropertyKey[];
}

/** Finds calls whose input the ability refuses, and outputs that the workflow's own schema refuses. */
export function* contractDiagnostics(types: WorkflowTypes, registry: Registry): Generator<PlacedDiagnostic> {
  const { output_schema: promised } = types.workflow.value;
  for (const site of types.sites) {
    const view = types.viewAt(site);
    if (site.belongs === 'output' && promised) yield* outputDiagnostics(promised, site.value, site.path, view);
    if (site.belongs !== 'parameters' || site.call === undefined) continue;
    const called = loadedAbility(registry, site.call);
    if (!called) continue;
    const at = [...site.path.slice(0, -1), 'call'];
    const preset = presetParameters(registry, site.call);
    const contract = { schema: called.value.input_schema, of: site.call, isOutput: false, preset, at };
    yield* against(contract, site.value, site.path, view);
  }
}

/** Checks an input outside a call step, such as a trigger's, against the schema of its ability. */
export function inputDiagnostics(
  contract: Omit<Contract, 'isOutput'>,
  value: Json,
  path: PropertyKey[],
  view: View,
): Generator<PlacedDiagnostic> {
  return against({ ...contract, isOutput: false }, value, path, view);
}

/** Checks an output against the schema that promises it. */
export function outputDiagnostics(
  schema: JsonObject,
  value: Json,
  path: PropertyKey[],
  view: View,
): Generator<PlacedDiagnostic> {
  return against({ schema, of: 'output_schema', isOutput: true, preset: NOTHING, at: path }, value, path, view);
}

const NOTHING: ReadonlySet<string> = new Set();

function* against(contract: Contract, value: Json, path: PropertyKey[], view: View): Generator<PlacedDiagnostic> {
  if (!hasTemplate(value) || typeof value === 'object') yield* literalDiagnostics(contract, value, path);
  const wanted = typeOfSchema(contract.schema);
  if (!contract.isOutput && isJsonObject(value)) yield* misspelt(contract, value, wanted, path);
  yield* misfits(contract, value, wanted, path, view);
}

/** Checks the known parts against a schema; parts with an expression are checked by type. */
function* literalDiagnostics(contract: Contract, value: Json, path: PropertyKey[]): Generator<PlacedDiagnostic> {
  for (const error of errorsOf(contract, value)) {
    const pointer = pointerSteps(error.instancePath);
    const at = [...path, ...pointer];
    const { missingProperty, additionalProperty } = error.params as Record<string, string | undefined>;
    if (error.keyword === 'required' && missingProperty !== undefined) {
      if (pointer.length > 0 || !contract.preset.has(missingProperty)) {
        yield missing(contract, [...pointer, missingProperty].join('.'), pointer.length > 0 ? at : contract.at);
      }
    } else if (error.keyword === 'additionalProperties' && additionalProperty !== undefined) {
      yield unknown(contract, pointer, additionalProperty, at);
    } else if (!hasTemplate(valueAt(value, pointer))) {
      const what = pointer.length > 0 ? `\`${pointer.join('.')}\`` : 'The value';
      const choices = error.params.allowedValues ?? error.params.allowedValue;
      const must = choices === undefined ? error.message : `must be ${JSON.stringify(choices)}`;
      const message = `${what} ${must}, according to ${schemaOf(contract)}`;
      yield { code: contract.isOutput ? 'lint.output_mismatch' : 'lint.wrong_parameter', message, path: at };
    }
  }
}

/** Schema paths inside alternatives: if one alternative fails, another one may accept the value. */
const CHOICE = /\/(anyOf|oneOf|not|if|then|else|dependentSchemas|contains)\//;

function errorsOf({ schema }: Contract, value: Json): ErrorObject[] {
  if (plainlyFits(schema, value, (item) => typeof item === 'string' && hasTemplate(item))) return [];
  try {
    const validate = compileSchema(schema, 'The schema');
    if (validate(structuredClone(value))) return [];
    return (validate.errors ?? []).filter(({ schemaPath }) => !CHOICE.test(schemaPath));
  } catch (error) {
    // Another check reports an invalid schema.
    if (error instanceof AbilityError || error instanceof RangeError) return [];
    throw error;
  }
}

function missing({ of, isOutput }: Contract, name: string, path: PropertyKey[]): PlacedDiagnostic {
  if (!isOutput) return { code: 'lint.missing_parameter', message: `\`${name}\` is missing, which ${of} needs`, path };
  const message = `\`${name}\` is missing, which the \`output_schema\` promises`;
  return { code: 'lint.output_mismatch', message, path };
}

function unknown(contract: Contract, pointer: string[], name: string, at: PropertyKey[]): PlacedDiagnostic {
  const maps = pointer.reduce((type, key) => wantedOf(type, key), typeOfSchema(contract.schema));
  const names = maps.flatMap((one) => (one.kind === 'map' ? [...one.fields.keys()] : []));
  return {
    code: contract.isOutput ? 'lint.output_mismatch' : 'lint.unknown_parameter',
    message: `\`${[...pointer, name].join('.')}\` is not allowed by ${schemaOf(contract)}`,
    fix: didYouMean(name, names) ?? (names.length > 0 ? `There are: ${listNames(names)}.` : undefined),
    path: [...at, name],
    part: 'key',
  };
}

function* misspelt(
  { of }: Contract,
  value: JsonObject,
  wanted: Type,
  path: PropertyKey[],
): Generator<PlacedDiagnostic> {
  const [only, ...others] = wanted;
  if (only?.kind !== 'map' || others.length > 0 || only.others !== 'unlisted') return;
  const free = [...only.fields.keys()].filter((name) => !Object.hasOwn(value, name));
  for (const name of Object.keys(value)) {
    if (only.fields.has(name) || nearestNames(name, free).length === 0) continue;
    const message = `${of} does not list the parameter \`${name}\``;
    yield {
      code: 'lint.undeclared_parameter',
      message,
      fix: didYouMean(name, free),
      path: [...path, name],
      part: 'key',
    };
  }
}

function* misfits(
  contract: Contract,
  value: Json,
  wanted: Type,
  path: PropertyKey[],
  view: View,
): Generator<PlacedDiagnostic> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* misfits(contract, item, wantedItem(wanted), [...path, index], view);
    }
  } else if (isJsonObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      yield* misfits(contract, item, wantedOf(wanted, name), [...path, name], view);
    }
  } else if (hasTemplate(value)) {
    const given = templateType(value, view);
    if (canBe(given, wanted)) return;
    const gives = `\`${String(value)}\` gives ${mayBeFile(given) ? 'a file' : wordsOf(given)}`;
    const message = `${gives}, and ${schemaOf(contract)} wants ${wordsOf(wanted)} here`;
    const fix = fixOf(value, given, wanted, contract);
    yield { code: contract.isOutput ? 'lint.output_mismatch' : 'lint.wrong_parameter', message, fix, path };
  }
}

function fixOf(value: Json, given: Type, wanted: Type, contract: Contract): string | undefined {
  if (mayBeFile(given)) {
    const next = contract.isOutput ? '' : '; a script gets its path where an argument is `${{ input.NAME }}`';
    return `Use \`{ type: object, format: file }\` for it in ${schemaOf(contract)}${next}.`;
  }
  return fitsAsText(given, wanted) ? `Write \`\${{ string(${inner(value)}) }}\`.` : undefined;
}

function wordsOf(wanted: Type): string {
  const [only, ...others] = wanted;
  if (only?.kind === 'string' && only.texts && others.length === 0) return `one of ${listNames(only.texts)}`;
  return describeType(wanted);
}

function inner(value: Json): string {
  return String(value)
    .replace(/^\s*\$\{\{\s*/, '')
    .replace(/\s*\}\}\s*$/, '');
}

function schemaOf({ of, isOutput }: Contract): string {
  return isOutput ? 'the `output_schema`' : `the \`input_schema\` of ${of}`;
}

function hasTemplate(value: Json | undefined): boolean {
  if (typeof value === 'string') return value.includes('${{');
  return value !== null && typeof value === 'object' && Object.values(value).some(hasTemplate);
}

const SAYS_NOTHING: ReadonlySet<string> = new Set(['$schema', '$id', 'title', 'description', 'examples', 'default']);
const OF_OBJECTS: ReadonlySet<string> = new Set([
  ...['type', 'required', 'properties', 'additionalProperties'],
  ...SAYS_NOTHING,
]);

/** Avoids compiling a schema (1 ms); false if uncertain. @param isOpen whether a part is checked elsewhere. */
function plainlyFits(schema: JsonObject, value: Json, isOpen: (value: Json) => boolean): boolean {
  if (!isJsonObject(value) || schema.type !== 'object') return false;
  if (!Object.keys(schema).every((key) => OF_OBJECTS.has(key))) return false;
  const { required = [], properties = {}, additionalProperties = true } = schema;
  if (!Array.isArray(required) || !isJsonObject(properties) || typeof additionalProperties !== 'boolean') return false;
  if (!required.every((name) => typeof name === 'string' && Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, item]) => {
    if (!Object.hasOwn(properties, name)) return additionalProperties;
    return isOpen(item) || isPlainText(properties[name], item);
  });
}

function isPlainText(schema: Json | undefined, value: Json): boolean {
  if (!isJsonObject(schema) || typeof value !== 'string' || schema.type !== 'string') return false;
  return Object.keys(schema).every((key) => key === 'type' || SAYS_NOTHING.has(key));
}

import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { abilityIds, loadedComposite } from '../../definitions/find-ability.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import { stepId } from '../../definitions/formats/values.js';
import { requiredIn } from '../../definitions/json-schema-keywords.js';
import type { Registry } from '../../definitions/registry.js';
import { freeName } from '../../text/free-name.js';
import { didYouMean } from '../../text/nearest.js';
import { FileDraft, schemaLine } from '../write-together.js';
import { flowYaml } from '../write-yaml.js';
import { sampleOf } from './sample-value.js';
import {
  checkEnvironments,
  checkNewAbility,
  fileNameOf,
  needsApprovalFirst,
  renderCases,
  type Scaffold,
  type Site,
} from './scaffold.js';

export interface NewHighLevel {
  id: string;
  /** The abilities it calls, in order. */
  calls: string[];
  summary?: string;
  scope: { modules?: string[]; environments?: string[] };
}

interface Call {
  step: string;
  ability: string;
  /** Absent: the callee is a workflow or agent. */
  operation: LowLevel | undefined;
  schema: JsonObject;
}

/**
 * Plans a workflow that makes the calls in order, and a case that mocks all of them.
 * @throws AbilityError `usage.invalid`, `scaffold.exists`, `ability.not_found`, `environment.not_found`.
 */
export function planHighLevel(site: Site, { id, calls, summary, scope }: NewHighLevel): Scaffold {
  checkNewAbility(site.registry, id);
  checkEnvironments(site.registry, scope.environments ?? []);
  const steps = nameSteps(calls);
  const made = calls.map((ability, index) => callOf(site.registry, ability, steps[index] ?? ability));
  const inputs = requiredInputs(made);
  const fields: Record<string, Json> = Object.assign({}, ...inputs.map((each) => each.fields));
  const inputSchema: JsonObject = { type: 'object', required: Object.keys(fields), properties: fields };
  const { registry } = site.folders;
  const stem = `${registry}/high-level/${fileNameOf(id)}`;
  const file = `${stem}.yaml`;
  const draft = new FileDraft(site.registry.root);
  draft.add(
    file,
    `${schemaLine({ kind: 'high-level', path: file, registry })}
id: ${id}
type: workflow
version: 1
summary: ${flowYaml(summary ?? `Calls ${calls.join(', then ')}.`)}
${Object.keys(scope).length > 0 ? `scope: ${flowYaml(scope)}\n` : ''}${renderSchema(fields)}
steps:
${made.map((call, index) => renderStep(call, inputs[index]?.with ?? {})).join('\n')}
output:
${steps.map((step) => `  ${step}: ${flowYaml(`\${{ steps.${step}.output }}`)}`).join('\n')}
`,
  );
  const sample = sampleOf(inputSchema) as JsonObject;
  const notes = addCases(draft, site, { id, stem, made, sample, inputSchema });
  const set = Object.entries(sample).map(([name, value]) => setFlag(name, value));
  return {
    files: draft.files(),
    abilities: [id],
    notes,
    next: [
      ...(notes.length === 0
        ? [{ command: `ability test ${id}`, purpose: 'run its case; nothing is really called' }]
        : []),
      { command: `ability graph ${id}`, purpose: 'draw its steps' },
      { command: `ability run ${id}${set.join('')} --env ${site.environment}`, purpose: 'run it' },
    ],
  };
}

function callOf(registry: Registry, ability: string, step: string): Call {
  const operation = registry.operations.get(ability)?.value;
  const found = operation ?? loadedComposite(registry, ability)?.value;
  if (found) return { step, ability, operation, schema: found.input_schema };
  const broken = registry.broken.get(`ability:${ability}`);
  if (broken) throw new AbilityError(broken);
  throw new AbilityError({
    code: 'ability.not_found',
    message: `There is no ability ${ability} that a workflow could call`,
    suggestion: didYouMean(ability, abilityIds(registry)) ?? 'Run `ability list` to see what there is.',
  });
}

function renderSchema(fields: Record<string, Json>): string {
  const names = Object.keys(fields);
  if (names.length === 0) return 'input_schema: { type: object }';
  const properties = Object.entries(fields).map(([name, field]) => `    ${flowYaml(name)}: ${flowYaml(field)}`);
  return `input_schema:\n  type: object\n  required: ${flowYaml(names)}\n  properties:\n${properties.join('\n')}`;
}

function renderStep({ step, ability }: Call, given: Record<string, string>): string {
  const fields = Object.entries(given).map(([name, value]) => `      ${flowYaml(name)}: ${flowYaml(value)}`);
  return [`  - id: ${step}`, `    call: ${ability}`, ...(fields.length > 0 ? ['    with:', ...fields] : [])].join('\n');
}

interface Drafted {
  id: string;
  /** Path of the definition, without extension. */
  stem: string;
  made: Call[];
  sample: JsonObject;
  inputSchema: JsonObject;
}

/** Adds the file of cases. @returns why it was left out, if no input or mock can be generated. */
function addCases(draft: FileDraft, site: Site, { id, stem, made, sample, inputSchema }: Drafted): string[] {
  const composites = made.filter(({ operation }) => operation === undefined).map(({ ability }) => ability);
  const outputs = made.map(({ operation }) => sampleOf(operation?.output_schema ?? { type: 'object' }));
  const odd = made.filter(({ operation }, index) => !site.fits(operation?.output_schema ?? {}, outputs[index] ?? null));
  const why =
    composites.length > 0
      ? `${composites.join(', ')} makes calls of its own, which would have to be mocked`
      : odd.length > 0
        ? `no answer of ${odd.map(({ ability }) => ability).join(', ')} can be made up from its output_schema`
        : site.fits(inputSchema, sample)
          ? undefined
          : 'no input can be made up from the input schemas';
  if (why !== undefined)
    return [`There is no file of cases yet: ${why}. Write ${stem}.test.yaml; see docs/testing.md.`];
  const path = `${stem}.test.yaml`;
  const outputOf = Object.fromEntries(made.map(({ step }, at) => [step, outputs[at] ?? null]));
  draft.add(
    path,
    renderCases(site, {
      ability: id,
      path,
      name: 'each step is called and its answer is given back',
      input: sample,
      mocks: Object.fromEntries(Object.entries(outputOf).map(([step, output]) => [step, { output }])),
      approvals: made
        .filter((call) => call.operation && needsApprovalFirst(site, call.operation.effects))
        .map(({ step }) => step),
      expect: { output: outputOf, calls: made.map(({ ability }) => ability) },
    }),
  );
  return [];
}

/** A `--set` flag for a field, quoted for the shell. */
function setFlag(name: string, value: Json): string {
  const text = typeof value === 'string' ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`;
  return ` --set ${/^[A-Za-z0-9_.:=@/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`}`;
}

/** Step ids that expressions can name, each unique: `user_row`, then `user_row_2`, for `db.write.user_row`. */
function nameSteps(calls: readonly string[]): string[] {
  const taken = new Set<string>();
  return calls.map((call) => {
    const last = call.split('.').findLast((word) => word !== '') ?? call;
    const word = last.replaceAll(/[^A-Za-z0-9_]/g, '_');
    const base = stepId.safeParse(word).success ? word : `step_${word}`;
    const name = freeName(base, (other) => taken.has(other));
    taken.add(name);
    return name;
  });
}

interface StepInput {
  with: Record<string, string>;
  fields: Record<string, Json>;
}

/** Each call's required fields as workflow inputs: shared if schemas are equal, else prefixed with the step. */
function requiredInputs(calls: readonly { step: string; schema: JsonObject }[]): StepInput[] {
  const all = new Map<string, Json>();
  return calls.map(({ step, schema }) => {
    const input: StepInput = { with: {}, fields: {} };
    for (const [name, field] of requiredFields(schema)) {
      const known = all.get(name);
      const own = known === undefined || isDeepStrictEqual(known, field) ? name : `${step}_${name}`;
      all.set(own, field);
      input.fields[own] = field;
      input.with[name] = `\${{ ${reference(own)} }}`;
    }
    return input;
  });
}

function requiredFields(schema: JsonObject): [string, Json][] {
  const known = isJsonObject(schema.properties) ? schema.properties : {};
  return requiredIn(schema).map((name) => [name, standalone(known[name] ?? {})]);
}

/** Drops a schema with `$ref`: its definitions do not exist in another document. */
function standalone(schema: Json): Json {
  return JSON.stringify(schema).includes('"$ref"') || !isJsonObject(schema) ? {} : schema;
}

function reference(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `input.${name}` : `input[${JSON.stringify(name)}]`;
}

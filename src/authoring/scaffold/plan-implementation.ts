import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { unsaidSummary } from '../../definitions/default-summary.js';
import { kindOf, loadedComposite } from '../../definitions/find-ability.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { didYouMean } from '../../text/nearest.js';
import { FileDraft, schemaLine } from '../write-together.js';
import { flowYaml } from '../write-yaml.js';
import { scaffoldedOf } from './plan-kind.js';
import { sampleOf } from './sample-value.js';
import { checkNewImplementation, configureAbility, fileNameOf, type Scaffold, type Site } from './scaffold.js';
import type { KindChoice } from './scaffolded.js';
import type { StubAnswer } from './script-stub.js';

export interface NewImplementation {
  id: string;
  operation: string;
  choice: KindChoice;
  summary?: string;
  isDefault: boolean;
  /** Whether it joins `allowed_implementations`, if the configuration has that list. */
  isAllowed: boolean;
  /** Whether the default and the allowed list change for the site's environment only. */
  isForEnvironment: boolean;
}

/**
 * The operation runs the new implementation only if that is the default or the only one.
 * @throws AbilityError `usage.invalid`, `scaffold.exists`, `ability.not_found`, `config.invalid`.
 */
export function planImplementation(site: Site, wanted: NewImplementation): Scaffold {
  const { id, operation: key, choice } = wanted;
  checkNewImplementation(site.registry, id);
  const operation = findOperation(site.registry, key);
  const draft = new FileDraft(site.registry.root);
  const path = `${site.folders.registry}/implementations/${fileNameOf(id)}.yaml`;
  const title = wanted.summary ?? unsaidSummary(id);
  const { answer, notes } = stubOf(site, operation.value, choice);
  const { effects } = operation.value;
  const section = scaffoldedOf(choice).plan(draft, site, choice, { id, operation: key, title, answer, effects });
  draft.add(
    path,
    `${schemaLine({ kind: 'implementations', path, registry: site.folders.registry })}
id: ${flowYaml(id)}
operation_key: ${key}
summary: ${flowYaml(title)}
${section}
`,
  );
  notes.push(...configure(draft, site, wanted));
  return {
    files: draft.files(),
    abilities: [key],
    notes,
    next: [{ command: `ability show ${key} --env ${site.environment}`, purpose: 'see which implementation it runs' }],
  };
}

function findOperation(registry: Registry, key: string): Loaded<LowLevel> {
  const { operations, broken } = registry;
  const found = operations.get(key);
  if (found) return found;
  const problem = broken.get(`ability:${key}`);
  if (problem) throw new AbilityError(problem);
  const composite = loadedComposite(registry, key)?.value;
  throw new AbilityError({
    code: 'ability.not_found',
    message: composite
      ? `${key} is ${kindOf(composite)}, which has no implementations`
      : `There is no operation ${key}`,
    suggestion: didYouMean(key, operations.keys()) ?? 'Run `ability list` to see what there is.',
  });
}

/** An answer that fits the output schema: fields shared with the input are echoed, the rest are samples. */
function stubOf(
  { fits }: Site,
  { operation_key: key, input_schema, output_schema = {} }: LowLevel,
  choice: KindChoice,
): { answer: StubAnswer; notes: string[] } {
  const known = new Set(Object.keys((input_schema.properties as JsonObject | undefined) ?? {}));
  const unknown = scaffoldedOf(choice)
    .inputs(choice)
    .filter((name) => !known.has(name));
  const notes = unknown.map((name) => `The path names {${name}}, which the input_schema of ${key} does not have.`);
  const sample = sampleOf({ type: 'object', ...output_schema });
  if (scaffoldedOf(choice).isStub && !fits(output_schema, sample)) {
    notes.push(`No answer can be made up from the output_schema of ${key}: write one in the script before you run it.`);
  }
  const same = sampleFields(input_schema, output_schema);
  if (!isJsonObject(sample)) {
    return { answer: { echo: [], fixed: sample }, notes };
  }
  const fixed = Object.fromEntries(Object.entries(sample).filter(([name]) => !same.includes(name)));
  return { answer: { echo: same, fixed }, notes };
}

/** Output fields that every input has (required or by default) under the same schema. */
function sampleFields(input: JsonObject, output: JsonObject): string[] {
  const required: Json[] = Array.isArray(input.required) ? input.required : [];
  const given = (input.properties ?? {}) as JsonObject;
  const answered = (output.properties ?? {}) as JsonObject;
  return Object.keys(answered).filter((name) => {
    const { default: fallback, ...schema } = (given[name] ?? {}) as JsonObject;
    if (!required.includes(name) && fallback === undefined) return false;
    return isDeepStrictEqual(schema, answered[name]);
  });
}

/** Adds the missing configuration. @returns notes for the author. */
function configure(draft: FileDraft, site: Site, wanted: NewImplementation): string[] {
  const { id, operation: key, isDefault, isAllowed, isForEnvironment } = wanted;
  const { registry, environment } = site;
  const entry = registry.configs.get(key);
  if (entry?.value.impl) {
    throw new AbilityError({
      code: 'config.invalid',
      message: `The configuration of ${key} has \`impl\`, which is its only implementation`,
      location: entry.locate(['impl'], 'key'),
      suggestion: 'Move `impl` into a document in registry/implementations first, or into the file of the operation.',
    });
  }
  const settings = isForEnvironment ? entry?.value.environments?.[environment] : entry?.value;
  const path = isForEnvironment ? ['environments', environment] : [];
  const others = implementationsOf(registry, key);
  const isNew = isDefault || others.length === 0;
  const allowed = settings?.allowed_implementations ?? entry?.value.allowed_implementations;
  const notes: string[] = [];
  if (allowed && (isNew || isAllowed)) {
    configureAbility(draft, site, key, [...path, 'allowed_implementations'], [...allowed, id]);
  } else if (allowed)
    notes.push(`${id} is not among the allowed_implementations of ${key}; pass --allow to have it there.`);
  const before = settings?.default_implementation ?? entry?.value.default_implementation;
  const [only] = others;
  if (isNew && (others.length > 0 || before !== undefined)) {
    configureAbility(draft, site, key, [...path, 'default_implementation'], id);
  } else if (!isNew && before === undefined && only !== undefined && !others.includes(key)) {
    // Two implementations without a default would leave the operation without one.
    configureAbility(draft, site, key, ['default_implementation'], only);
  }
  if (!isNew)
    notes.push(
      `${key} runs ${before ?? (others.includes(key) ? key : only)} as before; pass --default to change that.`,
    );
  const own = entry?.value.environments?.[environment]?.default_implementation;
  if (isNew && !isForEnvironment && own !== undefined) {
    notes.push(`In ${environment} the configuration names ${own}; pass --env ${environment} to change it there.`);
  }
  return notes;
}

function implementationsOf({ implementations, operations }: Registry, key: string): string[] {
  const inline = operations.get(key)?.value.implementation ? [key] : [];
  const documents = [...implementations.values()].filter(({ value }) => value.operation_key === key);
  return [...inline, ...documents.map(({ value }) => value.id)];
}

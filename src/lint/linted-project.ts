import type { Finding } from '../contracts/findings.js';
import type { JsonObject } from '../contracts/json.js';
import type { Problem } from '../contracts/problem.js';
import { type Ability, loadedAbilities } from '../definitions/find-ability.js';
import type { Loaded, Registry } from '../definitions/registry.js';
import type { Spot } from '../definitions/spot.js';
import type { YamlSource } from '../definitions/yaml-source.js';
import { findingOfProblem } from '../planning/finding-of.js';
import type { EnvironmentVariables } from '../planning/secrets/secret-source.js';

export type Provided = (environment: string, reference: string) => string | Problem | undefined;

export interface LintedProject {
  registry: Registry;
  sources: readonly YamlSource[];
  /** The environment of workers; undefined: credentials are not checked. */
  variables: ((environment: string) => EnvironmentVariables) | undefined;
  /** What providers gave here, or why they gave nothing; undefined: they were not asked. */
  provided: Provided | undefined;
}

export type Check = (project: LintedProject) => Iterable<Finding>;

/** If the check itself fails, that is a finding that names the file, and the other checks continue. */
export function ofFile(file: string, find: () => Iterable<Finding>): Finding[] {
  const found: Finding[] = [];
  try {
    for (const finding of find()) found.push(finding);
  } catch (error) {
    found.push(failedCheck(file, error));
  }
  return found;
}

function failedCheck(file: string, error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `Lint failed in ${file}, and may have missed something there: ${reason}`;
  return findingOfProblem({ code: 'internal.error', message, suggestion: 'Please report it.' }, file);
}

/** Checks one file at a time, using nothing else, so that findings of unchanged files are reused. */
export function ofEachSource(find: (source: YamlSource) => Iterable<Finding>): Check {
  const remember = remembering(find);
  return ({ sources }) => sources.flatMap((source) => remember(source, source.file, source));
}

/** A check that reads one ability's definition at a time and nothing else; cached like {@link ofEachSource}. */
function ofEachAbility(find: (ability: Loaded<Ability>) => Iterable<Finding>): Check {
  const remember = remembering(find);
  return ({ registry }) =>
    loadedAbilities(registry).flatMap(([, ability]) => remember(ability.value, ability.file, ability));
}

/** As {@link ofEachAbility}, for the schemas of an ability. */
export function ofEachSchema(find: (schema: JsonObject, spot: Spot) => Iterable<Finding>): Check {
  return ofEachAbility(function* (ability) {
    for (const key of ['input_schema', 'output_schema'] as const) {
      const schema = ability.value[key];
      if (schema) yield* find(schema, { from: ability, path: [key] });
    }
  });
}

function remembering<Subject>(find: (subject: Subject) => Iterable<Finding>) {
  const known = new WeakMap<object, readonly Finding[]>();
  return (identity: object, file: string, subject: Subject): readonly Finding[] => {
    const seen = known.get(identity);
    if (seen) return seen;
    const found = ofFile(file, () => find(subject));
    known.set(identity, found);
    return found;
  };
}

import type { Registry } from '../../definitions/registry.js';
import { memoize } from '../../text/memoize.js';
import { projectFilesOf } from '../scripts/script-files.js';
import { EnvironmentVariables } from '../secrets/secret-source.js';
import { type ResolvedPlan, resolvePlan } from './resolve-plan.js';

interface Remembered {
  resolved: ResolvedPlan;
  /** The variables that it was made of. */
  found: ReadonlyMap<string, string | undefined>;
}

/** By environment and ability, as long as no definition changes: a loader makes the maps of a registry anew then. */
const rememberedFor = memoize((_: Registry['operations']) => new Map<string, Remembered>());

/**
 * As {@link resolvePlan}, for a registry that was loaded for this very plan. Made anew only if a definition or a variable that it
 * was made of has changed, and always if it was made of another file or program.
 */
export function resolveRemembered(
  registry: Registry,
  ability: string,
  environment: string,
  variables = new EnvironmentVariables(registry.root, environment),
): ResolvedPlan {
  const plans = rememberedFor(registry.operations);
  const key = `${environment} ${ability}`;
  const known = plans.get(key);
  if (known && [...known.found].every(([name, value]) => variables.find(name) === value)) return known.resolved;
  const noted = new NotedVariables(registry.root, variables);
  const resolved = resolvePlan(registry, ability, environment, noted);
  if (noted.onlyVariables && !projectFilesOf(registry).wasUsed) plans.set(key, { resolved, found: noted.found });
  return resolved;
}

class NotedVariables extends EnvironmentVariables {
  readonly found = new Map<string, string | undefined>();
  /** Whether nothing else of this machine was looked at. */
  onlyVariables = true;

  constructor(
    root: string,
    private readonly variables: EnvironmentVariables,
  ) {
    super(root, variables.environment);
  }

  override find(name: string): string | undefined {
    const value = this.variables.find(name);
    this.found.set(name, value);
    return value;
  }

  override inherited(name: string): string | undefined {
    this.onlyVariables = false;
    return this.variables.inherited(name);
  }

  override hasProgram(places: readonly string[]): boolean {
    this.onlyVariables = false;
    return this.variables.hasProgram(places);
  }
}

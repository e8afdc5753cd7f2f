import type { Finding } from '../../contracts/findings.js';
import type { Problem } from '../../contracts/problem.js';
import { type Ability, loadedAbilities } from '../../definitions/find-ability.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOf, findingOfProblem } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { type ResolvedPlan, resolvePlan } from '../../planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { problemsOf } from '../../planning/steps/check-names.js';
import { matchesAnyGlob } from '../../text/glob.js';
import { type LintedProject, ofFile } from '../linted-project.js';
import { environmentsOf } from './abilities.js';

/** Only warnings for an ability whose scope names no environments and that can be planned in another one. */
const SETTINGS: ReadonlySet<string> = new Set(['config.missing_endpoint', 'config.no_implementation']);

/** Loading has reported it already. */
const REPORTED = 'definition.unread';

/** The check of scopes reports it at the call. */
const ELSEWHERE = 'scope.environment';

/** `checkLifecycle` reports it for workflows. */
const NO_STEPS = 'ability.no_steps';

/** Only warnings: requests can be routed to an agent that has no model yet; workers may have other programs. */
const MAY_BE_THERE: ReadonlySet<string> = new Set(['config.no_model', 'config.missing_program', 'sandbox.unavailable']);

const NOT_SET = 'config.missing_credential';

/** Plans every ability in every environment of its scope, and reports why planning fails. */
export function* checkPlans({ registry, variables }: LintedProject): Generator<Finding> {
  const alike = new AlikeEnvironments(registry);
  for (const [id, ability] of loadedAbilities(registry)) {
    yield* ofFile(ability.file, () => planFindings({ registry, variables }, id, ability, alike));
  }
}

function* planFindings(
  { registry, variables }: Pick<LintedProject, 'registry' | 'variables'>,
  id: string,
  ability: Loaded<Ability>,
  alike: AlikeEnvironments,
): Generator<Finding> {
  const environments = environmentsOf(registry, ability.value.scope);
  const refused = new Map<string, readonly Problem[]>();
  for (const environment of alike.oneOfEach(id, environments)) {
    const seen = variables?.(environment) ?? new EnvironmentVariables(registry.root, environment);
    const planned: ResolvedPlan[] = [];
    const problems = problemsOf(() => planned.push(resolvePlan(registry, id, environment, seen)));
    for (const { code, message, location } of planned.flatMap(({ planWarnings }) => planWarnings)) {
      if (code !== REPORTED) yield findingOf(code, message, location);
    }
    refused.set(environment, problems);
  }
  const nowhere = [...refused.values()].every((problems) => problems.length > 0);
  for (const problem of [...refused.values()].flat()) {
    if (problem.code === NO_STEPS && !hasSteps(ability)) continue;
    if (problem.code === ELSEWHERE || (problem.code === NOT_SET && !variables)) continue;
    const isChance = SETTINGS.has(problem.code) && !ability.value.scope.environments && !nowhere;
    yield findingOfProblem(problem, ability.file, isChance || MAY_BE_THERE.has(problem.code) ? 'warning' : 'error');
  }
}

function hasSteps({ value }: Loaded<Ability>): boolean {
  return !('steps' in value) || value.steps.length > 0;
}

/**
 * Groups environments that plan an ability alike, to save plans. Only for operations whose implementations are
 * scripts: without own settings, they differ only by hooks that match on environments.
 */
class AlikeEnvironments {
  private readonly scripts: ReadonlySet<string>;
  private readonly hooksOf: ReadonlyMap<string, string>;

  constructor(private readonly registry: Registry) {
    const others = new Set<string>();
    const scripts = new Set<string>();
    for (const { operation, body } of implementationBodies(registry)) {
      (body.kind === 'script' ? scripts : others).add(operation);
    }
    this.scripts = new Set([...scripts].filter((operation) => !others.has(operation)));
    const patterns = [...registry.hooks.values()].flat().map(({ value }) => value.match?.environments);
    this.hooksOf = new Map(
      Object.keys(registry.project.environments).map((name) => [
        name,
        patterns.map((own) => (own && matchesAnyGlob(own, name) ? '1' : '0')).join(''),
      ]),
    );
  }

  /** The first environment of each group. */
  oneOfEach(id: string, environments: readonly string[]): string[] {
    if (!this.scripts.has(id)) return [...environments];
    const settings = this.registry.configs.get(id)?.value.environments ?? {};
    const groups = new Map<string, string>();
    for (const name of environments) {
      const group = Object.hasOwn(settings, name) ? `own:${name}` : `hooks:${this.hooksOf.get(name)}`;
      if (!groups.has(group)) groups.set(group, name);
    }
    return [...groups.values()];
  }
}

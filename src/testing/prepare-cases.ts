import { meaningOf } from '../contracts/codes.js';
import type { Finding } from '../contracts/findings.js';
import type { Plan } from '../contracts/plan.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import { EXIT } from '../contracts/states.js';
import { abilityIds, loadedAbility } from '../definitions/find-ability.js';
import type { CaseDefinition, CaseFile } from '../definitions/formats/cases.js';
import { type LoadedCases, loadCases } from '../definitions/load-cases.js';
import type { Loaded, Registry } from '../definitions/registry.js';
import { findingOfProblem } from '../planning/finding-of.js';
import { chooseEnvironment, resolveEnvironment } from '../planning/resolve/resolve-environment.js';
import { resolvePlan } from '../planning/resolve/resolve-plan.js';
import { problemsOf } from '../planning/steps/check-names.js';
import { didYouMean } from '../text/nearest.js';
import { PlaceholderVariables } from './placeholders.js';
import { findNameFaults, type NameFault, namesOf, type PlanNames } from './plan-names.js';
import type { PreparedCase } from './prepared-case.js';

export interface CaseFilter {
  ability?: string | undefined;
  /** For cases that name no environment. */
  environment?: string | undefined;
}

export interface PreparedCases {
  cases: PreparedCase[];
  problems: Problem[];
}

/** Fills in the defaults of cases and checks every name in them against the plan of their ability. */
export function prepareCases(registry: Registry, loaded: LoadedCases, filter: CaseFilter): PreparedCases {
  const isWanted = (ability: string | undefined): boolean =>
    filter.ability === undefined || ability === undefined || ability === filter.ability;
  const prepared: PreparedCases = {
    cases: [],
    problems: loaded.broken.filter(({ ability }) => isWanted(ability)).flatMap(({ problems }) => problems),
  };
  for (const suite of loaded.suites.filter(({ value }) => isWanted(value.ability))) {
    const refused = problemsOf(() => {
      const { cases, problems } = prepareSuite(registry, suite, filter);
      prepared.cases.push(...cases);
      prepared.problems.push(...problems);
    });
    prepared.problems.push(...refused);
  }
  return prepared;
}

function prepareSuite(registry: Registry, suite: Loaded<CaseFile>, filter: CaseFilter): PreparedCases {
  const { value, locate } = suite;
  refuseUnknownAbility(registry, suite);
  const cases = value.cases.map((definition, index) =>
    fillIn(registry, value, definition, filter, locate(['cases', index])),
  );
  const environments = cases.flatMap(({ environment }, index) => {
    const from = value.cases[index]?.environment === undefined ? ['defaults'] : ['cases', index];
    const location = locate([...from, 'environment']);
    return problemsOf(() => resolveEnvironment(registry, environment)).map((problem) => ({ ...problem, location }));
  });
  if (environments.length > 0) return { cases: [], problems: environments };
  const names = cases.map((prepared) => namesFor(registry, prepared));
  const inDefaults = faultsInAll(value.defaults, names).map((fault) => problemOf(fault, ['defaults'], suite));
  const inCases = value.cases.flatMap((definition, index) => {
    const known = names[index];
    const faults = known ? findNameFaults(definition, known) : [];
    return faults.map((fault) => problemOf(fault, ['cases', index], suite));
  });
  const problems = [...inDefaults, ...inCases];
  const known = cases.map((prepared, index) => ({ ...prepared, waits: names[index]?.waits ?? prepared.waits }));
  return { cases: problems.length > 0 ? [] : known, problems };
}

function problemOf({ path, part, message, suggestion }: NameFault, base: PropertyKey[], { locate }: Loaded<CaseFile>) {
  const problem: Problem = {
    code: 'definition.unknown_reference',
    message,
    location: locate([...base, ...path], part),
  };
  return suggestion === undefined ? problem : { ...problem, suggestion };
}

function refuseUnknownAbility(registry: Registry, { value: { ability }, locate }: Loaded<CaseFile>): void {
  const broken = registry.broken.get(`ability:${ability}`);
  if (broken) throw new AbilityError(broken);
  if (loadedAbility(registry, ability)) return;
  throw new AbilityError({
    code: 'definition.unknown_reference',
    message: `There is no ability \`${ability}\``,
    location: locate(['ability']),
    suggestion: didYouMean(ability, abilityIds(registry)) ?? 'Run `ability list` to see what there is.',
  });
}

function fillIn(
  { project }: Registry,
  { ability, defaults }: CaseFile,
  { name, expect, ...own }: CaseDefinition,
  filter: CaseFilter,
  location: PreparedCase['location'],
): PreparedCase {
  return {
    ability,
    name,
    location,
    environment: own.environment ?? defaults.environment ?? chooseEnvironment(project, filter.environment),
    input: { ...defaults.input, ...own.input },
    now: millisecondsOf(own.now ?? defaults.now),
    mocks: { ...defaults.mocks, ...own.mocks },
    hooks: { ...defaults.hooks, ...own.hooks },
    approvals: { ...defaults.approvals, ...own.approvals },
    signals: own.signals ?? defaults.signals ?? [],
    waits: new Map(),
    expect,
  };
}

function millisecondsOf(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}

/** Undefined if the ability is unavailable, as a case may expect. @throws AbilityError for other failures. */
function namesFor(registry: Registry, prepared: PreparedCase): PlanNames | undefined {
  try {
    return namesOf(planOf(registry, prepared));
  } catch (error) {
    if (error instanceof AbilityError && meaningOf(error.code)?.exit === EXIT.unavailable) return undefined;
    throw error;
  }
}

function planOf(registry: Registry, { ability, environment }: PreparedCase): Plan {
  const variables = new PlaceholderVariables(registry, environment);
  return resolvePlan(registry, ability, environment, variables).plan;
}

/** Faults of a file's defaults in all its cases: a default has to fit only one. */
function faultsInAll(defaults: CaseFile['defaults'], names: readonly (PlanNames | undefined)[]): NameFault[] {
  const [first = [], ...others] = names.flatMap((known) => (known ? [findNameFaults(defaults, known)] : []));
  const keyOf = ({ path }: NameFault): string => path.join('/');
  return first.filter((fault) => others.every((faults) => faults.some((other) => keyOf(other) === keyOf(fault))));
}

/** Errors of `ability test` in case files, as findings; the first environment replaces a missing default. */
export function checkCases(registry: Registry): Finding[] {
  const { default_environment, environments } = registry.project;
  const environment = default_environment === undefined ? Object.keys(environments)[0] : undefined;
  const { problems } = prepareCases(registry, loadCases(registry.root), { environment });
  return problems.map((problem) => findingOfProblem(problem, ''));
}

import type { Finding } from '../contracts/findings.js';
import { AbilityError } from '../contracts/problem.js';
import { PROJECT_FILE } from '../definitions/find-project.js';
import type { RegistryLoader } from '../definitions/load-registry.js';
import type { Registry } from '../definitions/registry.js';
import { findingOfProblem } from '../planning/finding-of.js';
import { EnvironmentVariables } from '../planning/secrets/secret-source.js';
import { CHECKS } from './checks.js';
import { isOfDocument } from './imported-parts.js';
import { type LintedProject, ofFile } from './linted-project.js';
import { compareContracts } from './since/compare-contracts.js';
import { readRevision } from './since/read-revision.js';

/** Optional further checks. */
export interface LintOptions {
  /** Whether the variables that hold credentials and addresses are set here. */
  checkEnv?: boolean;
  /** The environment in which they are looked for, and that Git gets; left out: that of this process. */
  env?: NodeJS.ProcessEnv;
  /** A revision of the project's Git repository, with whose contracts these are compared. */
  since?: string;
  /** Whether errors of imported documents themselves, in their schemas and words, are findings. */
  imported?: boolean;
  /** Checks of other rooms. */
  others?: readonly ((registry: Registry) => readonly Finding[])[];
}

/** The findings, and how much was checked. */
export interface LintReport {
  findings: Finding[];
  /** The number of checked abilities. */
  abilities: number;
  /** The number of errors of imported documents that are not among the findings; left out if there are none. */
  imported_left_out?: number;
}

/**
 * Looks for everything in the definitions of a project that does not hold. Source: R-000-88, R-000-89.
 *
 * @throws AbilityError `usage.invalid` for a revision that cannot be read.
 */
export function lintProject(loader: RegistryLoader, options: LintOptions = {}): LintReport {
  const project = openProject(loader, options);
  if ('code' in project) return { findings: [project], abilities: 0 };
  const { registry } = project;
  const before = options.since === undefined ? undefined : readRevision(registry.root, options.since, options.env);
  const found = [
    ...loadingProblems(project),
    ...CHECKS.flatMap((check) => ofFile(PROJECT_FILE, () => check(project))),
    ...(before ? compareContracts(before, registry) : []),
    ...(options.others ?? []).flatMap((check) => ofFile(PROJECT_FILE, () => check(registry))),
  ];
  const all = inOrder(found);
  const isLeftOut = options.imported ? () => false : isOfDocument(project);
  const findings = all.filter((finding) => !isLeftOut(finding));
  const left = all.length - findings.length;
  const abilities = registry.operations.size + registry.workflows.size + registry.agents.size;
  return { findings, abilities, ...(left > 0 && { imported_left_out: left }) };
}

function openProject(loader: RegistryLoader, { checkEnv = false, env }: LintOptions): LintedProject | Finding {
  try {
    const registry = loader.load();
    return {
      registry,
      sources: loader.sources(),
      variables: checkEnv ? (environment) => new EnvironmentVariables(registry.root, environment, env) : undefined,
    };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return findingOfProblem(error.toProblem(), PROJECT_FILE);
  }
}

function loadingProblems({ registry }: LintedProject): Finding[] {
  return registry.problems.map((problem) => findingOfProblem(problem, PROJECT_FILE));
}

/** By file and place; the same thing, found on several ways, once. */
function inOrder(findings: Finding[]): Finding[] {
  const once = new Map(findings.map((finding) => [keyOf(finding), finding]));
  return [...once.values()].sort(compare);
}

function keyOf({ code, message, location: { file, line, column } }: Finding): string {
  return JSON.stringify([code, message, file, line, column]);
}

function compare({ location: a, ...one }: Finding, { location: b, ...other }: Finding): number {
  return (
    compareText(a.file, b.file) ||
    a.line - b.line ||
    a.column - b.column ||
    compareText(one.code, other.code) ||
    compareText(one.message, other.message)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

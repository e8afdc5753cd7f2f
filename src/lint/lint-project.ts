import { isDeepStrictEqual } from 'node:util';
import type { Finding } from '../contracts/findings.js';
import { isJsonObject } from '../contracts/json.js';
import { loadedAbilities } from '../definitions/find-ability.js';
import { PROJECT_FILE } from '../definitions/find-project.js';
import type { RegistryLoader } from '../definitions/load-registry.js';
import { importedDefinitions } from '../definitions/read-imports.js';
import type { Registry } from '../definitions/registry.js';
import type { YamlSource } from '../definitions/yaml-source.js';
import { findingOfProblem } from '../planning/finding-of.js';
import { EnvironmentVariables } from '../planning/secrets/secret-source.js';
import { unlessRefused } from '../text/attempt.js';
import { CHECKS } from './checks.js';
import { type LintedProject, ofFile, type Provided } from './linted-project.js';
import { compareContracts } from './since/compare-contracts.js';
import { readRevision } from './since/read-revision.js';

export interface LintOptions {
  /** Whether to check that the variables for credentials and addresses are set here. */
  checkEnv?: boolean;
  /** What the providers of secrets gave to `checkEnv`; omitted: they were not asked. */
  provided?: Provided;
  /** The environment for `checkEnv` and for Git; default: that of this process. */
  env?: NodeJS.ProcessEnv;
  /** A Git revision of the project; its contracts are compared with the current ones. */
  since?: string;
  /** Whether to report errors of imported documents themselves, in their schemas and texts. */
  imported?: boolean;
  /** Checks defined outside `lint/`. */
  others?: readonly ((registry: Registry) => readonly Finding[])[];
}

export interface LintReport {
  findings: Finding[];
  abilities: number;
  /** The number of errors of imported documents that `findings` leaves out; absent if there are none. */
  imported_left_out?: number;
}

/** Source: R-000-88, R-000-89. @throws AbilityError `usage.invalid` for an unreadable revision. */
export function lintProject(loader: RegistryLoader, options: LintOptions = {}): LintReport {
  const project = openProject(loader, options);
  if ('code' in project) return { findings: [project], abilities: 0 };
  const { registry } = project;
  const before = options.since === undefined ? undefined : readRevision(registry.root, options.since, options.env);
  const found = [
    ...project.registry.problems.map((problem) => findingOfProblem(problem, PROJECT_FILE)),
    ...CHECKS.flatMap((check) => ofFile(PROJECT_FILE, () => check(project))),
    ...(before ? compareContracts(before, registry) : []),
    ...(options.others ?? []).flatMap((check) => ofFile(PROJECT_FILE, () => check(registry))),
  ];
  const all = inOrder(found);
  const isLeftOut = options.imported ? () => false : isOfDocument(project);
  const findings = all.filter((finding) => !isLeftOut(finding));
  const left = all.length - findings.length;
  const abilities = loadedAbilities(registry).length;
  return { findings, abilities, ...(left > 0 && { imported_left_out: left }) };
}

function openProject(
  loader: RegistryLoader,
  { checkEnv = false, env, provided }: LintOptions,
): LintedProject | Finding {
  const registry = unlessRefused(
    () => loader.load(),
    (refusal) => findingOfProblem(refusal.toProblem(), PROJECT_FILE),
  );
  if ('code' in registry) return registry;
  const variables = (environment: string) => new EnvironmentVariables(registry.root, environment, env);
  return { registry, sources: loader.sources(), variables: checkEnv ? variables : undefined, provided };
}

/** Sorts by file and place, and removes duplicates. */
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

/** Codes of findings about schemas and texts, which an import copies from the document unchanged. */
const OF_DOCUMENTS: ReadonlySet<string> = new Set([
  'lint.schema_default',
  'lint.schema_impossible',
  'lint.schema_keyword',
  'lint.schema_keyword_idle',
  'lint.schema_required_unknown',
  'lint.text_not_evaluated',
]);

const TAKEN_OVER = ['summary', 'input_schema', 'output_schema'] as const;

/** Whether a finding is an error of an imported, unedited document, which users cannot correct. */
function isOfDocument({ registry, sources }: LintedProject): (finding: Finding) => boolean {
  // Read only when needed: large imports leave large records.
  let places: ReadonlyMap<string, readonly Range[]> | undefined;
  return ({ code, location }) => {
    if (!OF_DOCUMENTS.has(code)) return false;
    places ??= placesOf(registry.root, sources);
    return (places.get(location.file) ?? []).some((range) => isWithin(range, location));
  };
}

type Place = Pick<Finding['location'], 'line' | 'column'>;

interface Range {
  from: Place;
  to: Place;
}

function placesOf(root: string, sources: readonly YamlSource[]): ReadonlyMap<string, readonly Range[]> {
  const imported = importedDefinitions(root);
  return new Map(
    sources.flatMap((source) => {
      const definition = imported.get(source.file);
      const { value } = source;
      if (!definition || !isJsonObject(value)) return [];
      const parts = TAKEN_OVER.filter((key) => key in value && isDeepStrictEqual(value[key], definition[key]));
      return [[source.file, parts.flatMap((key) => rangeOf(source, key))] as const];
    }),
  );
}

function rangeOf({ document, locateOffset }: YamlSource, key: string): Range[] {
  const range = (document.get(key, true) as { range?: readonly number[] | null } | undefined)?.range;
  const [start, , end] = range ?? [];
  if (start === undefined || end === undefined) return [];
  return [{ from: placeAt(start), to: placeAt(end) }];

  function placeAt(offset: number): Place {
    const { line = 1, column = 1 } = locateOffset(offset);
    return { line, column };
  }
}

function isWithin({ from, to }: Range, place: Place): boolean {
  return !isBefore(place, from) && !isBefore(to, place);
}

function isBefore(one: Place, other: Place): boolean {
  return one.line < other.line || (one.line === other.line && one.column < other.column);
}

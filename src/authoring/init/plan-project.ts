import { existsSync, realpathSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { AbilityError, usageError } from '../../contracts/problem.js';
import { definitionFiles } from '../../definitions/find-files.js';
import { foldersOf, PROJECT_FILE } from '../../definitions/find-project.js';
import { project as projectFormat } from '../../definitions/formats/project.js';
import { environmentName } from '../../definitions/formats/values.js';
import { FileCache, sourceOf } from '../../definitions/read-files.js';
import { type FormatName, schemaFiles } from '../../definitions/schemas/schema-files.js';
import { didYouMean } from '../../text/nearest.js';
import { newAgentDocuments } from '../agent-documents/plan-agent-documents.js';
import type { EXAMPLES } from '../choices.js';
import { fillTemplate } from '../fill-template.js';
import { checkForm, siteFolders } from '../scaffold/scaffold.js';
import { FileDraft, type PlannedFile, schemaFolder, schemaLine } from '../write-together.js';

export interface NewProject {
  name: string;
  /** The first one is the default. */
  environments: string[];
  example: (typeof EXAMPLES)[number];
  /** Files that may be overwritten, by their paths in the project. */
  force: string[];
}

/** The files to write, and the existing files that are left as they are. */
export interface ProjectPlan {
  files: PlannedFile[];
  left: string[];
}

/** @throws AbilityError `project.exists`, `project.two_registries`, `usage.invalid`. */
export function planProject(root: string, wanted: NewProject): ProjectPlan {
  refuseProject(root);
  checkProjectName(wanted.name);
  checkEnvironmentNames(wanted.environments);
  const { registry, hooks } = siteFolders(root);
  const files = { ...filesOf(registry, wanted), ...hookFiles(registry, hooks) };
  const force = wanted.force.map((path) => posix.normalize(path));
  refuseOtherForces(force, Object.keys(files));
  const left: string[] = [];
  const draft = new FileDraft(root);
  for (const [path, content] of Object.entries(files)) {
    if (!existsSync(join(root, path))) draft.add(path, content);
    else if (force.includes(path)) draft.edit(path, '', () => content);
    else left.push(path);
  }
  draft.edit('.gitignore', '', (text) => mergeGitIgnore(text, registry.startsWith('.system')));
  // Last, since this file makes the folder a project.
  draft.add(PROJECT_FILE, projectFile(registry, wanted));
  return { files: draft.files(), left };
}

/** @throws AbilityError `project.exists` if the folder is a project already. */
export function refuseProject(root: string): void {
  if (!existsSync(join(root, PROJECT_FILE))) return;
  throw new AbilityError({
    code: 'project.exists',
    message: `${root} is a project already: it has ${PROJECT_FILE}. Nothing was written`,
    location: { file: join(root, PROJECT_FILE) },
    suggestion: 'Add to it with `ability scaffold`, or make a project in another folder: `ability init DIR`.',
  });
}

/** @throws AbilityError `usage.invalid`. */
export function checkProjectName(name: string): void {
  checkForm(projectFormat.shape.project, name, 'name of a project');
}

/** @throws AbilityError `usage.invalid` for no name, an invalid one, or a duplicate. */
export function checkEnvironmentNames(names: readonly string[]): void {
  for (const name of names) checkForm(environmentName, name, 'name of an environment');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (names.length > 0 && twice === undefined) return;
  throw usageError(
    twice === undefined ? 'A project has at least one environment' : `The environment ${twice} is named twice`,
    'Pass names such as --env-names dev,staging,prod.',
  );
}

function filesOf(registry: string, wanted: NewProject): Record<string, string> {
  const { environments, example } = wanted;
  const [environment = 'dev'] = environments;
  const hasExample = example === 'script';
  return {
    ...(hasExample && exampleFiles(registry, environment)),
    [`${registry}/README.md`]: fillTemplate('init/registry-readme.md'),
    ...Object.fromEntries([...schemaFiles()].map(([file, text]) => [`${schemaFolder(registry)}/${file}`, text])),
    ...newAgentDocuments(registry),
    '.github/workflows/ability.yml': ciJob(environment, hasExample),
  };
}

function exampleFiles(registry: string, environment: string): Record<string, string> {
  const ability = `${registry}/low-level/hello.yaml`;
  const cases = `${registry}/low-level/hello.test.yaml`;
  const line = (kind: FormatName, path: string): string => schemaLine({ kind, path, registry });
  return {
    [ability]: fillTemplate('init/hello.yaml', { SCHEMA: line('low-level', ability) }),
    [cases]: fillTemplate('init/hello.test.yaml', { SCHEMA: line('cases', cases), ENVIRONMENT: environment }),
    'scripts/tools/hello.mjs': fillTemplate('init/hello.mjs'),
  };
}

/** Hints for each prompt, and a line for each call. Source: R-000-65. */
function hookFiles(registry: string, hooks: string): Record<string, string> {
  const files = ['PromptSubmit', 'PostAbilityCall'].map((phase) => {
    const path = `${hooks}/${phase}.yaml`;
    const SCHEMA = schemaLine({ kind: 'hooks', path, registry });
    return [path, fillTemplate(`init/${phase}.yaml`, { SCHEMA })] as const;
  });
  return Object.fromEntries(files);
}

/** Server binaries are cached per version; the lock file fixes the version, so it is the cache key. */
function ciJob(environment: string, hasExample: boolean): string {
  const steps = fillTemplate(hasExample ? 'init/ci-cases.yml' : 'init/ci-no-cases.yml', { ENVIRONMENT: environment });
  return fillTemplate('init/ci-job.yml', { STEPS: steps.trimEnd() });
}

function refuseOtherForces(force: readonly string[], ours: readonly string[]): void {
  const other = force.find((path) => !ours.includes(path));
  if (other === undefined) return;
  throw usageError(
    `--force ${other} names no file that \`ability init\` writes`,
    didYouMean(other, ours) ?? `There are: ${ours.join(', ')}.`,
  );
}

function projectFile(registry: string, { name, environments }: NewProject): string {
  const [first = 'dev'] = environments;
  const lines = environments.map((environment) => {
    const { value, remark } = environmentOf(environment);
    const text = Object.entries(value).map(([key, item]) => {
      return `${key}: ${Array.isArray(item) ? `[${item.join(', ')}]` : String(item)}`;
    });
    return `  ${environment}: {${text.length > 0 ? ` ${text.join(', ')} ` : ''}}   # ${remark}`;
  });
  return `${schemaLine({ kind: 'project', path: PROJECT_FILE, registry })}
format: 1
project: ${name}

environments:
${lines.join('\n')}
default_environment: ${first}

policy:
  max_timeout: 1h
`;
}

/** Paths to keep out of version control, each with the other patterns that cover it. */
const ENTRIES: [entry: string, ...others: string[]][] = [
  ['node_modules/', 'node_modules', '**/node_modules'],
  ['.env', '.env*'],
  ['.env.*', '.env*'],
  ['!.env.example'],
];

/** The runtime's files in a project: records, stores, keys, databases. */
const SYSTEM: [entry: string, ...others: string[]] = ['.system/', '.system'];

/** Variant that keeps `.system/registry` and `.system/hooks` in version control. Source: C-18. */
const SYSTEM_WITH_REGISTRY: [entry: string, ...others: string[]][] = [
  ['.system/*'],
  ['!.system/registry/', '!.system/registry'],
  ['!.system/hooks/', '!.system/hooks'],
];

const TITLE = '# Ability Runtime: what it keeps, and values of this machine';

/** Adds missing lines; others stay. @param hasSystemRegistry whether the definitions are under `.system`. */
export function mergeGitIgnore(text: string, hasSystemRegistry: boolean): string {
  const there = new Set(text.split(/\r?\n/).map((line) => line.trim().replace(/^(!?)\//, '$1')));
  const wanted = [...(hasSystemRegistry ? SYSTEM_WITH_REGISTRY : [SYSTEM]), ...ENTRIES];
  const missing = wanted.filter((forms) => !forms.some((form) => there.has(form))).map(([entry]) => entry);
  if (missing.length === 0) return text;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' ? '' : text.endsWith('\n') ? newline : newline + newline;
  return `${text}${gap}${[TITLE, ...missing].join(newline)}${newline}`;
}

const PRODUCTION = /^(prod|production|live)$/;

const STAGING = /^(stag|stage|staging|preprod|uat)$/;

/** Sorts environments by risk, lowest first, so that the first one can be the default. */
function inUsualOrder(names: readonly string[]): string[] {
  const rankOf = (name: string): number => {
    if (PRODUCTION.test(name)) return 3;
    if (STAGING.test(name)) return 2;
    return name === 'dev' ? 0 : 1;
  };
  return [...names].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
}

/** Settings for a new environment by its name: production and staging require more approvals. */
export function environmentOf(name: string): { value: JsonObject; remark: string } {
  if (PRODUCTION.test(name)) {
    return {
      value: { protected: true, approve: ['write_idempotent', 'write_additive', 'destructive'] },
      remark: 'every change is asked about, and people cannot approve their own; add `approvers`',
    };
  }
  if (STAGING.test(name)) return { value: { approve: ['destructive'] }, remark: 'what destroys is asked about' };
  return { value: {}, remark: 'no approval is asked for' };
}

/** The first is the default, where the example and the CI job run, so it must be harmless. */
export function proposedEnvironments(root: string): string[] {
  const named = namedEnvironments(root);
  const [first] = named;
  // The default is not to be one of production or staging.
  return first === undefined || PRODUCTION.test(first) || STAGING.test(first) ? ['dev', ...named] : named;
}

/**
 * Environments that a folder's definitions name before it is a project; those that count most come last. Patterns
 * name none; unreadable files are skipped, since loading the project reports them.
 */
export function namedEnvironments(root: string): string[] {
  if (!existsSync(root)) return [];
  const real = realpathSync(root);
  const files = new FileCache(real);
  const named = definitionFiles(foldersOf(real)).flatMap(({ path }) => [...namesIn(sourceOf(files.read(path))?.value)]);
  const names = named.filter((name) => environmentName.safeParse(name).success);
  return inUsualOrder([...new Set(names)]);
}

/** Finds names in definitions of any kind: each kind has them in different places. */
function* namesIn(value: unknown): Generator<string> {
  if (!isJsonObject(value)) return;
  if (isJsonObject(value.scope)) yield* textsIn(value.scope.environments);
  for (const part of [...listOf(value.abilities), ...valuesOf(value.services)]) {
    if (isJsonObject(part) && isJsonObject(part.environments)) yield* Object.keys(part.environments);
  }
  for (const hook of listOf(value.hooks)) {
    if (!isJsonObject(hook)) continue;
    if (isJsonObject(hook.match)) yield* textsIn(hook.match.environments);
    for (const example of listOf(hook.examples)) if (isJsonObject(example)) yield* textsIn([example.environment]);
  }
  for (const one of listOf(value.cases)) if (isJsonObject(one)) yield* textsIn([one.environment]);
}

function textsIn(value: unknown): string[] {
  return listOf(value).filter((item): item is string => typeof item === 'string');
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function valuesOf(value: unknown): unknown[] {
  return isJsonObject(value) ? Object.values(value) : [];
}

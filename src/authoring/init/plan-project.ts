import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { AbilityError, usageError } from '../../contracts/problem.js';
import { PROJECT_FILE } from '../../definitions/find-project.js';
import { project as projectFormat } from '../../definitions/formats/project.js';
import { environmentName } from '../../definitions/formats/values.js';
import { type FormatName, schemaFiles } from '../../definitions/schemas/schema-files.js';
import { didYouMean } from '../../text/nearest.js';
import { newAgentDocuments } from '../agent-documents/agents-md.js';
import type { EXAMPLES } from '../choices.js';
import { FileDraft, schemaFolder, schemaLine } from '../file-draft.js';
import { fillTemplate } from '../fill-template.js';
import { checkForm, siteFolders } from '../scaffold/scaffold.js';
import type { PlannedFile } from '../write-together.js';
import { environmentOf } from './environments.js';

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

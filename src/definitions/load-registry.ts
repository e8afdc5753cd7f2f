import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { z } from 'zod';
import { PHASES, type Phase } from '../contracts/hooks.js';

import { AbilityError, formatLocation, type Problem, type SourceLocation } from '../contracts/problem.js';

import { findAbilityAmongCases, holdsCases } from './case-files.js';

import { type Checked, checkFormat } from './check-format.js';
import { definitionFiles, linkedFolders, misplacedFiles, refusedFolders } from './find-files.js';
import { findProjectRoot, foldersOf, PROJECT_FILE } from './find-project.js';
import { findUnread } from './find-unread.js';
import { config } from './formats/config.js';
import { highLevel } from './formats/high-level.js';
import { hooks } from './formats/hooks.js';
import { implementation } from './formats/implementation.js';
import { lowLevel } from './formats/low-level.js';
import { project } from './formats/project.js';

import { idsIn } from './ids-in-file.js';

import { phaseOf } from './phase-of.js';
import { FileCache, type ReadFile, sourceOf } from './read-files.js';

import { type BrokenKind, type FileKindName, type Loaded, PLACEMENT_RULES, type Registry } from './registry.js';
import { findUnsupported } from './unsupported.js';
import { isProblem, type YamlSource } from './yaml-source.js';

/** Loads the registry of one project, and loads it again only as far as files changed. */
export class RegistryLoader {
  readonly root: string;
  private readonly files: FileCache;
  private read: ReadFile[] = [];

  constructor(root: string) {
    this.root = root;
    this.files = new FileCache(root);
  }

  /** Every file of the last {@link load} that is YAML, the test cases among them, in the order of the files. */
  sources(): YamlSource[] {
    return this.read.flatMap((read) => sourceOf(read) ?? []);
  }

  /**
   * Reads `ability.yaml` and all definitions.
   *
   * @throws AbilityError when `ability.yaml` itself is broken or there are two registries; everything else that is
   * broken only disables what it defines.
   */
  load(): Registry {
    const folders = foldersOf(this.root);
    const projectFile = this.files.read(join(this.root, PROJECT_FILE));
    this.read = [projectFile];
    const registry = emptyRegistry(this.root, projectFile);
    const digest = createHash('sha256').update(`${projectFile.file}\0${projectFile.digest}\n`);
    for (const { kind, path } of definitionFiles(folders)) {
      const read = this.files.read(path);
      this.read.push(read);
      if (holdsCases(kind, read)) continue;
      digest.update(`${read.file}\0${read.digest}\n`);
      addFile(registry, kind, read);
    }
    const unread = [...refusedFolders(folders), ...misplacedFiles(folders), ...linkedFolders(folders)];
    for (const { kind, problem } of unread) {
      registry.problems.push(problem);
      if (kind) registry.opaque.push({ kind, problem });
    }
    disableUnread(registry);
    return { ...registry, digest: digest.digest('hex') };
  }
}

/** Loads the registry of the project a folder belongs to. */
export function loadRegistry(from: string, given?: string): Registry {
  return new RegistryLoader(findProjectRoot(from, given)).load();
}

function emptyRegistry(root: string, file: ReadFile): Registry {
  const source = orThrow(file);
  const unsupported = findUnsupported('project', source);
  if (unsupported) throw new AbilityError(unsupported);
  const { checked, broken } = checkProject(source);
  if ('problems' in checked) throw new AbilityError(checked.problems[0] as Problem);
  const { environments, default_environment: preferred } = checked.value;
  if (preferred !== undefined && !Object.hasOwn(environments, preferred)) {
    throw new AbilityError({
      code: 'definition.unknown_reference',
      message: `\`default_environment\` names ${preferred}, which is not under \`environments\``,
      location: source.locate(['default_environment']),
    });
  }
  return {
    project: checked.value,
    root,
    locateInProject: source.locate,
    operations: new Map(),
    workflows: new Map(),
    implementations: new Map(),
    configs: new Map(),
    envProfiles: new Map(),
    mcpServers: new Map(),
    services: new Map(),
    hooks: new Map(),
    broken: new Map(broken ? [[PLACEMENT_RULES, broken]] : []),
    opaque: [],
    problems: broken ? [broken] : [],
    digest: '',
  };
}

/** What `ability.yaml` says; in place of a `placement` that is none the built-in lists hold. Source: R-001-19, C-28. */
function checkProject(source: YamlSource): { checked: Checked<typeof project>; broken?: Problem } {
  const checked = checkFormat(project, source);
  const { value } = source;
  if (!('problems' in checked) || !isMap(value) || value.placement === undefined) return { checked };
  const [problem] = checked.problems as [Problem, ...Problem[]];
  const rest = checkFormat(project, { ...source, value: { ...value, placement: {} } });
  if ('problems' in rest) return { checked };
  return { checked: rest, broken: { ...problem, suggestion: builtInUntil(problem) } };
}

function builtInUntil({ suggestion }: Problem): string {
  const now = 'Until then the built-in lists of servers hold.';
  return suggestion === undefined
    ? `Write \`placement: { cloud: [names of servers] }\`. ${now}`
    : `${suggestion} ${now}`;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function orThrow(file: ReadFile): YamlSource {
  if (isProblem(file.source)) throw new AbilityError(file.source);
  return file.source;
}

function addFile(registry: Registry, kind: FileKindName, read: ReadFile): void {
  const source = sourceOf(read);
  if (!source) {
    disable(registry, kind, read, [read.source as Problem]);
    return;
  }
  const refused = findAbilityAmongCases(kind, source) ?? findUnsupported(kind, source);
  if (refused) {
    disable(registry, kind, read, [refused]);
    return;
  }
  const problems = ADD[kind](registry, source);
  if (problems) disable(registry, kind, read, problems);
}

/** Adds the definitions of a file of each kind; gives the problems when the file has not the right form. */
const ADD: Record<FileKindName, (registry: Registry, source: YamlSource) => Problem[] | undefined> = {
  'low-level': (registry, source) =>
    whenValid(lowLevel, source, (value) =>
      addAbility(registry, registry.operations, value.operation_key, value, source),
    ),
  'high-level': (registry, source) =>
    whenValid(highLevel, source, (value) => addAbility(registry, registry.workflows, value.id, value, source)),
  implementations: (registry, source) =>
    whenValid(implementation, source, (value) => {
      add(registry, registry.implementations, 'implementation', value.id, loaded(value, source));
    }),
  config: (registry, source) =>
    whenValid(config, source, (value) => {
      for (const [index, ability] of value.abilities.entries()) {
        add(registry, registry.configs, 'config', ability.id, loaded(ability, source, ['abilities', index]));
      }
      for (const [name, profile] of Object.entries(value.env_profiles)) {
        add(registry, registry.envProfiles, 'env_profile', name, loaded(profile, source, ['env_profiles', name]));
      }
      for (const [name, server] of Object.entries(value.mcp_servers)) {
        add(registry, registry.mcpServers, 'mcp_server', name, loaded(server, source, ['mcp_servers', name]));
      }
      for (const [name, service] of Object.entries(value.services)) {
        add(registry, registry.services, 'service', name, loaded(service, source, ['services', name]));
      }
    }),
  hooks: (registry, source) => {
    const phase = phaseOf(source.file);
    if (!phase) {
      const message = `${basename(source.file)} is not named after a phase`;
      const suggestion = `Hooks stand in a file named after their phase: ${PHASES.join('.yaml, ')}.yaml.`;
      return [{ code: 'definition.invalid', message, location: { file: source.file }, suggestion }];
    }
    return whenValid(hooks, source, (value) => {
      const list = registry.hooks.get(phase) ?? [];
      registry.hooks.set(phase, list);
      for (const [index, hook] of value.hooks.entries()) {
        if (phase === 'PreAbilityCreate' && hook.match?.effects) {
          breakHooks(
            registry,
            phase,
            matchesEffects(hook.id, source.locate(['hooks', index, 'match', 'effects'], 'key')),
          );
        }
        const same = list.find((other) => other.value.id === hook.id);
        const entry = loaded(hook, source, ['hooks', index]);
        if (same) breakHooks(registry, phase, duplicate(hook.id, same, entry));
        else list.push(entry);
      }
    });
  },
};

/** A task is formed once, whatever it may do later; its effects are asked about call by call. Source: design, section 7. */
function matchesEffects(id: string, location: SourceLocation): Problem {
  return {
    code: 'definition.invalid',
    message: `The hook ${id} of PreAbilityCreate matches on effects, but only asks whether a task can be formed`,
    location,
    suggestion: 'Move it to PreAbilityCall.yaml, or leave `effects` out.',
  };
}

function whenValid<Schema extends z.ZodType>(
  schema: Schema,
  source: YamlSource,
  then: (value: z.output<Schema>) => void,
): Problem[] | undefined {
  const checked = checkFormat(schema, source);
  if ('problems' in checked) return checked.problems;
  then(checked.value);
  return undefined;
}

function loaded<T>(value: T, source: YamlSource, base: PropertyKey[] = []): Loaded<T> {
  return { value, file: source.file, locate: (path, part) => source.locate([...base, ...path], part) };
}

/** High- and low-level abilities share one namespace. Source: C-21. */
function addAbility<T>(
  registry: Registry,
  into: Map<string, Loaded<T>>,
  id: string,
  value: T,
  source: YamlSource,
): void {
  const other = registry.operations.get(id) ?? registry.workflows.get(id);
  const entry = loaded(value, source);
  if (other === undefined) add(registry, into, 'ability', id, entry);
  else {
    registry.operations.delete(id);
    registry.workflows.delete(id);
    markBroken(registry, 'ability', id, duplicate(id, other, entry));
  }
}

function add<T>(
  registry: Registry,
  into: Map<string, Loaded<T>>,
  kind: BrokenKind,
  id: string,
  entry: Loaded<T>,
): void {
  if (registry.broken.has(`${kind}:${id}`)) return;
  const other = into.get(id);
  if (other === undefined) into.set(id, entry);
  else {
    into.delete(id);
    markBroken(registry, kind, id, duplicate(id, other, entry));
  }
}

function duplicate(id: string, first: Loaded<unknown>, second: Loaded<unknown>): Problem {
  const places = `${formatLocation(first.locate([]))} and ${formatLocation(second.locate([]))}`;
  return {
    code: 'definition.duplicate',
    message: `${id} is defined twice, in ${places}; neither is used`,
    location: second.locate([]),
    suggestion: 'Rename one of them or delete it.',
  };
}

function markBroken(registry: Registry, kind: BrokenKind, id: string, problem: Problem): void {
  registry.problems.push(problem);
  if (!registry.broken.has(`${kind}:${id}`)) registry.broken.set(`${kind}:${id}`, problem);
}

function breakHooks(registry: Registry, phase: Phase, problem: Problem): void {
  markBroken(registry, 'hooks', phase, problem);
}

/** Disables what a broken file defines, as far as it can be told; a guard that cannot be read is not skipped. */
function disable(registry: Registry, kind: FileKindName, read: ReadFile, problems: Problem[]): void {
  const [first] = problems as [Problem, ...Problem[]];
  registry.problems.push(...problems);
  const ids = idsIn(kind, read);
  if (ids === undefined) registry.opaque.push({ kind, problem: first });
  for (const [brokenKind, id] of ids ?? []) {
    if (!registry.broken.has(`${brokenKind}:${id}`)) registry.broken.set(`${brokenKind}:${id}`, first);
    for (const map of mapsOf(registry, brokenKind)) map.delete(id);
  }
}

/** What nothing reads is told; a configuration that is partly so may bind guards there, so it disables its ability. */
function disableUnread(registry: Registry): void {
  for (const { problem, config: ability } of findUnread(registry)) {
    if (ability === undefined) registry.problems.push(problem);
    else {
      registry.configs.delete(ability);
      markBroken(registry, 'config', ability, problem);
    }
  }
}

function mapsOf(registry: Registry, kind: BrokenKind): Map<string, unknown>[] {
  switch (kind) {
    case 'ability':
      return [registry.operations, registry.workflows];
    case 'implementation':
      return [registry.implementations];
    case 'config':
      return [registry.configs];
    case 'env_profile':
      return [registry.envProfiles];
    case 'mcp_server':
      return [registry.mcpServers];
    case 'service':
      return [registry.services];
    case 'hooks':
    case 'placement':
    case 'implementation_of':
      return [];
  }
}

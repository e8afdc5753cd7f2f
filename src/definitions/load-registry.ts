import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../contracts/json.js';
import { placementsOf, taskQueueOf } from '../contracts/names.js';
import { AbilityError, invalidDefinition, type Problem } from '../contracts/problem.js';
import { addFile, markBroken } from './add-definitions.js';
import { addBuiltInAgents } from './built-in-agents.js';
import { holdsCases } from './case-files.js';
import { type Checked, checkFormat } from './check-format.js';
import { type DefinitionFile, findFiles, type UnreadFile } from './find-files.js';
import { findProjectRoot, foldersOf, PACKS_VARIABLE, PROJECT_FILE } from './find-project.js';
import { findUnread } from './find-unread.js';
import { type Project, project } from './formats/project.js';
import { FileCache, type ReadFile, sourceOf } from './read-files.js';
import { PLACEMENT_RULES, type Registry } from './registry.js';
import { findUnsupported } from './unsupported.js';
import { isProblem, type YamlSource } from './yaml-source.js';

/** @throws AbilityError if `ability.yaml` is broken. */
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
  refuseSharedQueues(checked.value, source);
  return {
    project: checked.value,
    root,
    locateInProject: source.locate,
    operations: new Map(),
    workflows: new Map(),
    agents: new Map(),
    implementations: new Map(),
    configs: new Map(),
    envProfiles: new Map(),
    mcpServers: new Map(),
    services: new Map(),
    hooks: new Map(),
    hookImpls: new Map(),
    modules: new Map(),
    capabilities: new Map(),
    packs: new Map(),
    broken: new Map(broken ? [[PLACEMENT_RULES, broken]] : []),
    opaque: [],
    problems: broken ? [broken] : [],
    digest: '',
  };
}

/** Names of queues join environment and placement, so `dev-near` with `db` and `dev` with `near-db` would share one. */
function refuseSharedQueues({ environments, placements, project: name }: Project, source: YamlSource): void {
  const taken = new Map<string, string>();
  for (const environment of Object.keys(environments)) {
    for (const placement of placementsOf({ placements })) {
      const queue = taskQueueOf(name, environment, placement);
      const other = taken.get(queue);
      const place = `${placement} in ${environment}`;
      taken.set(queue, place);
      if (other === undefined) continue;
      throw invalidDefinition(
        `${other} and ${place} would have the same queue, ${queue}`,
        source.locate(['placements'], 'key'),
        'Give the placement, or one of the environments, another name.',
      );
    }
  }
}

/** Checks `ability.yaml`; the built-in lists replace an invalid `placement`. Source: R-001-19, C-28. */
function checkProject(source: YamlSource): { checked: Checked<typeof project>; broken?: Problem } {
  const checked = checkFormat(project, source);
  const { value } = source;
  if (!('problems' in checked) || !isJsonObject(value) || value.placement === undefined) return { checked };
  const [problem] = checked.problems as [Problem, ...Problem[]];
  const rest = checkFormat(project, { ...source, value: { ...value, placement: {} } });
  if ('problems' in rest) return { checked };
  return { checked: rest, broken: { ...problem, suggestion: builtInUntil(problem) } };
}

function builtInUntil({ suggestion }: Problem): string {
  const now = 'Until then the built-in lists of servers apply.';
  return suggestion === undefined ? `Set \`placement: { cloud: [names of servers] }\`. ${now}` : `${suggestion} ${now}`;
}

function orThrow(file: ReadFile): YamlSource {
  if (isProblem(file.source)) throw new AbilityError(file.source);
  return file.source;
}

/** Loads the registry of one project; later loads read only changed files. */
export class RegistryLoader {
  readonly root: string;
  private readonly files: FileCache;
  private read: ReadFile[] = [];
  private last: { from: Found; registry: Registry } | undefined;

  /** Absolute path of a pack file that replaces the registry's; undefined: none is named. */
  readonly packs: string | undefined;

  /** @param env may name a pack file. */
  constructor(root: string, env: NodeJS.ProcessEnv = process.env) {
    this.root = root;
    this.packs = packsNamedIn(env, root);
    this.files = new FileCache(root);
  }

  /** All YAML files of the last {@link load}, including test cases, in the order of the files. */
  sources(): YamlSource[] {
    return this.read.flatMap((read) => sourceOf(read) ?? []);
  }

  /** Disables broken definitions. @throws AbilityError for a broken `ability.yaml` or two registries. */
  load(): Registry {
    const found = this.find();
    this.read = [found.project, ...found.definitions.map(({ read }) => read)];
    if (!this.last || !isSame(this.last.from, found))
      this.last = { from: found, registry: registryOf(this.root, found) };
    // A new object for each load: script contents are cached per object, and may have changed since.
    return { ...this.last.registry };
  }

  private find(): Found {
    const { files, unread } = findFiles(foldersOf(this.root));
    const own = this.packs === undefined ? files : files.filter(({ kind }) => kind !== 'packs');
    const definitions: Found['definitions'] = own.map((file) => ({ ...file, read: this.files.read(file.path) }));
    if (this.packs !== undefined) definitions.push(this.findPacks(this.packs));
    return { project: this.files.read(join(this.root, PROJECT_FILE)), definitions, unread };
  }

  private findPacks(path: string): Found['definitions'][number] {
    const read = this.files.read(path, true);
    if (existsSync(path)) return { kind: 'packs', path, read, isNamed: true };
    const { file } = read;
    const message = `${PACKS_VARIABLE} names ${file} for the packs, which is not there`;
    const suggestion = 'Correct the path, which is relative to the project, or unset the variable.';
    const source = { code: 'definition.invalid', message, suggestion, location: { file } };
    return { kind: 'packs', path, read: { ...read, source }, isNamed: true };
  }
}

interface Found {
  project: ReadFile;
  /** `isNamed`: outside of the registry, and not part of the project's digest. */
  definitions: (DefinitionFile & { read: ReadFile; isNamed?: true })[];
  unread: UnreadFile[];
}

/** Compares by identity: a changed file is a new object. */
function isSame(before: Found, now: Found): boolean {
  return (
    before.project === now.project &&
    before.definitions.length === now.definitions.length &&
    before.definitions.every(({ kind, read }, at) => {
      const other = now.definitions[at];
      return kind === other?.kind && read === other.read;
    }) &&
    isDeepStrictEqual(before.unread, now.unread)
  );
}

function registryOf(root: string, { project, definitions, unread }: Found): Registry {
  const registry = emptyRegistry(root, project);
  const digest = createHash('sha256').update(`${project.file}\0${project.digest}\n`);
  for (const { kind, read, isNamed } of definitions) {
    if (holdsCases(kind, read)) continue;
    if (!isNamed) digest.update(`${read.file}\0${read.digest}\n`);
    addFile(registry, kind, read);
  }
  for (const { kind, problem } of unread) {
    registry.problems.push(problem);
    if (kind) registry.opaque.push({ kind, problem });
  }
  disableUnread(registry);
  addBuiltInAgents(registry);
  return { ...registry, digest: digest.digest('hex') };
}

/** Absolute path of the named pack file, resolved against the project so that every process agrees. */
function packsNamedIn(env: NodeJS.ProcessEnv, root: string): string | undefined {
  const named = env[PACKS_VARIABLE];
  return named ? resolve(root, named) : undefined;
}

export function loadRegistry(from: string, given?: string): Registry {
  return new RegistryLoader(findProjectRoot(from, given)).load();
}

/** Reports unread parts; one in a configuration may bind guards, so it disables the configuration. */
function disableUnread(registry: Registry): void {
  for (const { problem, config: ability } of findUnread(registry)) {
    if (ability === undefined) registry.problems.push(problem);
    else {
      registry.configs.delete(ability);
      markBroken(registry, 'config', ability, problem);
    }
  }
}

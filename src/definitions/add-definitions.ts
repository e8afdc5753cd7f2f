import { basename } from 'node:path';
import type { z } from 'zod';
import { PHASES, type Phase } from '../contracts/hooks.js';
import { isJsonObject } from '../contracts/json.js';
import { formatLocation, type Problem, type SourceLocation } from '../contracts/problem.js';
import { findAbilityAmongCases } from './case-files.js';
import { checkFormat } from './check-format.js';
import { loadedAbility } from './find-ability.js';
import { faultOfForeignHook } from './foreign-hook.js';
import { agent } from './formats/agent.js';
import { config } from './formats/config.js';
import { highLevel } from './formats/high-level.js';
import { hooks, hooksImpl } from './formats/hooks.js';
import { implementation } from './formats/implementation.js';
import { lowLevel } from './formats/low-level.js';
import { moduleOverview } from './formats/module.js';
import { capabilities, packs } from './formats/specialists.js';
import { handledHook } from './handled-hook.js';
import { type ReadFile, sourceOf } from './read-files.js';
import type { BrokenKind, FileKindName, Loaded, Registry } from './registry.js';
import { expandTemplates } from './templates/expand-templates.js';
import { findUnsupported } from './unsupported.js';
import type { YamlSource } from './yaml-source.js';

/** Adds the definitions of a file to a registry; a broken file only disables its own definitions. */
export function addFile(registry: Registry, kind: FileKindName, read: ReadFile): void {
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

/** How to add the files of each kind; the functions return the problems of an invalid file. */
const ADD: Record<FileKindName, (registry: Registry, source: YamlSource) => Problem[] | undefined> = {
  'low-level': (registry, source) =>
    whenValid(lowLevel, source, (value) =>
      addAbility(registry, registry.operations, value.operation_key, value, source),
    ),
  'high-level': (registry, source) => (isAgent(source) ? addAgent : addWorkflow)(registry, source),
  implementations: (registry, source) =>
    whenValid(implementation, source, (value) => {
      add(registry, registry.implementations, 'implementation', value.id, loaded(value, source));
    }),
  config: (registry, source) =>
    whenValid(config, source, (value) => {
      for (const [index, ability] of value.abilities.entries()) {
        add(registry, registry.configs, 'config', ability.id, loaded(ability, source, ['abilities', index]));
      }
      addEach(registry, registry.envProfiles, 'env_profile', value, 'env_profiles', source);
      addEach(registry, registry.mcpServers, 'mcp_server', value, 'mcp_servers', source);
      addEach(registry, registry.services, 'service', value, 'services', source);
    }),
  'hooks-impl': (registry, source) =>
    whenValid(hooksImpl, source, (value) => {
      for (const [index, hook] of value.hooks.entries()) {
        add(registry, registry.hookImpls, 'hook_impl', hook.id, loaded(hook, source, ['hooks', index]));
      }
    }),
  modules: (registry, source) =>
    whenValid(moduleOverview, source, (value) => {
      add(registry, registry.modules, 'module', value.id, loaded(value, source));
    }),
  capabilities: (registry, source) =>
    whenValid(capabilities, source, (value) =>
      addEach(registry, registry.capabilities, 'capability', value, 'capabilities', source),
    ),
  packs: (registry, source) =>
    whenValid(packs, source, (value) => addEach(registry, registry.packs, 'pack', value, 'specialists', source)),
  hooks: (registry, source) => {
    const phase = phaseOf(source.file);
    if (!phase) {
      const message = `${basename(source.file)} is not named after a phase`;
      const suggestion = `Hooks belong in a file named after their phase: ${PHASES.join('.yaml, ')}.yaml.`;
      return [{ code: 'definition.invalid', message, location: { file: source.file }, suggestion }];
    }
    const refuse = (problem: Problem): void => markBroken(registry, 'hooks', phase, problem);
    return whenValid(hooks, source, (value) => {
      const list = registry.hooks.get(phase) ?? [];
      registry.hooks.set(phase, list);
      for (const [index, hook] of value.hooks.entries()) {
        if (phase === 'PreAbilityCreate' && hook.match?.effects) {
          const location = source.locate(['hooks', index, 'match', 'effects'], 'key');
          refuse(matchesEffects(hook.id, location));
        }
        const same = list.find((other) => other.value.id === hook.id);
        const entry = handledHook(registry, loaded(hook, source, ['hooks', index]));
        if ('code' in entry) {
          refuse(entry);
          continue;
        }
        const fault = faultOfForeignHook(entry, phase);
        if (fault) refuse(fault);
        else if (same) refuse(duplicate(hook.id, same, entry));
        else list.push(entry);
      }
    });
  },
};

/** A task is created once; effects are checked call by call. */
function matchesEffects(id: string, location: SourceLocation): Problem {
  return {
    code: 'definition.invalid',
    message: `The hook ${id} of PreAbilityCreate matches on effects, but this phase only decides whether a task can be created`,
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

function isAgent({ value }: YamlSource): boolean {
  return isJsonObject(value) && value.type === 'agent';
}

function addAgent(registry: Registry, source: YamlSource): Problem[] | undefined {
  return whenValid(agent, source, (value) => addAbility(registry, registry.agents, value.id, value, source));
}

function addWorkflow(registry: Registry, source: YamlSource): Problem[] | undefined {
  const checked = checkFormat(highLevel, source);
  if ('problems' in checked) return checked.problems;
  const { value, locate, problems } = expandTemplates(checked.value, source);
  if (problems.length > 0) return problems;
  addAbility(registry, registry.workflows, value.id, value, { ...source, locate });
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
  const { operations, workflows, agents } = registry;
  const other = loadedAbility(registry, id);
  const entry = loaded(value, source);
  if (other === undefined) add(registry, into, 'ability', id, entry);
  else {
    for (const abilities of [operations, workflows, agents]) abilities.delete(id);
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

function addEach<Key extends string, T>(
  registry: Registry,
  into: Map<string, Loaded<T>>,
  kind: BrokenKind,
  value: Record<Key, Record<string, T>>,
  key: Key,
  source: YamlSource,
): void {
  for (const [id, entry] of Object.entries(value[key])) add(registry, into, kind, id, loaded(entry, source, [key, id]));
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

export function markBroken(registry: Registry, kind: BrokenKind, id: string, problem: Problem): void {
  // One problem may break several definitions; it is reported once.
  if (!registry.problems.includes(problem)) registry.problems.push(problem);
  if (!registry.broken.has(`${kind}:${id}`)) registry.broken.set(`${kind}:${id}`, problem);
}

/** Disables the definitions of a broken file, as far as they are known; no unreadable guard is skipped. */
function disable(registry: Registry, kind: FileKindName, read: ReadFile, problems: Problem[]): void {
  const [first] = problems as [Problem, ...Problem[]];
  registry.problems.push(...problems);
  const ids = idsIn(kind, read);
  if (ids === undefined) registry.opaque.push({ kind, problem: first });
  for (const [brokenKind, id] of ids ?? []) {
    if (!registry.broken.has(`${brokenKind}:${id}`)) registry.broken.set(`${brokenKind}:${id}`, first);
    for (const name of MAPS[brokenKind]) registry[name].delete(id);
  }
}

/** The maps with the definitions of each kind. A broken hook disables its whole phase. */
const MAPS = {
  ability: ['operations', 'workflows', 'agents'],
  implementation: ['implementations'],
  config: ['configs'],
  env_profile: ['envProfiles'],
  mcp_server: ['mcpServers'],
  service: ['services'],
  hook_impl: ['hookImpls'],
  module: ['modules'],
  capability: ['capabilities'],
  pack: ['packs'],
  hooks: [],
  placement: [],
  implementation_of: [],
} as const satisfies Record<BrokenKind, readonly (keyof Registry)[]>;

/** The ids that a broken file would define, from its value or else its text; undefined if unknown. */
function idsIn(kind: FileKindName, read: ReadFile): [BrokenKind, string][] | undefined {
  if (kind === 'hooks') {
    const phase = phaseOf(read.file);
    return phase && [['hooks', phase]];
  }
  if (kind === 'hooks-impl') return idsInHandlers(read);
  const value = sourceOf(read)?.value;
  const record = (value !== null && typeof value === 'object' ? value : {}) as Record<string, unknown>;
  if (kind === 'config') return value === record ? idsInConfig(record) : undefined;
  // One broken entry makes all unusable: another would be recruited in its place.
  if (kind === 'capabilities' || kind === 'packs') return undefined;
  const id = fieldOf(kind === 'low-level' ? 'operation_key' : 'id', record, read);
  if (kind === 'modules') return id === undefined ? undefined : [['module', id]];
  if (kind !== 'implementations') return id === undefined ? undefined : [['ability', id]];
  const operation = fieldOf('operation_key', record, read);
  const ids: [BrokenKind, string | undefined][] = [
    ['implementation', id],
    ['implementation_of', operation],
  ];
  const known = ids.filter((entry): entry is [BrokenKind, string] => entry[1] !== undefined);
  return known.length > 0 ? known : undefined;
}

/** Undefined if an id is unknown: such a handler may belong to any hook without one. */
function idsInHandlers(read: ReadFile): [BrokenKind, string][] | undefined {
  const value = sourceOf(read)?.value;
  return idsOfItems(isJsonObject(value) ? value.hooks : undefined)?.map((id) => ['hook_impl', id]);
}

/** The ids of the items of a list; undefined if any is unknown. */
function idsOfItems(items: unknown): string[] | undefined {
  if (!Array.isArray(items)) return undefined;
  const ids = items.map((item: unknown) => (item as { id?: unknown } | null)?.id);
  return ids.every((id) => typeof id === 'string') ? ids : undefined;
}

function fieldOf(key: string, record: Record<string, unknown>, { text }: ReadFile): string | undefined {
  const value = record[key];
  if (typeof value === 'string') return value;
  return new RegExp(`^${key}:[ \\t]*["']?([A-Za-z0-9_.-]+)`, 'm').exec(text)?.[1];
}

/** Undefined if any part is unknown: a configuration binds guards, and no ability may run without them. */
function idsInConfig(record: Record<string, unknown>): [BrokenKind, string][] | undefined {
  const { abilities = [], env_profiles = {}, mcp_servers = {}, services = {}, ...others } = record;
  const ids = idsOfItems(abilities);
  if (Object.keys(others).length > 0 || ids === undefined) return undefined;
  return [
    ...ids.map((id): [BrokenKind, string] => ['config', id]),
    ...Object.keys(env_profiles ?? {}).map((name): [BrokenKind, string] => ['env_profile', name]),
    ...Object.keys(mcp_servers ?? {}).map((name): [BrokenKind, string] => ['mcp_server', name]),
    ...Object.keys(services ?? {}).map((name): [BrokenKind, string] => ['service', name]),
  ];
}

/** The phase in a file's name: `PreAbilityCall.yaml`, also written `pre_ability_call.yaml`. Source: C-05. */
function phaseOf(file: string): Phase | undefined {
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');
  const name = plain(basename(file).replace(/\.ya?ml$/, ''));
  return PHASES.find((phase) => plain(phase) === name);
}

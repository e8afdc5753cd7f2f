import { PHASES } from '../contracts/hooks.js';
import type { Standing } from '../contracts/lifecycle.js';
import type { Problem } from '../contracts/problem.js';
import { matchesGlob } from '../text/glob.js';
import { didYouMean } from '../text/nearest.js';
import type { AbilityConfig } from './formats/config.js';
import type { ImplementationBody } from './formats/implementation.js';
import { whyItNeverRuns } from './hook-bindings.js';
import type { Loaded, Registry } from './registry.js';

/**
 * Finds what is written for an ability or an environment that is not there, and hooks that cannot run.
 *
 * Each is a slip, and the guard or setting in it would be missed in silence otherwise.
 */
export function findUnread(registry: Registry): Unread[] {
  return [
    ...unknownOwners(registry),
    ...settingsOfNobody(registry),
    ...unknownMatches(registry),
    ...unknownEnvironments(registry),
    ...unknownReplacements(registry),
    ...handlersOfNobody(registry),
    ...hooksThatNeverRun(registry),
  ];
}

/** Configurations of abilities, and implementations of operations, that nobody defines. */
function unknownOwners({
  operations,
  workflows,
  agents,
  implementations,
  configs,
  broken,
  opaque,
}: Registry): Unread[] {
  // A file of which nobody can tell what it defines may define what is missing here.
  if (opaque.some(({ kind }) => kind === 'low-level' || kind === 'high-level')) return [];
  const keys = new Set(operations.keys());
  const abilities = new Set([...keys, ...workflows.keys(), ...agents.keys()]);
  const unknownIn = (id: string, known: ReadonlySet<string>, from: Loaded<unknown>, field: string): Unread[] =>
    known.has(id) || broken.has(`ability:${id}`) ? [] : [unread('ability', id, [...known], from, [field])];
  return [
    ...[...configs].flatMap(([id, config]) => unknownIn(id, abilities, config, 'id')),
    ...[...implementations.values()].flatMap((document) =>
      unknownIn(document.value.operation_key, keys, document, 'operation_key'),
    ),
  ];
}

/** Abilities that a hook is for by name, and that nobody defines; a pattern may be there for abilities to come. */
function unknownMatches({ operations, workflows, agents, hooks, broken, opaque }: Registry): Unread[] {
  if (opaque.some(({ kind }) => kind === 'low-level' || kind === 'high-level')) return [];
  const known = new Set([...operations.keys(), ...workflows.keys(), ...agents.keys()]);
  return [...hooks.values()].flat().flatMap((hook) =>
    (hook.value.match?.abilities ?? []).flatMap((name, index) => {
      if (name.includes('*') || known.has(name) || broken.has(`ability:${name}`)) return [];
      return [unread('ability', name, [...known], hook, ['match', 'abilities', index])];
    }),
  );
}

/**
 * Environments that are named and that the project does not have.
 *
 * A configuration binds guards; an ability must not run without those for `prod` because somebody wrote `prodd`.
 */
function unknownEnvironments({ project, operations, workflows, agents, configs, services, hooks }: Registry): Unread[] {
  const names = Object.keys(project.environments);
  const unknownIn = (patterns: string[] = [], from: Loaded<unknown>, path: PropertyKey[]): Unread[] =>
    patterns.flatMap((pattern, index) =>
      names.some((name) => matchesGlob(pattern, name))
        ? []
        : [unread('environment', pattern, names, from, [...path, index])],
    );
  return [
    ...[...operations.values(), ...workflows.values(), ...agents.values()].flatMap((ability) =>
      unknownIn(ability.value.scope.environments, ability, ['scope', 'environments']),
    ),
    ...[...hooks.values()]
      .flat()
      .flatMap((hook) => unknownIn(hook.value.match?.environments, hook, ['match', 'environments'])),
    ...[...services.values()].flatMap((service) =>
      Object.keys(service.value.environments ?? {})
        .filter((name) => !names.includes(name))
        .map((name) => unread('environment', name, names, service, ['environments', name], 'key')),
    ),
    ...[...configs].flatMap(([id, config]) =>
      Object.keys(config.value.environments ?? {})
        .filter((name) => !names.includes(name))
        .map((name) => ({ ...unread('environment', name, names, config, ['environments', name], 'key'), config: id })),
    ),
  ];
}

/** What is deprecated sends people to its replacement, which has to be there, and another one. */
function unknownReplacements({ operations, workflows, agents, modules, broken, opaque }: Registry): Unread[] {
  const isOpaque = (...kinds: string[]): boolean => opaque.some(({ kind }) => kinds.includes(kind));
  const abilities = isOpaque('low-level', 'high-level') ? [] : [...operations, ...workflows, ...agents];
  const unknownIn = (what: 'ability' | 'module', all: [string, Loaded<Standing>][]): Unread[] =>
    all.flatMap(([id, entry]) => {
      const { replaced_by: other } = entry.value;
      const isThere = other === undefined || all.some(([known]) => known === other) || broken.has(`${what}:${other}`);
      if (isThere && other !== id) return [];
      const others = all.map(([known]) => known).filter((known) => known !== id);
      const message =
        other === id
          ? `The ${what} ${id} is replaced by itself`
          : `The ${what} ${id} is replaced by ${other}, which is not there`;
      const suggestion = didYouMean(other ?? '', others) ?? 'Name another one, or leave `replaced_by` out.';
      const location = entry.locate(['replaced_by']);
      return [{ problem: { code: 'definition.unknown_reference', message, location, suggestion } }];
    });
  return [...unknownIn('ability', abilities), ...unknownIn('module', isOpaque('modules') ? [] : [...modules])];
}

/** Handlers that stand apart, of hooks that nobody defines. */
function handlersOfNobody({ hooks, hookImpls, broken, opaque }: Registry): Unread[] {
  if (opaque.some(({ kind }) => kind === 'hooks') || [...broken.keys()].some((key) => key.startsWith('hooks:')))
    return [];
  const known = [...hooks.values()].flat().map(({ value }) => value.id);
  return [...hookImpls].flatMap(([id, impl]) => (known.includes(id) ? [] : [unread('hook', id, known, impl, ['id'])]));
}

function hooksThatNeverRun(registry: Registry): Unread[] {
  return PHASES.flatMap((phase) =>
    (registry.hooks.get(phase) ?? []).flatMap((hook) => {
      const why = whyItNeverRuns(registry, phase, hook.value);
      return why ? [{ problem: { code: 'definition.unread', ...why, location: hook.locate([]) } }] : [];
    }),
  );
}

function unread(
  what: 'ability' | 'environment' | 'hook',
  name: string,
  known: string[],
  from: Loaded<unknown>,
  path: PropertyKey[],
  part?: 'key',
): Unread {
  const suggestion = didYouMean(name, known) ?? (known.length > 0 ? `There are: ${known.join(', ')}.` : undefined);
  const problem: Problem = {
    code: 'definition.unknown_reference',
    message: `There is no ${what} ${name}, so nothing reads what is written for it`,
    location: from.locate(path, part),
  };
  return { problem: suggestion === undefined ? problem : { ...problem, suggestion } };
}

/** Something of the right form that nothing will ever read. */
interface Unread {
  problem: Problem;
  /** The ability whose configuration it makes unusable. */
  config?: string;
}

type Kind = ImplementationBody['kind'];

/** The kind of implementation that reads a setting of an environment; all others are read for every kind. */
const READ_BY: Record<string, Kind> = {
  endpoints: 'api',
  credentials: 'api',
  mcp_server: 'mcp',
  mcp_tool: 'mcp',
  env_profile: 'script',
};

/** What is read of the configuration of a workflow, which has no implementation. */
const OF_WORKFLOWS: ReadonlySet<string> = new Set(['id', 'hooks', 'environments', 'prompts']);

/** Settings of the right form that no implementation of their ability reads. */
function settingsOfNobody(registry: Registry): Unread[] {
  const known = documentKinds(registry);
  return [...registry.configs].flatMap(([id, config]) => {
    const isAgent = registry.agents.has(id);
    const isWorkflow = isAgent || registry.workflows.has(id);
    const kinds = isWorkflow ? new Set<Kind>() : kindsOf(registry, id, known.get(id));
    // An operation that is broken, or whose implementation is, may have any kind.
    if (!isWorkflow && kinds.size === 0) return [];
    return pathsOf(config.value).flatMap((path) => {
      const key = String(path.at(-1));
      const kind = READ_BY[key];
      if (isWorkflow ? OF_WORKFLOWS.has(key) : kind === undefined || kinds.has(kind)) return [];
      const why = isWorkflow
        ? `${id} is ${isAgent ? 'an agent' : 'a workflow'}`
        : `${id} has no implementation of kind ${kind}`;
      return [{ problem: unreadSetting(key, why, config, path) }];
    });
  });
}

function unreadSetting(key: string, why: string, config: Loaded<AbilityConfig>, path: PropertyKey[]): Problem {
  return {
    code: 'definition.unread',
    message: `Nothing reads \`${key}\` here: ${why}`,
    location: config.locate(path, 'key'),
    suggestion: 'Take it out, or write it where it is read.',
  };
}

/** The settings of an ability, those of its environments with their place. */
function pathsOf(config: AbilityConfig): PropertyKey[][] {
  const own = Object.keys(config).map((key): PropertyKey[] => [key]);
  const inner = Object.entries(config.environments ?? {}).flatMap(([environment, settings]) =>
    Object.keys(settings).map((key): PropertyKey[] => ['environments', environment, key]),
  );
  return [...own, ...inner];
}

/** The kinds of the implementation documents of each operation. */
function documentKinds({ implementations }: Registry): Map<string, Set<Kind>> {
  const found = new Map<string, Set<Kind>>();
  for (const { value } of implementations.values()) {
    found.set(value.operation_key, (found.get(value.operation_key) ?? new Set()).add(value.kind));
  }
  return found;
}

function kindsOf({ operations, configs }: Registry, key: string, documents: Set<Kind> = new Set()): Set<Kind> {
  const bodies = [operations.get(key)?.value.implementation, configs.get(key)?.value.impl];
  return new Set([...documents, ...bodies.flatMap((body) => (body ? [body.kind] : []))]);
}

import { PHASES } from '../contracts/hooks.js';
import type { LifecycleFields } from '../contracts/lifecycle.js';
import type { Problem } from '../contracts/problem.js';
import { readerOf } from '../kinds/kinds.js';
import { matchesGlob } from '../text/glob.js';
import { didYouMean, nearestOrAll } from '../text/nearest.js';
import { abilityIds, kindOf, loadedAbilities, loadedComposite } from './find-ability.js';
import type { AbilityConfig } from './formats/config.js';
import type { ImplementationBody } from './formats/implementation.js';
import { whyItNeverRuns } from './hook-bindings.js';
import { type Loaded, type Registry, unreadable } from './registry.js';

/** Definitions that would silently have no effect, such as a guard for a missing ability or environment. */
export function findUnread(registry: Registry): Unread[] {
  return [
    ...unknownOwners(registry),
    ...unreadSettings(registry),
    ...unknownMatches(registry),
    ...unknownEnvironments(registry),
    ...unknownReplacements(registry),
    ...unusedHandlers(registry),
    ...hooksThatNeverRun(registry),
  ];
}

function unknownOwners({ configs, implementations, ...registry }: Registry): Unread[] {
  const operations = [...registry.operations.keys()];
  return [
    ...[...configs].flatMap(([id, config]) => unknownAbility(registry, id, config, ['id'])),
    ...[...implementations.values()].flatMap((document) =>
      unknownAbility(registry, document.value.operation_key, document, ['operation_key'], operations),
    ),
  ];
}

/** Undefined abilities that a hook names; a pattern may match abilities to come. */
function unknownMatches(registry: Registry): Unread[] {
  return [...registry.hooks.values()].flat().flatMap((hook) =>
    (hook.value.match?.abilities ?? []).flatMap((name, index) => {
      return name.includes('*') ? [] : unknownAbility(registry, name, hook, ['match', 'abilities', index]);
    }),
  );
}

type Abilities = Pick<Registry, 'operations' | 'workflows' | 'agents' | 'broken' | 'opaque'>;

function unknownAbility(
  registry: Abilities,
  id: string,
  from: Loaded<unknown>,
  path: PropertyKey[],
  known = abilityIds(registry),
): Unread[] {
  // An unreadable file may define the missing ability.
  const isKnown = known.includes(id) || registry.broken.has(`ability:${id}`);
  return isKnown || unreadable(registry, 'low-level', 'high-level') ? [] : [unread('ability', id, known, from, path)];
}

/** A configuration binds guards: a typo such as `prodd` must not run an ability without those for `prod`. */
function unknownEnvironments(registry: Registry): Unread[] {
  const { project, configs, services, hooks } = registry;
  const names = Object.keys(project.environments);
  const unknownIn = (patterns: string[] = [], from: Loaded<unknown>, path: PropertyKey[]): Unread[] =>
    patterns.flatMap((pattern, index) =>
      names.some((name) => matchesGlob(pattern, name))
        ? []
        : [unread('environment', pattern, names, from, [...path, index])],
    );
  const unknownKeys = (from: Loaded<{ environments?: object | undefined }>): Unread[] =>
    Object.keys(from.value.environments ?? {})
      .filter((name) => !names.includes(name))
      .map((name) => unread('environment', name, names, from, ['environments', name], 'key'));
  return [
    ...loadedAbilities(registry).flatMap(([, ability]) =>
      unknownIn(ability.value.scope.environments, ability, ['scope', 'environments']),
    ),
    ...[...hooks.values()]
      .flat()
      .flatMap((hook) => unknownIn(hook.value.match?.environments, hook, ['match', 'environments'])),
    ...[...services.values()].flatMap(unknownKeys),
    ...[...configs].flatMap(([id, config]) => unknownKeys(config).map((one) => ({ ...one, config: id }))),
  ];
}

/** The replacement of a deprecated ability must exist and be another ability. */
function unknownReplacements(registry: Registry): Unread[] {
  const { modules, broken } = registry;
  const abilities = unreadable(registry, 'low-level', 'high-level') ? [] : loadedAbilities(registry);
  const unknownIn = (what: 'ability' | 'module', all: [string, Loaded<LifecycleFields>][]): Unread[] =>
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
  return [
    ...unknownIn('ability', abilities),
    ...unknownIn('module', unreadable(registry, 'modules') ? [] : [...modules]),
  ];
}

function unusedHandlers({ hooks, hookImpls, broken, opaque }: Registry): Unread[] {
  if (unreadable({ opaque }, 'hooks') || [...broken.keys()].some((key) => key.startsWith('hooks:'))) return [];
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
  const suggestion = nearestOrAll(name, known);
  return {
    problem: {
      code: 'definition.unknown_reference',
      message: `There is no ${what} ${name}, so nothing reads what is written for it`,
      location: from.locate(path, part),
      ...(suggestion !== undefined && { suggestion }),
    },
  };
}

/** A valid part of a definition that nothing reads. */
interface Unread {
  problem: Problem;
  /** The ability whose configuration this disables. */
  config?: string;
}

type Kind = ImplementationBody['kind'];

/** The keys that are read in the configuration of a workflow or agent, which has no implementation. */
const OF_WORKFLOWS: ReadonlySet<string> = new Set(['id', 'hooks', 'environments', 'prompts']);

function unreadSettings(registry: Registry): Unread[] {
  return [...registry.configs].flatMap(([id, config]) => {
    const composite = loadedComposite(registry, id)?.value;
    const kinds = composite ? new Set<Kind>() : kindsOf(registry, id);
    // If the operation or its implementation is broken, its kind is unknown.
    if (!composite && kinds.size === 0) return [];
    return pathsOf(config.value).flatMap((path) => {
      const key = String(path.at(-1));
      const kind = readerOf(key);
      if (composite ? OF_WORKFLOWS.has(key) : kind === undefined || kinds.has(kind)) return [];
      const why = composite ? `${id} is ${kindOf(composite)}` : `${id} has no implementation of kind ${kind}`;
      const problem: Problem = {
        code: 'definition.unread',
        message: `Nothing reads \`${key}\` here: ${why}`,
        location: config.locate(path, 'key'),
        suggestion: 'Remove it, or move it to where it is read.',
      };
      return [{ problem }];
    });
  });
}

/** Paths of all settings of an ability, including those of its environments. */
function pathsOf(config: AbilityConfig): PropertyKey[][] {
  const inner = Object.entries(config.environments ?? {}).flatMap(([environment, settings]) =>
    Object.keys(settings).map((key) => ['environments', environment, key]),
  );
  return [...Object.keys(config).map((key) => [key]), ...inner];
}

function kindsOf({ operations, configs, implementations }: Registry, key: string): Set<Kind> {
  const documents = [...implementations.values()].map(({ value }) => value).filter((one) => one.operation_key === key);
  const bodies = [operations.get(key)?.value.implementation, configs.get(key)?.value.impl, ...documents];
  return new Set(bodies.flatMap((body) => body?.kind ?? []));
}

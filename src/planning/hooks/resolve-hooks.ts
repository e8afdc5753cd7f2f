import type { Phase } from '../../contracts/hooks.js';
import type { PlanHook, PlanHooks } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { fitsMatch, type HookSubject } from '../../definitions/fits-match.js';
import type { HookDefinition } from '../../definitions/formats/hooks.js';
import { BINDING_LISTS, isGlobal, type TaskPhase, whyItNeverRuns } from '../../definitions/hook-bindings.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { didYouMean } from '../../text/nearest.js';
import type { Warn } from '../resolve/plan-warning.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import type { HookBindings, HookLevels } from './hook-levels.js';
import { covers } from './resolve-foreign.js';
import { handlerOf } from './resolve-handler.js';

/**
 * Global hooks in file order, then bound ones in resolution order, each id once. Lower levels only add, so that no
 * guard is dropped unseen, except by `replace: true`, which is reported. Source: C-06, C-09, C-44;
 * docs/definitions.md; docs/hooks.md.
 * @throws AbilityError for a bound name that does not exist, and for an unreadable guard file.
 */
export function resolveHooks(
  registry: Registry,
  levels: HookLevels,
  warn: Warn,
  variables: EnvironmentVariables,
): PlanHooks {
  const hooksOf = (phase: TaskPhase): PlanHook[] =>
    selectHooks(phase, registry, levels, warn).map((hook) => {
      return plannedHook(hook, phase, registry, variables, levels.subject);
    });
  return {
    pre_create: hooksOf('PreAbilityCreate'),
    pre_call: hooksOf('PreAbilityCall'),
    post_call: hooksOf('PostAbilityCall'),
  };
}

/** The plan's form of a hook. The caller is unknown at planning, so the plan keeps `callers` of `match`. */
export function plannedHook(
  hook: Loaded<HookDefinition>,
  phase: Phase,
  registry: Registry,
  variables: EnvironmentVariables,
  subject?: HookSubject,
): PlanHook {
  const { id, match: { callers } = {}, edit } = hook.value;
  const handler = handlerOf(hook, phase, registry, variables, subject);
  return { id, ...(callers && { callers: [...new Set(callers)].sort() }), ...(edit && { edit }), handler };
}

/** The hooks of one phase, chosen and ordered as in {@link resolveHooks}; handlers are not resolved. */
export function selectHooks(
  phase: TaskPhase,
  registry: Registry,
  { subject, levels }: HookLevels,
  warn: Warn,
): Loaded<HookDefinition>[] {
  refuseUnreadable(phase, registry);
  const defined = registry.hooks.get(phase) ?? [];
  const global = defined.filter(({ value }) => isGlobal(registry, phase, value));
  const bound = boundNames(phase, levels, subject.ability, warn).map(({ name, level, path }) => {
    const hook = defined.find(({ value }) => value.id === name);
    if (!hook) throw unknownHook(name, phase, registry, level, path);
    if (!hook.value.enabled) {
      const message = `The hook ${name} of ${subject.ability} is not enabled, so it does not fire`;
      warn({ code: 'lint.hook_disabled', message, location: level.from.locate(path) });
    }
    return hook;
  });
  for (const { value, locate } of defined) {
    const why = value.match && fitsMatch(value.match, subject) ? whyItNeverRuns(registry, phase, value) : undefined;
    if (why) warn({ code: 'definition.unread', message: `${why.message}. ${why.suggestion}`, location: locate([]) });
  }
  return [...new Set([...global, ...bound])].filter(
    ({ value }) => value.enabled && (!value.match || fitsMatch(value.match, subject)) && covers(value, subject),
  );
}

/** A guard that cannot be read is an error: nothing runs unguarded. Source: docs/architecture.md#promises. */
export function refuseUnreadable(phase: Phase, registry: Registry): void {
  const problem =
    registry.broken.get(`hooks:${phase}`) ?? registry.opaque.find((file) => file.kind === 'hooks')?.problem;
  if (problem) throw new AbilityError(problem);
}

export function boundNames(
  phase: TaskPhase,
  levels: HookBindings[],
  ability: string,
  warn: Warn,
): { name: string; level: HookBindings; path: PropertyKey[] }[] {
  const list = BINDING_LISTS[phase];
  let names: { name: string; level: HookBindings; path: PropertyKey[] }[] = [];
  for (const level of levels) {
    const own = level.value?.[list] ?? [];
    if (level.value?.replace) {
      const dropped = names.filter(({ name }) => !own.includes(name)).map(({ name }) => name);
      if (dropped.length > 0) {
        const message = `${level.from.file} drops the hooks ${dropped.join(', ')} (${phase}) of ${ability} with \`replace: true\``;
        warn({ code: 'lint.hooks_dropped', message, location: level.from.locate([...level.path, 'replace']) });
      }
      names = [];
    }
    for (const [index, name] of own.entries()) names.push({ name, level, path: [...level.path, list, index] });
  }
  return names;
}

function unknownHook(
  name: string,
  phase: Phase,
  registry: Registry,
  level: HookBindings,
  path: PropertyKey[],
): AbilityError {
  const elsewhere = [...registry.hooks].find(([, hooks]) => hooks.some(({ value }) => value.id === name));
  const names = (registry.hooks.get(phase) ?? []).map(({ value }) => value.id);
  return new AbilityError({
    code: 'definition.unknown_reference',
    message: elsewhere
      ? `The hook ${name} is one of ${elsewhere[0]}, not of ${phase}`
      : `There is no hook ${name} in ${phase}.yaml`,
    location: level.from.locate(path),
    suggestion: elsewhere ? `Bind it where ${elsewhere[0]} hooks are bound.` : didYouMean(name, names),
  });
}

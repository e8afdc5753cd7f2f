import { FOREIGN_EVENT_KEYS } from '../../contracts/foreign-hooks.js';
import type { BuiltinHook, Phase } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import type { PlanHandler, PlanHook, PlanHooks } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { BUILTIN_PHASES, faultOfOptions } from '../../definitions/builtin-options.js';
import type { HookDefinition, HookMatch } from '../../definitions/formats/hooks.js';
import { BINDING_LISTS, isGlobal, type TaskPhase, whyItNeverRuns } from '../../definitions/hook-bindings.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { parseDuration } from '../../rules/duration.js';
import { isOverPhase } from '../../rules/hooks/fold-answers.js';
import { HOOK_NAMES } from '../../rules/hooks/hook-facts.js';
import { readsSession } from '../../rules/sessions/session-reads.js';
import { defined } from '../../text/defined.js';
import { matchesAnyGlob } from '../../text/glob.js';
import { didYouMean } from '../../text/nearest.js';
import type { Warn } from '../resolve/plan-warning.js';
import { HOOK_ARGUMENTS } from '../scripts/check-placeholders.js';
import { resolveScript } from '../scripts/resolve-script.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { type Available, checkCondition } from '../steps/check-names.js';
import type { HookSubject } from './hook-subject.js';
import { covers, resolveForeign } from './resolve-foreign.js';
import { resolveGuardAbility } from './resolve-guard-ability.js';

/** A definition that may bind hooks by name: operation, implementation, configuration, environment. */
export interface HookBindings {
  value: { pre_create?: string[]; pre_call?: string[]; post_call?: string[]; replace?: boolean } | undefined;
  from: Loaded<unknown>;
  path: PropertyKey[];
}

export const IN_HOOKS: Available = {
  names: HOOK_NAMES,
  functions: ['now'],
  where: 'a hook',
  instead: 'A hook has `now()`, and nothing that depends on chance.',
};
/** Names in `with` of an ability handler, if the hook has the protocol of another tool. */
const IN_EVENTS: Available = {
  names: FOREIGN_EVENT_KEYS,
  functions: [],
  where: '`with` of a hook with a `format`',
  instead: 'It is the event of the tool, and nothing that depends on the moment or on chance.',
};
const GUARD_MS = parseDuration('10s');

/**
 * Global hooks in file order, then bound ones in resolution order, each id once. Lower levels only add, so that no
 * guard is dropped unseen, except by `replace: true`, which is reported. Source: C-06, C-09, C-44;
 * docs/definitions.md; docs/hooks.md.
 * @throws AbilityError for a bound name that does not exist, and for an unreadable guard file.
 */
export function resolveHooks(
  registry: Registry,
  subject: HookSubject,
  levels: HookBindings[],
  warn: Warn,
  variables: EnvironmentVariables,
): PlanHooks {
  const hooksOf = (phase: TaskPhase): PlanHook[] =>
    selectHooks(phase, registry, subject, levels, warn).map((hook) => {
      return plannedHook(hook, phase, registry, variables, subject);
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
  const { id, match: { callers } = {} } = hook.value;
  const handler = handlerOf(hook, phase, registry, variables, subject);
  return { id, ...(callers && { callers: [...new Set(callers)].sort() }), handler };
}

/** The hooks of one phase, chosen and ordered as in {@link resolveHooks}; handlers are not resolved. */
export function selectHooks(
  phase: TaskPhase,
  registry: Registry,
  subject: HookSubject,
  levels: HookBindings[],
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

export function fits(patterns: string[] | undefined, names: readonly string[]): boolean {
  return patterns === undefined || names.some((name) => matchesAnyGlob(patterns, name));
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

export function fitsMatch(match: HookMatch, subject: HookSubject): boolean {
  return (
    fits(match.abilities, [subject.ability]) &&
    fits(match.modules, subject.modules) &&
    fits(match.environments, [subject.environment]) &&
    fits(match.kinds, [subject.kind]) &&
    fits(match.effects, [subject.effects]) &&
    fits(match.tags, subject.tags)
  );
}

/**
 * The planned handler; only checked without `subject`.
 * @throws AbilityError for anything that its phase or its script does not allow.
 */
export function handlerOf(
  hook: Loaded<HookDefinition>,
  phase: Phase,
  registry: Registry,
  variables: EnvironmentVariables,
  subject?: HookSubject,
): PlanHandler {
  const { handler, id } = hook.value;
  if ('builtin' in handler) return builtinOf(hook, handler.builtin, phase);
  if ('script' in handler) {
    const { plugin_root, ...definition } = { plugin_root: undefined, ...handler.script };
    const files = plugin_root === undefined ? definition.files : [...(definition.files ?? []), plugin_root];
    const pinned = { ...definition, ...(files && { files }) };
    const script = resolveScript(registry, pinned, hook, ['handler', 'script'], variables, HOOK_ARGUMENTS);
    const foreign = resolveForeign(hook, registry, subject);
    const timeout_ms = (handler.script.timeout_sec ?? GUARD_MS / 1000) * 1000;
    return { kind: 'script', script, timeout_ms, ...(foreign && { foreign }) };
  }
  if ('ability' in handler) {
    const available = handler.format === undefined ? IN_HOOKS : IN_EVENTS;
    const planned = resolveGuardAbility(registry, hook, handler.ability, available, variables);
    const foreign = resolveForeign(hook, registry, subject);
    return { ...planned, ...(foreign && { foreign }) };
  }
  const { deny_if, confirm_if, warn_if, reason, suggestion } = handler.expression;
  for (const [key, condition] of Object.entries({ deny_if, confirm_if, warn_if })) {
    if (condition === undefined) continue;
    checkCondition(condition, IN_HOOKS, hook, ['handler', 'expression', key]);
    if (phase === 'PreAbilityCall' || !readsSession(condition)) continue;
    throw new AbilityError({
      code: 'definition.invalid',
      message: `The hook ${id} looks at what its session did, which only hooks of PreAbilityCall can`,
      location: hook.locate(['handler', 'expression', key]),
      suggestion: 'Move it to PreAbilityCall.yaml; elsewhere `session` has only its `id`.',
    });
  }
  if (phase === 'SessionStart' && confirm_if !== undefined) {
    throw new AbilityError({
      code: 'definition.invalid',
      message: `The hook ${id} fires before a session, which cannot wait for a person`,
      location: hook.locate(['handler', 'expression', 'confirm_if']),
      suggestion: 'Use `deny_if`.',
    });
  }
  if (isOverPhase(phase) && (deny_if ?? confirm_if) !== undefined) {
    const when = phase === 'PostAbilityCall' ? 'after the call' : 'at the end of a session';
    throw new AbilityError({
      code: 'definition.invalid',
      message: `The hook ${id} fires ${when}, so it can neither deny nor ask`,
      location: hook.locate(['handler', 'expression']),
      suggestion: 'Use `warn_if`, or move the hook to PreAbilityCall.yaml.',
    });
  }
  return {
    kind: 'expression',
    ...defined({ deny_if, confirm_if, warn_if }),
    reason: reason ?? `The hook ${id} applies.`,
    ...defined({ suggestion }),
  };
}

function builtinOf(
  hook: Loaded<HookDefinition>,
  { name, options }: { name: BuiltinHook; options: JsonObject },
  phase: Phase,
): PlanHandler {
  const location = hook.locate(['handler', 'builtin']);
  if (!BUILTIN_PHASES[name].includes(phase)) {
    throw new AbilityError({
      code: 'definition.invalid',
      message: `The built-in handler ${name} does not belong to ${phase}`,
      location,
      suggestion: `Bind it in ${BUILTIN_PHASES[name].join('.yaml or ')}.yaml.`,
    });
  }
  const fault = faultOfOptions(name, options);
  if (fault === undefined) return { kind: 'builtin', name, options };
  const message = `The built-in handler ${name} of the hook ${hook.value.id} cannot answer: ${fault}`;
  throw new AbilityError({ code: 'definition.invalid', message, location });
}

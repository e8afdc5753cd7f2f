import { isRepeatable } from '../../contracts/effects.js';
import { FOREIGN_EVENT_KEYS } from '../../contracts/foreign-hooks.js';
import type { Phase } from '../../contracts/hooks.js';
import type { PlanHandler } from '../../contracts/plan.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { BUILTIN_PHASES, faultOfOptions } from '../../definitions/builtin-options.js';
import { kindOf, loadedComposite } from '../../definitions/find-ability.js';
import type { HookSubject } from '../../definitions/fits-match.js';
import { type HookDefinition, handlerNameOf, type WrittenOf } from '../../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import type { Spot } from '../../definitions/spot.js';
import { partsOfHandler } from '../../definitions/written-handler.js';
import { isOverPhase } from '../../rules/hooks/fold-answers.js';
import { type HandlerName, type HandlerOf, HOOK_NAMES } from '../../rules/hooks/handlers.js';
import { readsRaised, readsSession } from '../../rules/sessions/session-reads.js';
import { defined } from '../../text/defined.js';
import { didYouMean } from '../../text/nearest.js';
import { resolveCallable } from '../resolve/resolve-callable.js';
import { HOOK_ARGUMENTS } from '../scripts/placeholders.js';
import { resolveScript } from '../scripts/resolve-script.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { type Available, checkCondition, checkTemplate, invalidAt } from '../steps/check-names.js';
import { resolveForeign } from './resolve-foreign.js';

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
/** How long an answer may take whose handler does not say so. */
const GUARD_SEC = 10;

interface Around {
  hook: Loaded<HookDefinition>;
  phase: Phase;
  registry: Registry;
  variables: EnvironmentVariables;
  subject: HookSubject | undefined;
}

type Resolve<K extends HandlerName> = (written: WrittenOf<K>, around: Around) => HandlerOf<K>;

const RESOLVERS: { readonly [K in HandlerName]: Resolve<K> } = {
  expression: resolveExpression,
  script: resolveScriptHandler,
  builtin: resolveBuiltin,
  ability({ ability, format }, { hook, registry, variables, subject }) {
    const available = format === undefined ? IN_HOOKS : IN_EVENTS;
    const planned = resolveGuardAbility(registry, hook, ability, available, variables);
    const foreign = resolveForeign(hook, registry, subject);
    return { ...planned, timeout_ms: timeoutMs(ability), ...(foreign && { foreign }) };
  },
};

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
  const { handler, edit } = hook.value;
  const isAsking = phase === 'PreAbilityCreate' || phase === 'PreAbilityCall';
  if (edit && !(isAsking && partsOfHandler(handler).canAsk)) {
    const message = `The hook ${hook.value.id} asks no one for confirmation, so \`edit\` means nothing`;
    throw invalidAt({ from: hook, path: ['edit'] }, message, 'Leave it out, or add `confirm_if`.');
  }
  const resolve = RESOLVERS[handlerNameOf(handler)] as (written: typeof handler, around: Around) => PlanHandler;
  return resolve(handler, { hook, phase, registry, variables, subject });
}

function spotOf(hook: Loaded<HookDefinition>, ...path: string[]): Spot {
  return { from: hook, path: ['handler', ...path] };
}

function timeoutMs({ timeout_sec = GUARD_SEC }: { timeout_sec?: number | undefined }): number {
  return timeout_sec * 1000;
}

function resolveScriptHandler(
  { script: written }: WrittenOf<'script'>,
  { hook, registry, variables, subject }: Around,
): HandlerOf<'script'> {
  const { plugin_root, ...definition } = { plugin_root: undefined, ...written };
  const files = plugin_root === undefined ? definition.files : [...(definition.files ?? []), plugin_root];
  const pinned = { ...definition, ...(files && { files }) };
  const script = resolveScript(registry, pinned, spotOf(hook, 'script'), variables, HOOK_ARGUMENTS);
  const foreign = resolveForeign(hook, registry, subject);
  return { kind: 'script', script, timeout_ms: timeoutMs(written), ...(foreign && { foreign }) };
}

function resolveBuiltin(
  { builtin: { name, options } }: WrittenOf<'builtin'>,
  { hook, phase }: Around,
): HandlerOf<'builtin'> {
  const spot = spotOf(hook, 'builtin');
  const phases = BUILTIN_PHASES[name];
  if (!phases.includes(phase)) {
    const message = `The built-in handler ${name} does not belong to ${phase}`;
    throw invalidAt(spot, message, `Bind it in ${phases.join('.yaml or ')}.yaml.`);
  }
  const fault = faultOfOptions(name, options);
  if (fault === undefined) return { kind: 'builtin', name, options };
  throw invalidAt(spot, `The built-in handler ${name} of the hook ${hook.value.id} cannot answer: ${fault}`);
}

function resolveExpression(
  { expression: { deny_if, confirm_if, warn_if, on_limit, reason, suggestion } }: WrittenOf<'expression'>,
  { hook, phase }: Around,
): HandlerOf<'expression'> {
  const { id } = hook.value;
  const refuse = (key: string | undefined, what: string, advice: string): never => {
    const spot = spotOf(hook, 'expression', ...(key === undefined ? [] : [key]));
    throw invalidAt(spot, `The hook ${id} ${what}`, advice);
  };
  for (const [key, condition] of Object.entries(defined({ deny_if, confirm_if, warn_if }))) {
    checkCondition(condition, IN_HOOKS, spotOf(hook, 'expression', key));
    if (phase === 'PreAbilityCall' || !readsSession(condition)) continue;
    const advice = 'Move it to PreAbilityCall.yaml; elsewhere `session` has only its `id`.';
    refuse(key, 'looks at what its session did, which only hooks of PreAbilityCall can', advice);
  }
  if (phase === 'SessionStart' && confirm_if !== undefined)
    refuse('confirm_if', 'fires before a session, which cannot wait for a person', 'Use `deny_if`.');
  if (isOverPhase(phase) && (deny_if ?? confirm_if) !== undefined) {
    const when = phase === 'PostAbilityCall' ? 'after the call' : 'at the end of a session';
    const advice = 'Use `warn_if`, or move the hook to PreAbilityCall.yaml.';
    refuse(undefined, `fires ${when}, so it can neither deny nor ask`, advice);
  }
  if (on_limit !== undefined && !(deny_if !== undefined && readsRaised(deny_if))) {
    const advice = 'Write the limit such as `session.counts.destructive >= 1 + session.raised`.';
    refuse('on_limit', 'asks people to raise a limit, and its `deny_if` does not read `session.raised`', advice);
  }
  return {
    kind: 'expression',
    ...defined({ deny_if, confirm_if, warn_if, on_limit }),
    reason: reason ?? `The hook ${id} applies.`,
    ...defined({ suggestion }),
  };
}

/**
 * The low-level ability that answers for a hook. No hook fires around it, so that none can lead to itself; it must
 * be repeatable, since hooks may run more than once. Source: R-002-11; docs/hooks.md.
 * @throws AbilityError if the ability does not exist, is a workflow or agent, or may not be repeated.
 */
export function resolveGuardAbility(
  registry: Registry,
  hook: Loaded<HookDefinition>,
  { key, with: input }: WrittenOf<'ability'>['ability'],
  available: Available,
  variables: EnvironmentVariables,
): Omit<HandlerOf<'ability'>, 'timeout_ms'> {
  const path = ['handler', 'ability', 'key'];
  const operation = registry.operations.get(key);
  if (!operation) throw new AbilityError({ ...whyNone(registry, hook, key), location: hook.locate(path) });
  const refuse = (what: string, suggestion: string): never => {
    const message = `The ability ${key} ${what}, so it cannot answer for the hook ${hook.value.id}`;
    throw invalidAt({ from: hook, path }, message, suggestion);
  };
  const { effects, output_files: files } = operation.value;
  if (!isRepeatable(effects)) refuse(`is ${effects}`, 'A hook may run again; name an ability that only reads.');
  if (files && Object.keys(files).length > 0) refuse('makes files', 'Name one that returns only a HookResult.');
  if (input !== undefined) checkTemplate(input, available, { from: hook, path: ['handler', 'ability', 'with'] });
  const planned = resolveCallable(registry, operation, variables);
  return { kind: 'ability', operation: planned, ...(input && { with: input }) };
}

function whyNone(registry: Registry, { value: { id } }: Loaded<HookDefinition>, key: string): Problem {
  const broken = registry.broken.get(`ability:${key}`);
  if (broken) return broken;
  const suggestion = 'Name a low-level ability: a guard is one call.';
  const composite = loadedComposite(registry, key)?.value;
  if (composite) {
    return {
      code: 'definition.invalid',
      message: `${key} is ${kindOf(composite)}, and cannot answer for the hook ${id}`,
      suggestion,
    };
  }
  return {
    code: 'definition.unknown_reference',
    message: `There is no ability ${key}, which should answer for the hook ${id}`,
    suggestion: didYouMean(key, [...registry.operations.keys()]) ?? suggestion,
  };
}

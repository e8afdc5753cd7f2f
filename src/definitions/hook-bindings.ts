import type { Phase } from '../contracts/hooks.js';
import { memoize } from '../text/memoize.js';
import { loadedAbilities } from './find-ability.js';
import type { HookDefinition } from './formats/hooks.js';
import type { Registry } from './registry.js';

export const BINDING_LISTS = {
  PreAbilityCreate: 'pre_create',
  PreAbilityCall: 'pre_call',
  PostAbilityCall: 'post_call',
} as const satisfies Partial<Record<Phase, string>>;

export type TaskPhase = keyof typeof BINDING_LISTS;

type Bindings = { [List in (typeof BINDING_LISTS)[TaskPhase]]?: string[] | undefined } | undefined;

/** Whether a hook needs no binding: it has a `match`, or nothing binds it. Source: C-07, C-44. */
export function isGlobal(registry: Registry, phase: TaskPhase, { id, match, blocking }: HookDefinition): boolean {
  return (blocking || phase === 'PostAbilityCall') && (match !== undefined || !isBound(registry, phase, id));
}

/** Whether only a binding keeps a hook from firing everywhere. Source: C-44. */
export function isNarrowed(registry: Registry, phase: TaskPhase, { id, match, blocking }: HookDefinition): boolean {
  return blocking && match === undefined && isBound(registry, phase, id);
}

/** Why a hook can never run; undefined if it can or is disabled. Source: C-07, C-44; docs/hooks.md. */
export function whyItNeverRuns(
  registry: Registry,
  phase: Phase,
  hook: HookDefinition,
): { message: string; suggestion: string } | undefined {
  const { id, enabled } = hook;
  if (phase === 'SessionStop') return undefined;
  if (phase === 'PromptSubmit' || phase === 'SessionStart') {
    if (!enabled || hook.blocking) return undefined;
    const message = `The hook ${id} never runs: ${phase} runs blocking hooks only`;
    return { message, suggestion: 'Set `blocking: true`.' };
  }
  if (!enabled || isBound(registry, phase, id) || isGlobal(registry, phase, hook)) return undefined;
  const message = `The hook ${id} never runs: ${phase} runs blocking and bound hooks only, and it is neither`;
  const list = BINDING_LISTS[phase];
  return { message, suggestion: `Set \`blocking: true\`, or bind it with \`hooks: { ${list}: [${id}] }\`.` };
}

/** The names that each phase binds; a loaded registry never changes. */
const boundNames = memoize((registry: Registry): Record<TaskPhase, ReadonlySet<string>> => {
  const bindings = [...bindingsIn(registry)];
  const of = (own: TaskPhase) => new Set(bindings.flatMap((hooks) => hooks?.[BINDING_LISTS[own]] ?? []));
  return {
    PreAbilityCreate: of('PreAbilityCreate'),
    PreAbilityCall: of('PreAbilityCall'),
    PostAbilityCall: of('PostAbilityCall'),
  };
});

function isBound(registry: Registry, phase: TaskPhase, id: string): boolean {
  return boundNames(registry)[phase].has(id);
}

function* bindingsIn(registry: Registry): Generator<Bindings> {
  for (const [, { value }] of loadedAbilities(registry)) {
    yield* [value.hooks, 'implementation' in value ? value.implementation?.hooks : undefined];
  }
  for (const { value } of registry.implementations.values()) yield value.hooks;
  for (const { value } of registry.configs.values()) {
    yield* [value.hooks, value.impl?.hooks];
    for (const { hooks } of Object.values(value.environments ?? {})) yield hooks;
  }
}

import type { Caller } from '../../contracts/callers.js';
import { isSessionPhase, PHASES, type Phase } from '../../contracts/hooks.js';
import type { Plan } from '../../contracts/plan.js';
import { unfitField } from '../../definitions/fits-match.js';
import { type HookDefinition, handlerNameOf, type WrittenHandler } from '../../definitions/formats/hooks.js';
import {
  BINDING_LISTS,
  isGlobal,
  isNarrowed,
  type TaskPhase,
  whyItNeverRuns,
} from '../../definitions/hook-bindings.js';
import type { Registry } from '../../definitions/registry.js';
import { partsOfHandler } from '../../definitions/written-handler.js';
import { firesFor, handlerKindOf } from '../../rules/hooks/handlers.js';
import { compositeHookLevels, type HookLevels, hookLevels } from './hook-levels.js';
import { boundNames, selectHooks } from './resolve-hooks.js';

export interface ExplainedHook {
  id: string;
  phase: Phase;
  /** Such as `expression`, or `script (claude-code)`. */
  handler: string;
  /** Position among the hooks that run in the phase, from 1; null if it does not run. */
  order: number | null;
  why: string;
}

/** What decides which hooks fire: the ability, the definitions that bind hooks, and the caller. */
export interface HooksOf extends HookLevels {
  /** Built-in handlers run last, in the attempt of a call; a workflow or agent has no attempts. */
  isWorkflow: boolean;
  /** Undefined: any caller. */
  caller: Caller | undefined;
}

/** Hooks by phase, in order; dropped ones with the reason. @throws AbilityError if they cannot be resolved. */
export function explainHooks(registry: Registry, of: HooksOf): ExplainedHook[] {
  return (Object.keys(BINDING_LISTS) as TaskPhase[]).flatMap((phase) => explainPhase(registry, phase, of));
}

function explainPhase(registry: Registry, phase: TaskPhase, of: HooksOf): ExplainedHook[] {
  const { subject, levels, isWorkflow, caller } = of;
  const chosen = selectHooks(phase, registry, of, () => {}).map(({ value }) => value);
  const firing = chosen.filter(({ match = {} }) => firesFor(match, caller));
  const isLate = ({ handler }: HookDefinition): boolean =>
    handlerKindOf({ kind: handlerNameOf(handler) }).isInAttempt && !isWorkflow && phase !== 'PreAbilityCreate';
  const ordered = [...firing.filter((hook) => !isLate(hook)), ...firing.filter(isLate)];
  const bound = new Map(
    boundNames(phase, levels, subject.ability, () => {}).map(({ name, level }) => [name, level.from.file]),
  );
  const about = (hook: HookDefinition) => ({ id: hook.id, phase, handler: describe(hook.handler) });
  const running = ordered.map((hook, at) => {
    const global = `global: ${hook.match ? 'its match fits' : 'it has no match, and nothing binds it'}`;
    const where = bound.has(hook.id) ? `bound by ${bound.get(hook.id)}` : global;
    const who = hook.match?.callers ? `, for ${hook.match.callers.join(', ')}` : '';
    return {
      ...about(hook),
      order: at + 1,
      why: `${where}${who}${isLate(hook) ? ', in the attempt of the call' : ''}`,
    };
  });
  const dropped = (registry.hooks.get(phase) ?? [])
    .filter(({ value }) => !firing.includes(value))
    .map(({ value }) => ({ ...about(value), order: null, why: whyDropped(registry, phase, value, of, bound) }));
  return [...running, ...dropped];
}

function whyDropped(
  registry: Registry,
  phase: TaskPhase,
  hook: HookDefinition,
  { subject, levels, caller }: HooksOf,
  bound: ReadonlyMap<string, string>,
): string {
  if (!hook.enabled) return 'not enabled';
  const unfit = hook.match && unfitField(hook.match, subject);
  if (unfit) return `its match does not fit: ${unfit}`;
  if (!firesFor(hook.match ?? {}, caller))
    return `it fires for ${hook.match?.callers?.join(', ')}, and the caller is ${caller}`;
  const list = BINDING_LISTS[phase];
  const named = levels.find(({ value }) => value?.[list]?.includes(hook.id));
  if (named && !bound.has(hook.id)) {
    const by = levels.findLast(({ value }) => value?.replace);
    return `bound by ${named.from.file}, and dropped by ${by?.from.file} with \`replace: true\``;
  }
  if (isNarrowed(registry, phase, hook)) return 'it has no match and is bound elsewhere, so it fires only there';
  return isGlobal(registry, phase, hook) ? 'not chosen' : 'not blocking, and not bound here';
}

function describe(handler: WrittenHandler): string {
  const name = handlerNameOf(handler);
  const { format } = partsOfHandler(handler);
  return format === undefined ? name : `${name} (${format})`;
}

export interface ListedHook {
  id: string;
  phase: Phase;
  handler: string;
  blocking: boolean;
  fires: string;
}

/** Sorted by phase, then in file order. */
export function listHooks(registry: Registry): ListedHook[] {
  return PHASES.flatMap((phase) =>
    (registry.hooks.get(phase) ?? []).map(({ value }) => ({
      id: value.id,
      phase,
      handler: describe(value.handler),
      blocking: value.blocking,
      fires: whereItFires(registry, phase, value),
    })),
  );
}

function whereItFires(registry: Registry, phase: Phase, hook: HookDefinition): string {
  if (!hook.enabled) return 'nowhere: it is not enabled';
  const never = whyItNeverRuns(registry, phase, hook);
  if (never) return `nowhere: it is neither blocking nor bound`;
  const { match = {} } = hook;
  const fields = Object.entries(match).flatMap(([key, names]) => (names ? [`${key} ${names.join(', ')}`] : []));
  const where = fields.length > 0 ? fields.join('; ') : 'everywhere';
  if (isSessionPhase(phase)) return where;
  return isGlobal(registry, phase, hook) ? where : `where it is bound${fields.length > 0 ? `; ${where}` : ''}`;
}

export function hookLevelsOf(
  registry: Registry,
  { ability: { id, kind, effects, tags }, environment: { name } }: Plan,
): HookLevels & { isWorkflow: boolean } {
  const operation = kind === 'operation' ? registry.operations.get(id) : undefined;
  const levels = operation
    ? hookLevels(registry, operation, name)
    : compositeHookLevels(registry, id, name, { effects, tags });
  return { ...levels, isWorkflow: !operation };
}

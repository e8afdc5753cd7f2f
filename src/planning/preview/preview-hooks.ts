import type { Phase } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Plan, PlanHandler, PlanHook, PlanOperation } from '../../contracts/plan.js';
import type { HookPreview } from '../../contracts/preview.js';
import { firesFor } from '../../rules/fires.js';
import { failedAnswer, hookFacts } from '../../rules/hook-facts.js';
import type { Asker } from './asker.js';
import { hide, type Known } from './foresee.js';
import { previewCondition } from './preview-value.js';

/** What hooks are asked about. */
export interface HookSubject {
  plan: Plan;
  /** Undefined for the task as a whole. */
  operation: PlanOperation | undefined;
  /** Undefined where nothing is known of it; members may be hidden. */
  input: JsonObject | undefined;
  user: Asker;
}

/**
 * What the hooks of a phase say: expressions are evaluated, scripts and built-in ones only named.
 *
 * Built-in ones stand in the attempt of a call, so they come last; the first certain no ends the phase.
 */
export function previewHooks(hooks: readonly PlanHook[], phase: Phase, subject: HookSubject): HookPreview[] {
  const facts = factsOf(phase, subject);
  const isLate = ({ handler }: PlanHook): boolean => handler.kind === 'builtin' && phase !== 'PreAbilityCreate';
  const firing = hooks.filter((hook) => firesFor(hook, subject.user.caller));
  const ordered = [...firing.filter((hook) => !isLate(hook)), ...firing.filter(isLate)];
  const previews: HookPreview[] = [];
  for (const { id, handler } of ordered) {
    const preview = previewHook(id, handler, phase, facts);
    previews.push(preview);
    if (preview.decision === 'deny') break;
  }
  return previews;
}

function factsOf(phase: Phase, { plan, operation, input, user }: HookSubject): Known {
  const facts = hookFacts({ plan, operation, input: input ?? {}, task: '', user, session: null });
  const task: JsonObject = { ability: plan.ability.id };
  hide(task, 'key', 'the key of the task');
  const unknown = new Map<string, string>();
  if (!input) unknown.set('input', 'its input');
  if (phase === 'PostAbilityCall') unknown.set('outcome', 'how the call ends');
  return { values: { ...facts, task }, unknown };
}

function previewHook(id: string, handler: PlanHandler, phase: Phase, facts: Known): HookPreview {
  const nothing: HookPreview = {
    id,
    phase,
    handler: handler.kind,
    decision: null,
    status: 'ok',
    reason: null,
    suggestion: null,
    warnings: [],
    depends_on: [],
    asks: null,
  };
  if (handler.kind === 'script')
    return { ...nothing, asks: [...handler.script.interpreter, handler.script.path].join(' ') };
  if (handler.kind === 'ability') return { ...nothing, asks: handler.operation.key };
  if (handler.kind === 'builtin') return { ...nothing, asks: handler.name };
  const { deny_if, confirm_if, warn_if, reason, suggestion = null } = handler;
  const warned: string[] = [];
  // In the order in which the run asks them.
  for (const [condition, decision] of [
    [deny_if, 'deny'],
    [warn_if, 'warn'],
    [confirm_if, 'need_user_confirm'],
  ] as const) {
    if (condition === undefined) continue;
    const { value, depends_on, problem } = previewCondition(condition, facts);
    if (problem) {
      const { status, decision: answer, reason: why } = failedAnswer(id, { phase, path: '' }, problem.message);
      return { ...nothing, status, decision: answer, reason: why ?? null, warnings: warned };
    }
    if (depends_on.length > 0) return { ...nothing, reason, warnings: warned, depends_on };
    if (value !== true) continue;
    if (decision === 'deny') return { ...nothing, decision, reason, suggestion, warnings: warned };
    if (decision !== 'warn') return { ...nothing, decision, reason, warnings: warned };
    warned.push(reason);
  }
  return { ...nothing, decision: 'allow', warnings: warned };
}

import type { Caller, Person } from '../../contracts/callers.js';
import type { Phase } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Plan, PlanEnvironment, PlanHook, PlanOperation } from '../../contracts/plan.js';
import type { ApprovalPreview, ConcurrencyPreview, HookPreview, StartPreview } from '../../contracts/preview.js';
import type { Problem } from '../../contracts/problem.js';
import { GUARD_APPROVAL_MS } from '../../rules/calls/call-defaults.js';
import { formatDuration } from '../../rules/duration.js';
import {
  failedAnswer,
  firesFor,
  type HandlerName,
  type HandlerOf,
  handlerKindOf,
  hookFacts,
} from '../../rules/hooks/handlers.js';
import { unlessRefused } from '../../text/attempt.js';
import { concurrencyKey } from '../steps/concurrency-key.js';
import { evaluateTemplatePartially, hide, type Known, PreviewScope, previewCondition } from './partial-evaluation.js';

interface HookSubject {
  plan: Plan;
  /** Undefined for the task as a whole. */
  operation: PlanOperation | undefined;
  /** Undefined if nothing is known of it; may have hidden members. */
  input: JsonObject | undefined;
  user: Asker;
}

/** Evaluates expressions only. Built-in hooks come last, as in calls; a certain denial ends the phase. */
export function previewHooks(hooks: readonly PlanHook[], phase: Phase, subject: HookSubject): HookPreview[] {
  const facts = factsOf(phase, subject);
  const isLate = ({ handler }: PlanHook): boolean => handlerKindOf(handler).isInAttempt && phase !== 'PreAbilityCreate';
  const firing = hooks.filter((hook) => firesFor(hook, subject.user.caller));
  const ordered = [...firing.filter((hook) => !isLate(hook)), ...firing.filter(isLate)];
  const previews: HookPreview[] = [];
  for (const { id, handler } of ordered) {
    const preview = previewOf(handler)(handler, { ...NOTHING, id, phase, handler: handler.kind }, facts);
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

const NOTHING: Omit<HookPreview, 'id' | 'phase' | 'handler'> = {
  decision: null,
  status: 'ok',
  reason: null,
  suggestion: null,
  warnings: [],
  depends_on: [],
  asks: null,
};

/** @param hook the preview of a hook of which nothing is known. */
type Preview<K extends HandlerName> = (handler: HandlerOf<K>, hook: HookPreview, facts: Known) => HookPreview;

const PREVIEWS: { readonly [K in HandlerName]: Preview<K> } = {
  expression: previewExpression,
  script: ({ script }, hook) => ({ ...hook, asks: [...script.interpreter, script.path].join(' ') }),
  builtin: ({ name }, hook) => ({ ...hook, asks: name }),
  ability: ({ operation }, hook) => ({ ...hook, asks: operation.key }),
};

function previewOf<K extends HandlerName>({ kind }: { kind: K }): Preview<K> {
  return PREVIEWS[kind];
}

function previewExpression(handler: HandlerOf<'expression'>, hook: HookPreview, facts: Known): HookPreview {
  const { deny_if, confirm_if, warn_if, reason, suggestion = null } = handler;
  const warned: string[] = [];
  // In the order of the run.
  for (const [condition, decision] of [
    [deny_if, 'deny'],
    [warn_if, 'warn'],
    [confirm_if, 'need_user_confirm'],
  ] as const) {
    if (condition === undefined) continue;
    const { value, depends_on, problem } = previewCondition(condition, facts);
    if (problem) {
      const {
        status,
        decision: answer,
        reason: why,
      } = failedAnswer(hook.id, { phase: hook.phase, path: '' }, problem.message);
      return { ...hook, status, decision: answer, reason: why ?? null, warnings: warned };
    }
    if (depends_on.length > 0) return { ...hook, reason, warnings: warned, depends_on };
    if (value !== true) continue;
    if (decision === 'deny') return { ...hook, decision, reason, suggestion, warnings: warned };
    if (decision !== 'warn') return { ...hook, decision, reason, warnings: warned };
    warned.push(reason);
  }
  return { ...hook, decision: 'allow', warnings: warned };
}

export interface Asker extends Person {
  /** Undefined: unknown, so the preview includes the hooks for every kind of caller. */
  caller?: Caller;
}

/** The approval before a call or a task; null if none is required. */
export function previewGuardApproval(
  title: string,
  reasons: readonly string[],
  hooks: readonly HookPreview[],
  environment: PlanEnvironment,
): ApprovalPreview | null {
  // A denial precedes any approval.
  if (hooks.some(({ decision }) => decision === 'deny')) return null;
  const asking = hooks.filter(({ decision }) => decision === 'need_user_confirm').map(reasonOf);
  const open = hooks.filter(mayConfirm).map((hook) => `perhaps: ${reasonOf(hook)}`);
  const certain = [...asking, ...reasons];
  if (certain.length === 0 && open.length === 0) return null;
  return {
    title,
    asked: certain.length > 0 ? 'yes' : 'maybe',
    reasons: [...certain, ...open],
    ...decidersOf(environment),
    expires: formatDuration(GUARD_APPROVAL_MS),
    comment: 'optional',
    fields: {},
  };
}

/** The approvers of the environment, for an approval that names none. */
export function decidersOf({ approvers, quorum, self_approval }: PlanEnvironment) {
  return { approvers: approvers.listed, people: approvers.people, quorum, self_approval };
}

function reasonOf({ id, reason }: HookPreview): string {
  return `${reason ?? 'A hook asks for confirmation.'} (hook ${id})`;
}

function mayConfirm({ handler, decision, depends_on, phase }: HookPreview): boolean {
  return handler === 'expression' && decision === null && depends_on.length > 0 && phase !== 'PostAbilityCall';
}

/** Hooks around a workflow, and its approval. @param created reasons for approval from creation hooks. */
export function previewStart(
  plan: Plan,
  input: JsonObject | undefined,
  user: Asker,
  created: readonly string[],
): StartPreview {
  const { ability, environment } = plan;
  const subject = { plan, operation: undefined, input, user };
  const before = previewHooks(ability.hooks.pre_call, 'PreAbilityCall', subject);
  const after = previewHooks(ability.hooks.post_call, 'PostAbilityCall', subject);
  const approval = previewGuardApproval(`${ability.id} in ${environment.name}`, created, before, environment);
  return { hooks: [...before, ...after], approval };
}

/** The lock of a task, with its key if that is known; null for a task without `concurrency`. */
export function previewConcurrency(plan: Plan, input: JsonObject | undefined): ConcurrencyPreview | null {
  if (!plan.concurrency) return null;
  const { key: template, limit, on_busy } = plan.concurrency;
  return { template, limit, on_busy, ...keyOf(template, plan, input) };
}

function keyOf(
  template: string,
  plan: Plan,
  input: JsonObject | undefined,
): { key: string | null; problem: Problem | null } {
  const { is } = evaluateTemplatePartially(template, PreviewScope.of(plan, input).known);
  if (is === 'open' || !input) return { key: null, problem: null };
  return unlessRefused(
    () => ({ key: concurrencyKey(template, input, plan), problem: null }),
    (refusal) => ({ key: null, problem: refusal.toProblem() }),
  );
}

import type { CallRefusal, CallReport, PlannedEntry } from '../../contracts/agent-runtime.js';
import type { Problem } from '../../contracts/problem.js';
import type { AbilityGuard, TurnContext } from '../../contracts/session.js';
import { digestOf } from '../../rules/canonical.js';
import { escapePattern } from '../../text/escape-pattern.js';
import { didYouMean } from '../../text/nearest.js';
import { aboutEntry, aboutPlan, statusReport } from './call-report.js';
import { keepConsent } from './run-journal.js';
import { callOf, masked, type RunEnd, type RunState } from './run-state.js';

/** Reports the errors of a plan and its denied calls; any of them stops the whole plan. */
export function refusePlan(
  state: RunState,
  plan: readonly PlannedEntry[],
  { hook_signals }: TurnContext,
): CallReport[] {
  const { options, turns } = state;
  const made = new Map([...state.made].map(([id, { call, result }]) => [id, { call, ended: result !== undefined }]));
  const abilities = new Set(options.abilities.map(({ id }) => id));
  const faults = checkGraph(plan, { abilities, made, callOf: (entry) => callOf(state, entry) });
  const about = (id: string | null): ReturnType<typeof aboutPlan> => {
    const entry = plan.find((one) => one.id === id);
    return entry ? aboutEntry(turns, entry) : aboutPlan(turns);
  };
  if (faults.length > 0) return faults.map(({ id, refusal }) => statusReport(about(id), 'refused', refusal));
  const ended = [...state.made.values()].filter(({ result }) => result?.status === 'denied');
  const denied = new Set(ended.map(({ call }) => call));
  return plan
    .filter((entry) => state.made.get(entry.id)?.call !== callOf(state, entry))
    .flatMap((entry) => {
      const call = callOf(state, entry);
      const guards = hook_signals.ability_guards;
      const refusal = refusalOf(entry, { prompt: options.prompt, guards, denied, call });
      return refusal ? [statusReport(aboutEntry(turns, entry), 'refused', refusal)] : [];
    });
}

/** Asks for consent to risks. @returns why the run ends without it. Source: R-002-44, R-002-45. */
export async function holdPlan(
  state: RunState,
  calls: PlannedEntry[],
  { hook_signals }: TurnContext,
): Promise<RunEnd | undefined> {
  const consents = requestedConsents(state, calls, hook_signals).filter(({ is }) => !state.agreed.has(is));
  const risks = [...new Set(consents.map(({ risk }) => risk))];
  if (risks.length === 0) return undefined;
  const consent = { risks, calls: masked(state, calls), reference: digestOf({ risks, calls }) };
  const isAgreed = await state.options.agree?.(consent);
  if (isAgreed === undefined) return { status: 'needs_consent', consent, problem: needsConsent(risks) };
  if (!isAgreed) return { status: 'declined', problem: DECLINED };
  const agreed = consents.map(({ is }) => is);
  keepConsent(state, consent, agreed);
  for (const is of agreed) state.agreed.add(is);
  return undefined;
}

/** Risks, and each call and input that a guard of the prompt wants confirmed; `is` names the stored consent. */
function requestedConsents(
  state: RunState,
  calls: readonly PlannedEntry[],
  { risk_alerts, ability_guards }: TurnContext['hook_signals'],
): { risk: string; is: string }[] {
  const alerts = masked(state, risk_alerts).map((risk) => ({ risk, is: risk }));
  const ofCalls = calls.flatMap((call) =>
    masked(state, confirmationsOf([call], ability_guards)).map((risk) => {
      return { risk, is: `${risk} #${callOf(state, call)}` };
    }),
  );
  return [...alerts, ...ofCalls];
}

function needsConsent(risks: readonly string[]): Problem {
  return {
    code: 'planner.needs_consent',
    message: `Nothing was called: the requester has to agree first. ${risks.join('; ')}`,
    suggestion: 'Tell the requester; only they agree.',
  };
}

const DECLINED: Problem = {
  code: 'planner.declined',
  message: 'The requester did not agree to the risk; nothing was run',
};

interface Denials {
  /** The user's request; nothing from an AI or a tool. */
  prompt: string;
  guards: readonly AbilityGuard[];
  /** Digests of calls that were denied in this run. */
  denied: ReadonlySet<string>;
  call: string;
}

/**
 * Why a planned call is refused: the turn context denies its ability and the user did not name it, or the same
 * call was denied before. If a guard of an earlier call suggests what to do instead, another input may be tried;
 * the guard decides then. Source: R-002-43; C-11, C-45; docs/agents.md.
 */
export function refusalOf(
  { ability_id }: PlannedEntry,
  { prompt, guards, denied, call }: Denials,
): CallRefusal | undefined {
  if (denied.has(call)) {
    const reason = `${ability_id} was denied with this input, and is not tried again`;
    return { code: 'guard.denied', reason, suggestion: `Follow what that denial suggests, or ${ASK}.` };
  }
  if (isNamedIn(prompt, ability_id)) return undefined;
  const guard = guards.find((one) => one.decision === 'deny' && isAbout(one, ability_id));
  if (!guard || (guard.suggestion !== undefined && isOfCall(guard))) return undefined;
  return {
    code: 'guard.denied',
    reason: `${guard.reason} (${guard.source})`,
    suggestion: guard.suggestion ?? `It is not called on an AI's own initiative. Plan another way, or ${ASK}.`,
  };
}

const ASK = 'answer with what the user has to decide';

/** Guards of the prompt that need a confirmation; those of a call ask in its task. Source: R-002-45. */
export function confirmationsOf(entries: readonly PlannedEntry[], guards: readonly AbilityGuard[]): string[] {
  return guards
    .filter((guard) => guard.decision === 'need_user_confirm' && !isOfCall(guard))
    .filter((guard) => entries.some(({ ability_id }) => isAbout(guard, ability_id)))
    .map(({ ability_id, reason }) => `${ability_id}: ${reason}`);
}

function isAbout({ ability_id }: AbilityGuard, id: string): boolean {
  return ability_id === '*' || ability_id === id;
}

function isOfCall({ source }: AbilityGuard): boolean {
  return source.startsWith('PreAbility');
}

/** Whether a text contains an id as a whole word: `db.drop` is in `run db.drop.`, not in `db.drop_all`. */
export function isNamedIn(text: string, id: string): boolean {
  const word = escapePattern(id);
  return new RegExp(`(?<![\\p{L}\\p{N}_.-])${word}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}_])`, 'u').test(text);
}

interface KnownCalls {
  abilities: ReadonlySet<string>;
  /** Call id to the digest of ability and input. */
  made: ReadonlyMap<string, { call: string; ended: boolean }>;
  callOf(entry: PlannedEntry): string;
}

/** `id` null: the error is in the plan as a whole. */
interface PlanFault {
  id: string | null;
  refusal: CallRefusal;
}

/**
 * Unique ids, `after` names existing calls, no cycle, only offered abilities. Source: R-000-79; docs/agents.md.
 * @returns the errors, with advice for the AI that reads them.
 */
export function checkGraph(plan: readonly PlannedEntry[], known: KnownCalls): PlanFault[] {
  const ids = new Set(plan.map(({ id }) => id));
  const faults = plan.flatMap((entry, index) => [
    ...(plan.findIndex(({ id }) => id === entry.id) < index ? [twice(entry)] : []),
    ...(known.abilities.has(entry.ability_id) ? [] : [unknownAbility(entry, known.abilities)]),
    ...reused(entry, known),
    ...(entry.after ?? [])
      .filter((before) => !ids.has(before) && !known.made.get(before)?.ended)
      .map((before) => unknownBefore(entry, before, ids)),
  ]);
  const circle = faults.length === 0 ? circleIn(plan) : undefined;
  return circle ? [...faults, circular(circle)] : faults;
}

function invalid(id: string | null, reason: string, suggestion: string): PlanFault {
  return { id, refusal: { code: 'planner.plan_invalid', reason, suggestion } };
}

function twice({ id }: PlannedEntry): PlanFault {
  return invalid(id, `Two calls of the plan have the id ${id}`, 'Give each call an id of its own.');
}

function unknownAbility({ id, ability_id }: PlannedEntry, abilities: ReadonlySet<string>): PlanFault {
  const suggestion = didYouMean(ability_id, [...abilities]) ?? 'Plan only ids that `abilities` lists.';
  const reason = `${ability_id} is not among the abilities that were offered, so it is not called`;
  return { id, refusal: { code: 'ability.not_found', reason, suggestion } };
}

/** The id of an ended call cannot name a different call. */
function reused(entry: PlannedEntry, { made, callOf }: KnownCalls): PlanFault[] {
  const before = made.get(entry.id);
  if (!before?.ended || before.call === callOf(entry)) return [];
  return [invalid(entry.id, `The id ${entry.id} is that of a call that has ended`, 'Give another call another id.')];
}

function unknownBefore({ id }: PlannedEntry, before: string, ids: ReadonlySet<string>): PlanFault {
  const suggestion = didYouMean(before, [...ids]) ?? 'Name an id of this plan, or of a call that has ended.';
  return invalid(id, `${id} comes after ${before}, and no call has that id`, suggestion);
}

function circular(ids: readonly string[]): PlanFault {
  return invalid(
    null,
    `These calls wait for each other: ${ids.join(', ')}`,
    'Leave out one `after` of them, so that one can begin.',
  );
}

/** Removes entries without dependencies until only cycles are left. */
function circleIn(plan: readonly PlannedEntry[]): string[] | undefined {
  const left = new Map(plan.map(({ id, after = [] }) => [id, after]));
  for (;;) {
    const free = [...left].filter(([, after]) => after.every((before) => !left.has(before)));
    for (const [id] of free) left.delete(id);
    if (left.size === 0) return undefined;
    if (free.length === 0) return [...left.keys()];
  }
}

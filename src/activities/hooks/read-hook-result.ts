import { z } from 'zod';
import type { GuardDecision, HookAnswer, HookResult, Phase } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import { isGuardPhase, isOverPhase, strictestOf } from '../../rules/hooks/fold-answers.js';
import { failedAnswer } from '../../rules/hooks/handlers.js';
import { GUARD_SIGNALS, KNOWN_SIGNALS } from '../../rules/sessions/merge-signals.js';
import { oneLine } from '../../rules/shown-text.js';
import { defined } from '../../text/defined.js';
import { didYouMean } from '../../text/nearest.js';
import type { HookRun } from './hook-context.js';

const decision = z.enum(['allow', 'deny', 'need_user_confirm'] satisfies GuardDecision[]);
const jsonObject = z.record(z.string(), z.json()).transform((value) => value as JsonObject);

/** One item of `hook_signals.ability_guards`. Source: R-002-38. */
const abilityGuard = z.strictObject({
  ability_id: z.string(),
  decision,
  reason: z.string().optional(),
  suggestion: z.string().optional(),
});

/** Guards among signals: a list or, by C-10, a single one. */
const guardSignals = z.object({
  ability_guards: z.array(abilityGuard).optional(),
  ability_guard: abilityGuard.optional(),
});

/** Infrastructure fields, accepted at the top level as well as in `infra`. Source: R-002-18. */
const INFRA_FIELDS = ['log', 'metrics', 'usage_record'] as const;

const fields = {
  hook_id: z.string().optional(),
  status: z.enum(['ok', 'error']).optional(),
  guard_decision: decision.optional(),
  reason: z.string().optional(),
  suggestion: z.string().optional(),
  warnings: z.array(z.string()).optional(),
  hook_signals: jsonObject.optional(),
  infra: jsonObject.optional(),
  log: z.json().optional(),
  metrics: z.json().optional(),
  usage_record: z.json().optional(),
  duration_ms: z.number().optional(),
} satisfies Record<keyof HookResult, z.ZodType>;

/** HookResult as handlers print it; all other keys are unknown. Source: R-002-18. */
const hookResult = z.object(fields);

export const HOOK_RESULT_KEYS: readonly string[] = Object.keys(fields);

export interface HookSubject extends Pick<HookRun, 'phase' | 'path'> {
  /** The ability, as `ability_id` of the EventContext; null if the event is about none. */
  ability: string | null;
}

const HOW_TO_ANSWER = 'Print {"guard_decision": "allow"}, "deny" or "need_user_confirm"; docs/hooks.md has every key.';
const MAX_NAMED = 5;

/**
 * Turns a HookResult into an answer; an invalid one is a failed hook. Before a call silence never allows: an
 * answer without a decision about this ability, or with unknown keys, is refused; after a call such keys are
 * warnings. Of `guard_decision` and the signals' guards of this ability, the strictest counts. Texts for people
 * are cut to one line of visible characters. Source: R-002-18; C-08, C-10, C-11.
 * @param twice keys that occurred twice in one object of the answer's text.
 */
export function readHookResult(
  id: string,
  value: unknown,
  subject: HookSubject,
  twice: readonly string[] = [],
): HookAnswer {
  const { ability, ...at } = subject;
  const parsed = hookResult.safeParse(value);
  if (!parsed.success) return failedAnswer(id, at, `its answer is no HookResult: ${issueOf(parsed.error)}`);
  const { status = 'ok', reason, suggestion, warnings = [], hook_signals } = parsed.data;
  if (status === 'error') return failedAnswer(id, at, oneLine(reason ?? 'it says that it failed'));
  const { infra, faults: infraFaults } = infraOf(parsed.data);
  const faults = [...faultsIn(value, twice), ...infraFaults, ...signalFaults(hook_signals, at.phase)];
  const fatal = isGuardPhase(at.phase) ? faults.find(({ hides }) => hides) : undefined;
  if (fatal) return failedAnswer(id, at, `its answer ${fatal.text}`, fatal.advice ?? HOW_TO_ANSWER);
  const decided = decisionOf(parsed.data, subject);
  if (decided.fault !== undefined) return failedAnswer(id, at, decided.fault, HOW_TO_ANSWER);
  const notes = [...faults, ...(decided.note ? [decided.note] : [])].map(({ text, advice }) => {
    return `The answer of the hook ${id} ${text}${advice ? `. ${advice}` : ''}`;
  });
  const why = decided.why ?? { reason, suggestion };
  return {
    hook_id: id,
    ...at,
    status,
    decision: decided.decision,
    ...(why.reason !== undefined && { reason: oneLine(why.reason) }),
    ...(why.suggestion !== undefined && { suggestion: oneLine(why.suggestion) }),
    ...(warnings.length + notes.length > 0 && { warnings: [...warnings, ...notes].map(oneLine) }),
    ...defined({ infra, hook_signals }),
  };
}

type Result = z.output<typeof hookResult>;

interface AnswerFault {
  /** Continues the sentence "The answer of the hook x ...". */
  text: string;
  advice: string | undefined;
  /** Whether the fault may hide a refusal. */
  hides: boolean;
}

interface Decided {
  decision: GuardDecision;
  why?: { reason: string | undefined; suggestion: string | undefined };
  fault?: string;
  note?: AnswerFault;
}

function decisionOf(result: Result, { phase, ability }: HookSubject): Decided {
  if (isOverPhase(phase)) return decideNothing(result, phase);
  // A prompt is never stopped: its answers are for the AI, and silence is allowed. Source: C-11.
  if (!isGuardPhase(phase)) return { decision: result.guard_decision ?? 'allow' };
  return decide(result, ability);
}

/** The strictest decision of an answer about this ability, with its reason. */
function decide({ guard_decision, reason, suggestion, hook_signals = {} }: Result, ability: string | null): Decided {
  const signals = guardSignals.safeParse(hook_signals);
  if (!signals.success) return { decision: 'deny', fault: `its hook_signals are not valid: ${issueOf(signals.error)}` };
  const { ability_guards = [], ability_guard } = signals.data;
  const about = [...ability_guards, ...(ability_guard ? [ability_guard] : [])].filter(
    (guard) => guard.ability_id === ability,
  );
  const own = guard_decision === undefined ? [] : [{ decision: guard_decision, reason, suggestion }];
  const all = [...own, ...about];
  const decision = strictestOf(all.map((each) => each.decision));
  if (decision === undefined) {
    const others = ability_guards.length + (ability_guard ? 1 : 0) > 0 ? `, only about others than ${ability}` : '';
    return { decision: 'deny', fault: `its answer decides nothing${others}: it has no \`guard_decision\`` };
  }
  const strictest = all.filter((each) => each.decision === decision);
  // Without a `guard_decision`, the reason of the answer is that of its guards.
  const rest = own.length === 0 ? { reason, suggestion } : undefined;
  return {
    decision,
    why: {
      reason: strictest.find((each) => each.reason !== undefined)?.reason ?? rest?.reason,
      suggestion: strictest.find((each) => each.suggestion !== undefined)?.suggestion ?? rest?.suggestion,
    },
  };
}

/** After the event there is nothing to decide; a refusal ends no phase. Source: R-000-60, R-002-25. */
function decideNothing({ guard_decision: given = 'allow' }: Result, phase: Phase): Decided {
  if (given === 'allow') return { decision: 'allow' };
  const isCall = phase === 'PostAbilityCall';
  const when = isCall ? 'after the call' : 'at the end of the session';
  const advice = isCall ? 'Bind it in PreAbilityCall.yaml, as `pre_call`.' : 'Move it to PreAbilityCall.yaml.';
  return {
    decision: 'allow',
    note: { text: `says ${given} ${when}, where nothing is left to decide`, advice, hides: false },
  };
}

function faultsIn(value: unknown, twice: readonly string[]): AnswerFault[] {
  const unknown = Object.keys(value as object).filter((key) => !HOOK_RESULT_KEYS.includes(key));
  const [first] = unknown;
  const faults: AnswerFault[] = [];
  if (first !== undefined) {
    const text = `has ${unknown.length > 1 ? 'unknown keys' : 'an unknown key'}: ${named(unknown)}`;
    faults.push({ text, advice: didYouMean(first, HOOK_RESULT_KEYS), hides: true });
  }
  if (twice.length > 0) faults.push({ text: `has a key twice: ${named(twice)}`, advice: undefined, hides: true });
  return faults;
}

/** A custom signal is kept and reported; one that resembles a guard's is a fault. Source: C-10. */
function signalFaults(signals: JsonObject = {}, phase: Phase): AnswerFault[] {
  const unknown = Object.keys(signals).filter((name) => !KNOWN_SIGNALS.includes(name));
  const faults = unknown.map((name) => {
    const advice = didYouMean(name, GUARD_SIGNALS);
    return { text: `has an unknown signal: ${named([name])}`, advice, hides: advice !== undefined };
  });
  // The session itself keeps and shows unknown signals of prompts.
  if (phase === 'PromptSubmit') return faults.filter(({ hides }) => hides);
  // Keys that may hide a refusal come first in the limited list.
  return faults.sort((one, other) => Number(other.hides) - Number(one.hides)).slice(0, MAX_NAMED);
}

/** Data for the infrastructure, from the top level and from `infra`. Source: R-002-18. */
function infraOf({ infra, ...result }: Result): { infra: JsonObject | undefined; faults: AnswerFault[] } {
  const given = INFRA_FIELDS.filter((name) => result[name] !== undefined);
  if (given.length === 0) return { infra, faults: [] };
  const both = given.filter((name) => infra !== undefined && Object.hasOwn(infra, name));
  const text = `has ${both.join(', ')} at the top level and in infra; that of infra is kept`;
  return {
    infra: { ...Object.fromEntries(given.map((name) => [name, result[name]])), ...infra } as JsonObject,
    faults: both.length > 0 ? [{ text, advice: undefined, hides: false }] : [],
  };
}

function named(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_NAMED).map((key) => JSON.stringify(key.slice(0, 60)));
  const left = keys.length - shown.length;
  return `${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

function issueOf({ issues: [issue] }: z.ZodError): string {
  return [issue?.path.join('.'), issue?.message].filter(Boolean).join(' ');
}

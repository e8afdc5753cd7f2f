import type { GuardDecision, HookAnswer } from '../../contracts/hooks.js';
import { isJsonObject, type Json } from '../../contracts/json.js';
import type { AbilityGuard, HookSignals, RoutingHint, UnknownSignal } from '../../contracts/session.js';
import { DECISIONS, strictestOf } from '../hooks/fold-answers.js';
import { oneLine } from '../shown-text.js';

/** The key of a single guard, and that of a list of them: both are accepted. Source: C-10. */
export const GUARD_SIGNALS = ['ability_guard', 'ability_guards'] as const;
const HINTS = ['routing_hint', 'routing_hints'] as const;
const ALERTS = ['risk_alert', 'risk_alerts'] as const;

/** Others are passed on as unknown. Source: R-002-36; R-000-57; C-10. */
export const KNOWN_SIGNALS: readonly string[] = [...GUARD_SIGNALS, ...HINTS, 'normalized_intent', ...ALERTS];

export interface MergedSignals {
  hook_signals: HookSignals;
  unknown: UnknownSignal[];
}

/**
 * Merges single signals and lists, dropping duplicates and `infra`, and keeps the strictest of an ability's
 * guards. A prompt's `guard_decision` becomes an alert, since it concerns no ability. Failed hooks have no answer;
 * malformed signals count as unknown. Source: R-002-36 to R-002-40, R-002-47; C-08, C-10, C-11; docs/sessions.md.
 * @param earlier guards of the session's tasks, which come first. @param at ISO 8601, for unknown signals.
 */
export function mergeSignals(
  answers: readonly HookAnswer[],
  earlier: readonly AbilityGuard[],
  at: string,
): MergedSignals {
  const merged = new Merging(at);
  for (const guard of earlier) merged.addGuard(guard);
  for (const answer of answers) if (answer.status === 'ok') merged.add(answer);
  return merged.result();
}

class Merging {
  private readonly hints = new Map<string, RoutingHint>();
  private readonly guards = new Map<string, AbilityGuard>();
  private readonly alerts = new Set<string>();
  private readonly unknown: UnknownSignal[] = [];
  private intent: Json | undefined;

  constructor(private readonly at: string) {}

  add(answer: HookAnswer): void {
    const { hook_id, phase, decision, reason, hook_signals: signals = {} } = answer;
    const source = `${phase}.${hook_id}`;
    const each = (names: readonly string[], take: (item: Json) => boolean): void => {
      for (const name of names) {
        const { [name]: value = [] } = signals;
        for (const item of Array.isArray(value) ? value : [value]) if (!take(item)) this.keep(hook_id, name, item);
      }
    };
    each(HINTS, (item) => this.addHint(source, item));
    each(GUARD_SIGNALS, (item) => this.takeGuard(source, item));
    each(ALERTS, (item) => this.addAlert(item));
    if (signals.normalized_intent !== undefined) this.intent = signals.normalized_intent;
    if (decision !== 'allow') this.addAlert(`${oneLine(reason ?? `${hook_id} answers ${decision}`)} (hook ${hook_id})`);
    for (const [name, value] of Object.entries(signals)) {
      if (!KNOWN_SIGNALS.includes(name)) this.keep(hook_id, name, value);
    }
  }

  addGuard(guard: AbilityGuard): void {
    const known = this.guards.get(guard.ability_id);
    const isStricter = known && known.decision !== strictestOf([known.decision, guard.decision]);
    if (!known || isStricter) this.guards.set(guard.ability_id, guard);
  }

  result(): MergedSignals {
    const hook_signals: HookSignals = {
      routing_hints: [...this.hints.values()],
      ability_guards: [...this.guards.values()],
      risk_alerts: [...this.alerts],
      ...(this.intent !== undefined && { normalized_intent: this.intent }),
    };
    return { hook_signals, unknown: this.unknown };
  }

  /** A hint is a string, or an object with a string in `hint`. */
  private addHint(source: string, item: Json): boolean {
    const hint = isJsonObject(item) ? item.hint : item;
    if (typeof hint !== 'string' || hint === '') return false;
    const found = { source, hint: oneLine(hint) };
    if (![...this.hints.values()].some((known) => known.hint === found.hint)) this.hints.set(found.hint, found);
    return true;
  }

  private takeGuard(source: string, item: Json): boolean {
    if (!isJsonObject(item)) return false;
    const { ability_id, decision, reason, suggestion } = item;
    if (typeof ability_id !== 'string' || !isDecision(decision)) return false;
    this.addGuard({
      ability_id,
      decision,
      reason: oneLine(typeof reason === 'string' ? reason : `${source} answers ${decision}.`),
      ...(typeof suggestion === 'string' && { suggestion: oneLine(suggestion) }),
      source,
    });
    return true;
  }

  private addAlert(item: Json): boolean {
    if (typeof item !== 'string' || item === '') return false;
    this.alerts.add(oneLine(item));
    return true;
  }

  private keep(hook: string, name: string, value: Json): void {
    this.unknown.push({ at: this.at, hook, name, value });
  }
}

function isDecision(value: Json | undefined): value is GuardDecision {
  return DECISIONS.some((decision) => decision === value);
}

/** The denials and confirmations of a task's guards, for the next turn of its session. */
export function guardsIn(answers: readonly HookAnswer[], abilityAt: (answer: HookAnswer) => string): AbilityGuard[] {
  return answers.flatMap((answer) => {
    const { hook_id, phase, decision, reason, suggestion } = answer;
    if (decision === 'allow') return [];
    return [
      {
        ability_id: abilityAt(answer),
        decision,
        reason: oneLine(reason ?? 'No reason given.'),
        ...(suggestion !== undefined && { suggestion: oneLine(suggestion) }),
        source: `${phase}.${hook_id}`,
      },
    ];
  });
}

import type { HookAnswer } from '../../contracts/hooks.js';
import type { AbilityGuard, TurnContext } from '../../contracts/session.js';
import { guardsIn, mergeSignals } from '../../rules/merge-signals.js';

/** What hooks said around the calls of a task. */
export interface HookedCall {
  ability_id: string;
  hooks: readonly HookAnswer[];
  /** The ability that each of its steps calls. */
  calls: Readonly<Record<string, string | null>>;
}

/**
 * The turn context of a prompt with what the hooks of its calls have said since, as an AI reads it before its next decision.
 *
 * A session learns of the hooks of its calls with its next prompt; who runs the calls knows them at once. Nothing is asked again: hooks
 * fire once, in the task. Source: C-04; R-002-40, R-002-42.
 *
 * @param refused guards of calls of which no task came to be. @param at ISO 8601.
 */
export function turnWithCalls(
  turn: TurnContext,
  made: readonly HookedCall[],
  refused: readonly AbilityGuard[],
  at: string,
): TurnContext {
  const { routing_hints, ability_guards, risk_alerts, ...rest } = turn.hook_signals;
  const guards = made.flatMap(({ hooks, calls, ability_id }) =>
    guardsIn(hooks, ({ path }) => calls[path] ?? ability_id),
  );
  // A decision about a call is a guard of its ability, and no alert as that of a prompt is.
  const signals = made.flatMap(({ hooks }) => hooks.map((answer) => ({ ...answer, decision: 'allow' as const })));
  const { hook_signals: told } = mergeSignals(signals, [...ability_guards, ...guards, ...refused], at);
  const hints = new Map([...told.routing_hints, ...routing_hints].map((hint) => [hint.hint, hint]));
  return {
    ...turn,
    hook_signals: {
      ...rest,
      ...told,
      routing_hints: [...hints.values()],
      risk_alerts: [...new Set([...risk_alerts, ...told.risk_alerts])],
    },
  };
}

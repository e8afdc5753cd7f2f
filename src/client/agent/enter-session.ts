import type { HookAnswer } from '../../contracts/hooks.js';
import type { AbilityGuard, TurnContext } from '../../contracts/session.js';
import { guardsIn, mergeSignals } from '../../rules/sessions/merge-signals.js';
import type { Connection } from '../connection/connect.js';
import { promptSession, readThread, type SeenSession, showSession, startSession } from '../sessions/sessions.js';
import type { RunState, SessionRunOptions } from './run-state.js';

/** Opens or joins a run's session; prompts it once. @throws AbilityError session refusals. Source: R-002-51. */
export async function enterSession(
  connection: Connection,
  run: string,
  options: SessionRunOptions,
): Promise<{ session: string; ownsSession: boolean; prompted: TurnContext }> {
  const { environment, scope, user, session: wanted, journal } = options;
  const { session_id: session, attached } = await startSession(connection, {
    id: wanted ?? run,
    environment,
    scope,
    user,
  });
  const isAgain = journal !== undefined && !journal.isNew;
  const before = attached ? await showSession(connection, session) : undefined;
  const said = isAgain && before ? await saidBefore(connection, session, options, before) : undefined;
  const prompted = said ?? (await promptSession(connection, session, options.prompt, user));
  const own = journal?.log.read().find(({ payload }) => 'owns_session' in payload)?.payload.owns_session;
  const isFirst = before === undefined || (isAgain && before.turn_index <= 1);
  const ownsSession = typeof own === 'boolean' ? own : wanted === undefined || isFirst;
  if (own === undefined) journal?.log.append('decision', null, { session_id: session, owns_session: ownsSession });
  return { session, ownsSession, prompted };
}

/** The turn context, if an earlier process of the run already sent the prompt. */
async function saidBefore(
  connection: Connection,
  session: string,
  { prompt, journal }: SessionRunOptions,
  { turn_context }: SeenSession,
): Promise<TurnContext | undefined> {
  if (turn_context === null) return undefined;
  if (journal?.log.read().some(({ payload }) => 'owns_session' in payload)) return turn_context;
  const { messages } = await readThread(connection, session);
  const last = messages.findLast(({ role }) => role === 'user');
  return last?.text === prompt ? turn_context : undefined;
}

/** The session's turn context, with the answers of the hooks of the run's calls. Source: R-002-42; C-04. */
export async function contextNow(state: RunState): Promise<TurnContext> {
  const { turn_context } = await showSession(state.connection, state.session);
  const made = [...state.made.values()].flatMap(({ entry, result }) => {
    if (!result) return [];
    const calls = Object.fromEntries(result.steps.map(({ path, call }) => [path, call]));
    return [{ ability_id: entry.ability_id, hooks: result.hooks, calls }];
  });
  return turnWithCalls(turn_context ?? state.prompted, made, state.refused, new Date().toISOString());
}

interface HookedCall {
  ability_id: string;
  hooks: readonly HookAnswer[];
  /** Step path to the ability that it calls. */
  calls: Readonly<Record<string, string | null>>;
}

/**
 * Adds the later messages of the hooks of a prompt's calls, for the AI's next decision. The session itself gets
 * them with its next prompt. No hook fires again: hooks fire once, in the task. Source: C-04; R-002-40, R-002-42.
 * @param refused guards of calls that got no task. @param at ISO 8601.
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
  // A hook's decision about a call is a guard of its ability; only those about prompts are alerts.
  const signals = made.flatMap(({ hooks }) => hooks.map((answer) => ({ ...answer, decision: 'allow' as const })));
  const { hook_signals: merged } = mergeSignals(signals, [...ability_guards, ...guards, ...refused], at);
  const hints = new Map([...merged.routing_hints, ...routing_hints].map((hint) => [hint.hint, hint]));
  return {
    ...turn,
    hook_signals: {
      ...rest,
      ...merged,
      routing_hints: [...hints.values()],
      risk_alerts: [...new Set([...risk_alerts, ...merged.risk_alerts])],
    },
  };
}

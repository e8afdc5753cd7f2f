import type { Effect } from './effects.js';
import type { Json, JsonObject } from './json.js';

/** The moments at which hooks fire: the five of requirements C-01, and the start of a session (decision 16). */
export const PHASES = [
  'SessionStart',
  'PromptSubmit',
  'PreAbilityCreate',
  'PreAbilityCall',
  'PostAbilityCall',
  'SessionStop',
] as const;

export type Phase = (typeof PHASES)[number];

/** Phases of a session, which concern neither an ability nor a task. */
export const SESSION_PHASES = ['SessionStart', 'PromptSubmit', 'SessionStop'] as const satisfies Phase[];

export type SessionPhase = (typeof SESSION_PHASES)[number];

/** Whether a phase is about a session. */
export function isSessionPhase(phase: Phase): phase is SessionPhase {
  return SESSION_PHASES.some((known) => known === phase);
}

/** Decision of a guard. `deny` beats `need_user_confirm` beats `allow`. */
export type GuardDecision = 'allow' | 'deny' | 'need_user_confirm';

/** Input of a script handler on stdin, and the scope of expressions. Source: R-002-17; docs/hooks.md. */
export interface EventContext {
  event_type: Phase;
  session_id: string | null;
  task_id: string | null;
  /** Null for an event of a session. */
  ability_id: string | null;
  module_id: string | null;
  user_id: string;
  payload: Json;
  environment: { name: string; protected: boolean; vars: JsonObject };
  effects: Effect | null;
  tags: string[];
  plan_digest: string | null;
}

/**
 * Output of a script handler on stdout. Before a call it must decide, by `guard_decision` or an item of
 * `hook_signals.ability_guards`; after a call every field is optional. Source: R-002-18.
 */
export interface HookResult {
  hook_id?: string;
  status?: 'ok' | 'error';
  guard_decision?: GuardDecision;
  reason?: string;
  suggestion?: string;
  warnings?: string[];
  hook_signals?: JsonObject;
  /** For logs and metrics: `log`, `metrics`, `usage_record`, which count at the top level, too. */
  infra?: JsonObject;
  log?: Json;
  metrics?: Json;
  usage_record?: Json;
  duration_ms?: number;
}

/** One hook's answer as the task keeps it: in its result and in its record. */
export interface HookAnswer
  extends Pick<HookResult, 'reason' | 'suggestion' | 'warnings' | 'infra' | 'hook_signals' | 'duration_ms'> {
  hook_id: string;
  phase: Phase;
  /** Where it fired: a step path, or `''` for the task itself; before creation the key of a callable operation. */
  path: string;
  status: 'ok' | 'error';
  decision: GuardDecision;
  /** Value of `now()` in its expressions, ISO 8601; omitted if they did not use it. */
  moment?: string;
  /** It denies at a limit that people may raise; absent: it does not. */
  limit?: SessionLimit;
}

/** Where a session is at a limit of one of its guards. */
export interface SessionLimit {
  /** By how much people have raised it. */
  raised: number;
  /** Number of calls of the session by ability, running ones included; at most so many as it lists. */
  done: Record<string, number>;
}

export const BUILTINS = ['usage', 'credentials_present', 'environment_scope', 'suggest'] as const;

export type BuiltinHook = (typeof BUILTINS)[number];

/** Values of a hook's `match.kinds`: the kind of an implementation; `workflow` is a high-level ability. */
export const HOOK_KINDS = ['script', 'mcp', 'api', 'workflow'] as const;

export type HookKind = (typeof HOOK_KINDS)[number];

import type { Person } from './callers.js';
import type { Effect } from './effects.js';
import type { GuardDecision, HookAnswer } from './hooks.js';
import type { Json, JsonObject } from './json.js';
import type { PlanHandler } from './plan.js';
import type { LaneMessage, Pending } from './routing.js';

/** Context that an AI receives before each decision. Source: R-002-36 to R-002-39. */
export interface TurnContext {
  session_id: string;
  /** Counts from 1. */
  turn_index: number;
  hook_signals: HookSignals;
}

/** Messages of hooks to an AI. Source: R-002-36; C-10. */
export interface HookSignals {
  routing_hints: RoutingHint[];
  ability_guards: AbilityGuard[];
  risk_alerts: string[];
  /** Intent that the latest hook derived from the prompt; omitted if none did. */
  normalized_intent?: Json;
}

/** An ability id, `module:<id>` or `read:<path>` to prefer. `source` is `<Event>.<hook id>`. */
export interface RoutingHint {
  source: string;
  hint: string;
}

/** A guard's decision about an ability; advice to the AI. Source: R-002-38; C-11. */
export interface AbilityGuard {
  ability_id: string;
  decision: GuardDecision;
  reason: string;
  suggestion?: string;
  source: string;
}

/** A custom signal of a team: kept, but without effect. Source: R-002-47. */
export interface UnknownSignal {
  /** ISO 8601. */
  at: string;
  hook: string;
  name: string;
  value: Json;
}

/** Answer of `ability guard` about a call of an agent's tool in the session; only for guarded calls. */
export interface ToolAnswer {
  /** ISO 8601. */
  at: string;
  /** The tool whose hook reported the call, such as `claude`. */
  tool: string;
  /** Name of the call in that tool, without its input. */
  name: string;
  decision: GuardDecision;
  /** `ability_id` is `*` if it concerns no ability. */
  guards: AbilityGuard[];
}

/** A task requested in a session. */
export interface SessionTask {
  task_key: string;
  ability_id: string;
  /** A state of a task; `unavailable` if no task was created. */
  status: string;
  /** It has nothing more to report, and all of its guard answers were passed on. */
  settled?: true;
  /** Number of its guards' answers already passed on. */
  told: number;
  /** The same for called tasks, by key; -1: nothing more to report. Absent: it calls none. */
  called?: Record<string, number>;
}

/** State of a session's call, as expressions see it. */
export type CallStatus = 'running' | 'succeeded' | 'failed' | 'cancelled' | 'unknown';

/** One call in `session.calls`. */
export interface SessionCall {
  id: string;
  ability: string;
  effects: Effect;
  environment: string;
  status: CallStatus;
  /** With known secrets masked; null if larger than a session keeps. */
  input: JsonObject | null;
}

/** `session.counts`: calls by effects, and all of them. */
export type CallCounts = Record<Effect | 'total', number>;

/** How a session ended. */
export type StopReason = 'stop' | 'idle' | 'cancelled';

/** Argument of a session's workflow. */
export interface SessionStart {
  format: 1;
  session_id: string;
  environment: string;
  /** A folder of the project, such as `modules/grading`. */
  scope: string;
  /** Milliseconds without a prompt or a call after which it ends. */
  idle_ms: number;
  user: Person;
  carried?: SessionCarried;
}

/** State of a session besides its start. */
export interface SessionCarried {
  /** ISO 8601. */
  started_at: string;
  active_at: string;
  turn_index: number;
  turn_context: TurnContext | null;
  /** The hooks of the last prompt, as they answered; before the first prompt those of the start. */
  hooks: HookAnswer[];
  tasks: SessionTask[];
  /** Guards of tasks that could not be created, for the next turn. */
  guards: AbilityGuard[];
  calls: SessionCall[];
  counts: CallCounts;
  /** Calls under way that are not listed: their effects, by id. */
  unlisted: Record<string, Effect>;
  left_out: number;
  /** By how much people raised the limit of a hook: by hook, then by approval. Absent: nothing was raised. */
  raised?: Record<string, Record<string, number>>;
  unknown_signals: UnknownSignal[];
  /** The newest ones; absent: none. */
  tool_answers?: ToolAnswer[];
  /** Absent: no messages yet. */
  thread?: SessionThread;
}

/** Messages for deciding what a prompt refers to; a query of its own, since lists must not show prompts. */
export interface SessionThread {
  /** The last ones, oldest first; long texts without their middle. */
  messages: LaneMessage[];
  /** Number of all messages. */
  count: number;
  /** The question pending for the person, as the client noted it. */
  pending: Pending | null;
}

/** A client's note about its side of the conversation. It decides nothing: guards and approvals still apply. */
export interface ThreadNote {
  /** Messages of the role `user` come only with prompts. */
  messages: Pick<LaneMessage, 'role' | 'text'>[];
  pending: Pending | null;
}

/** Result of a session and of its query. */
export interface SessionView
  extends Omit<SessionCarried, 'guards' | 'unlisted' | 'calls' | 'thread'>,
    Omit<SessionStart, 'format' | 'carried'> {
  /** `starting`: its start hooks are running; `refused`: one of them denied it. */
  status: 'starting' | 'open' | 'refused' | 'stopping' | 'stopped';
  /** Null while it is open. */
  reason: StopReason | null;
  ended_at: string | null;
  stop_hooks: HookAnswer[];
}

/** Argument of the `prompt` update. Only the prompt text: guard answers are never taken from a client. */
export interface PromptRequest {
  prompt: string;
  user: Person;
}

/** Part of every request to an activity of a session. */
export type SessionSurroundings = Omit<SessionStart, 'format' | 'idle_ms' | 'carried'>;

/** Argument of the activity at the start of a session. */
export interface AskStartRequest extends SessionSurroundings {
  /** Milliseconds since 1970. */
  moment: number;
}

/** Argument of the activity behind a prompt. `user` is the person who sends the prompt. */
export interface AskPromptRequest extends AskStartRequest {
  prompt: string;
  turn_index: number;
  guards: AbilityGuard[];
  /** Tasks that may still change. */
  tasks: SessionTask[];
}

/** Result of that activity. */
export interface AskPromptAnswer extends EndSessionAnswer {
  turn_context: TurnContext;
  unknown_signals: UnknownSignal[];
}

/** Argument of the activity at the end of a session. */
export interface EndSessionRequest extends AskStartRequest {
  reason: StopReason;
  turns: number;
  tasks: SessionTask[];
}

/** Result of that activity. */
export interface EndSessionAnswer {
  hooks: HookAnswer[];
  tasks: SessionTask[];
}

/** A worker's report to a session; its `mac` covers all other fields, with a seal key. */
export interface SignedWord {
  key_id: string;
  /** Workflow id of the session. */
  session: string;
  word: SessionWord;
  mac: string;
}

/** Facts about a call that guards see, besides its session; known secrets are masked. */
export type FactsOfCall = Record<
  'input' | 'environment' | 'ability' | 'implementation' | 'effects' | 'tags' | 'task' | 'user' | 'outcome',
  Json
>;

/** Reports of workers to sessions. */
export type SessionWord =
  /** A task is about to be created. */
  | { kind: 'task'; task_key: string; ability_id: string }
  /** Guard answers before the task exists; `refused`: it is not created. */
  | { kind: 'guards'; task_key: string; refused: boolean; guards: AbilityGuard[] }
  /** The answer of `ability guard`, on a machine with a seal key. */
  | { kind: 'tool'; answer: ToolAnswer }
  /** People raised the limit of a hook for this session. @param id of the approval: it counts once. */
  | { kind: 'raised'; hook: string; id: string; by: number }
  /** A call is about to start: evaluates these guards and, unless one denies, enters the call. */
  | {
      kind: 'call';
      /** Absent: the guards are evaluated, but no call is entered. */
      call?: Omit<SessionCall, 'status'>;
      guards: { id: string; handler: Extract<PlanHandler, { kind: 'expression' }> }[];
      facts: FactsOfCall;
      path: string;
      moment: number;
    }
  /** A call has ended; `denied`: it was never made, and does not count. */
  | { kind: 'ended'; id: string; status: CallStatus | 'denied' };

/** A session's answer to a report. */
export interface WordAnswer {
  /** For a `call`: answers of its guards. */
  hooks?: HookAnswer[];
}

/** An answer of a guard, for a session to note. */
export interface SessionNote {
  root: string;
  session: string;
  answer: ToolAnswer;
}

import type { Effect } from './effects.js';
import type { HookAnswer } from './hooks.js';
import type { Json, JsonObject } from './json.js';
import type { Problem } from './problem.js';
import type { TurnContext } from './session.js';

/** An ability that an AI may plan; no other one is called for it. */
export interface OfferedAbility {
  id: string;
  summary: string;
  /** The gravest effect that it may call; null: not known. */
  effects: Effect | null;
  /** Null where there was no room for it. */
  input_schema: JsonObject | null;
}

/** All that an AI is given before it decides; no other keys. Source: R-002-42, R-002-52; docs/agents.md. */
export interface AgentTurn {
  /** As it is at this moment. */
  turn_context: TurnContext;
  prompt: string;
  abilities: OfferedAbility[];
  /** What became of what it planned so far, oldest first. What abilities put out is data, and asks for nothing. */
  results: CallReport[];
}

/** One call that an AI plans; its `id` is a node of the graph of calls. Source: R-000-79. */
export interface PlannedEntry {
  id: string;
  ability_id: string;
  input: JsonObject;
  /** Ids of calls that have to succeed before. */
  after?: string[];
}

/** What an AI answers; no other keys. A plan without calls ends the run. */
export interface AgentAnswer {
  plan: PlannedEntry[];
  answer?: string;
}

/** Why a call, or a plan, came to nothing. */
export interface CallRefusal {
  /** Stable and dotted. */
  code: string;
  reason: string;
  /** What to do instead. */
  suggestion?: string;
}

/** What became of one planned call, or of a plan as a whole, as an AI reads it. */
export interface CallReport {
  /** Counts from 1: which answer of the AI planned it. */
  turn: number;
  /** Null: it is about the plan or the answer as a whole. */
  id: string | null;
  ability_id: string | null;
  task_key: string | null;
  /**
   * A state of a task; `unavailable`: no task could be created; `refused`: it was not tried; `skipped`: a call before it did not succeed;
   * `created`: it waits for a plan that can be carried out.
   */
  status: string;
  /** With known secrets masked. */
  output: Json;
  /** Characters that `output` would have, where it is only their beginning, as a text. */
  output_cut?: number;
  error: CallRefusal | null;
}

/** How often an AI is asked, see `PlanProvider`. */
export interface AskedFor {
  /** Counts from 1, over the whole run, with the repairs. */
  number: number;
  session: string;
}

/** What makes plans: a model, a program, or a script of answers. It sees nothing but the turn. */
export interface PlanProvider {
  /**
   * Asks once.
   *
   * @returns what it says: an {@link AgentAnswer}, as text or as a value; it is checked.
   * @throws AbilityError `planner.failed`, `planner.timeout`.
   */
  ask(turn: AgentTurn, asked: AskedFor, signal: AbortSignal): Promise<unknown>;
}

/** How a run of an agent stands or ended. */
export const SESSION_ENDS = [
  'answered',
  'waiting_approval',
  'needs_consent',
  'declined',
  'model_failed',
  'turns_exhausted',
  'interrupted',
  'timed_out',
] as const;

/** One of {@link SESSION_ENDS}. */
export type SessionEndStatus = (typeof SESSION_ENDS)[number];

/** What the requester has to agree to before the next call. Source: R-002-44, R-002-45. */
export interface ConsentQuestion {
  /** The risks, a sentence each. */
  risks: string[];
  calls: PlannedEntry[];
  /** Digest of both: a yes that names it holds for no other question. */
  reference: string;
}

/** What a run of an agent came to. Source: R-002-68. */
export interface SessionOutcome {
  status: SessionEndStatus;
  run: string;
  session_id: string;
  turn_context: TurnContext;
  /** The last plan with calls. */
  plan: PlannedEntry[];
  /** Every call that was planned, as it stands. */
  tasks: CallReport[];
  /** Of the prompt, of the calls, and of the session's end. */
  hook_results: HookAnswer[];
  answer: string | null;
  /** How often the AI was asked for a plan. */
  turns: number;
  /** Why it did not end with an answer; null where it did. */
  problem: Problem | null;
  /** With `needs_consent`. */
  consent: ConsentQuestion | null;
}

import type { Effect } from './effects.js';
import type { HookAnswer } from './hooks.js';
import type { Json, JsonObject } from './json.js';
import type { Problem } from './problem.js';
import type { TurnContext } from './session.js';

/** An ability that an AI may plan; calls of any other ability are refused. */
export interface OfferedAbility {
  id: string;
  summary: string;
  /** The strongest effect of its possible calls; null: unknown. */
  effects: Effect | null;
  /** Null if there was no room for it. */
  input_schema: JsonObject | null;
}

/** Everything an AI receives before it decides; no other keys. Source: R-002-42, R-002-52; docs/agents.md. */
export interface AgentTurn {
  turn_context: TurnContext;
  prompt: string;
  abilities: OfferedAbility[];
  /** Outcomes of the calls planned so far, oldest first. Outputs of abilities are data, never instructions. */
  results: CallReport[];
}

/** One call that an AI plans; its `id` is a node of the graph of calls. Source: R-000-79. */
export interface PlannedEntry {
  id: string;
  ability_id: string;
  input: JsonObject;
  /** Ids of calls that must succeed first. */
  after?: string[];
}

/** Answer of an AI; no other keys are allowed. A plan without calls ends the run. */
export interface AgentAnswer {
  plan: PlannedEntry[];
  answer?: string;
}

/** Why a call or a plan was refused or failed. */
export interface CallRefusal {
  /** Stable and dotted. */
  code: string;
  reason: string;
  suggestion?: string;
}

/** Outcome of one planned call, or of a plan as a whole, in a form for an AI. */
export interface CallReport {
  /** Number of the AI's answer that planned it, from 1. */
  turn: number;
  /** Null: it is about the plan or the answer as a whole. */
  id: string | null;
  ability_id: string | null;
  task_key: string | null;
  /**
   * A state of a task; `unavailable`: no task could be created; `refused`: not tried; `skipped`: an earlier call did
   * not succeed; `created`: waits for a plan that can be carried out.
   */
  status: string;
  /** With known secrets masked. */
  output: Json;
  /** Length of the whole output in characters, if `output` is only its start, as text. */
  output_cut?: number;
  error: CallRefusal | null;
}

/** Identifies one request to an AI, see `PlanProvider`. */
export interface PlanRequest {
  /** Counts from 1 over the whole run, including requests for repair. */
  number: number;
  session: string;
}

/** A source of plans: a model, a program, or a script of answers. It sees only the turn. */
export interface PlanProvider {
  /**
   * @returns an {@link AgentAnswer}, as text or as a value; the caller validates it.
   * @throws AbilityError `planner.failed`, `planner.timeout`.
   */
  ask(turn: AgentTurn, wanted: PlanRequest, signal: AbortSignal): Promise<unknown>;
}

/** States of a run of an agent, open and ended. */
export type SessionEndStatus =
  | 'answered'
  | 'waiting_approval'
  | 'needs_consent'
  | 'declined'
  | 'model_failed'
  | 'turns_exhausted'
  | 'interrupted'
  | 'timed_out';

/** A question the requester must approve before the next call. Source: R-002-44, R-002-45. */
export interface ConsentQuestion {
  /** One sentence for each risk. */
  risks: string[];
  calls: PlannedEntry[];
  /** Digest of both: consent that names it is valid for no other question. */
  reference: string;
}

/** Outcome of a run of an agent. Source: R-002-68. */
export interface SessionOutcome {
  status: SessionEndStatus;
  run: string;
  session_id: string;
  turn_context: TurnContext;
  /** The last plan that had calls. */
  plan: PlannedEntry[];
  /** Every planned call with its current state. */
  tasks: CallReport[];
  /** Answers for the prompt, the calls, and the session's end. */
  hook_results: HookAnswer[];
  answer: string | null;
  /** Number of plans requested from the AI. */
  turns: number;
  /** Why the run did not end with an answer; null if it did. */
  problem: Problem | null;
  /** Set only with the status `needs_consent`. */
  consent: ConsentQuestion | null;
}

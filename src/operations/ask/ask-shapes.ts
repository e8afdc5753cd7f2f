import type { Caller, Person } from '../../contracts/callers.js';
import type { Effect } from '../../contracts/effects.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Problem } from '../../contracts/problem.js';
import type { Pending, RecruitmentResult, RoutingDecision } from '../../contracts/routing.js';
import type { TurnContext } from '../../contracts/session.js';
import type { Registry } from '../../definitions/registry.js';
import type { RoutedAbility } from '../route-request.js';

export interface WantedSignal {
  task_key: string;
  signal: string;
  /** CEL that the payload must satisfy; so the signal needs a payload. */
  condition?: string;
}

export interface Request {
  text: string;
  registry: Registry;
  environment: string;
  /** A folder of the project. */
  scope: string;
  user: Person;
  caller?: Caller;
  /** Searched for credentials and the address of a model. */
  env: NodeJS.ProcessEnv;
  /** The specialist that the request names. Source: R-004-22, R-004-23. */
  pack?: string;
  /** Consent in advance to a plan that only reads. */
  agreed: boolean;
  /** Consent to this plan and no other, as {@link PlannedCall.reference}; never an approval. */
  plan?: string;
  signal?: AbortSignal;
}

export const OUTCOMES = ['runs', 'planned', 'asks', 'answers', 'unavailable'] as const;

export interface PlannedCall {
  ability_id: string;
  input: JsonObject;
  effects: Effect;
  /** Digests of plan and input, as `--plan` accepts them. */
  reference: string;
  /** Approvals before or during the call; empty: none needed. */
  approvals: { title: string; asked: 'yes' | 'maybe'; approvers: string[] }[];
  warnings: string[];
}

/** An input that the request does not give. */
export interface OpenInput {
  ability_id: string;
  name: string;
  schema: JsonObject;
  given: JsonObject;
}

/** What to do about a request; nothing is done yet. */
export interface Considered {
  outcome: (typeof OUTCOMES)[number];
  answer: string;
  /** With `asks`: one question; `options` has its possible answers if they are few. */
  question: string | null;
  options: string[];
  decision: RoutingDecision;
  suggestions: RoutedAbility[];
  nearest: string[];
  plan: PlannedCall[];
  /** Words of the request that the plan does not account for; a person decides whether they matter. */
  unused: string[];
  /** Only with `unavailable`. */
  problem: Pick<Problem, 'code' | 'message' | 'suggestion'> | null;
  /** Only with `asks`. */
  pending: Pending | null;
  /** Key of the task to retry; null: none. */
  retries: string | null;
  /** The chosen signal, to be sent without a payload to a task that waits for it; null: none. */
  signals: WantedSignal | null;
  /** Whether no ability here can do what the request wants. Source: R-000-93. */
  abstained: boolean;
}

/** The printed answer, also sent over HTTP. */
export interface AskAnswer extends Omit<Considered, 'pending' | 'retries' | 'signals' | 'abstained'> {
  /** Null with `--dry-run`. */
  run: string | null;
  /** Null if the server was not queried. */
  session_id: string | null;
  request: string;
  environment: string;
  scope: string;
  /** Hints of hooks, as an AI sees them; null without a session. */
  turn_context: TurnContext | null;
  /** Each with its state as `status`. */
  tasks: { task_key: string; ability_id: string; status: string }[];
  /** Source: R-004-20, R-004-21. */
  _meta: {
    /** Whose ability runs, or would; null: of no pack. */
    pack: string | null;
    required_capabilities: string[];
    routing_method: RecruitmentResult['routing_method'];
    session_id?: string;
  };
}

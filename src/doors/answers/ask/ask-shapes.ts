import type { Caller } from '../../../contracts/callers.js';
import type { Effect } from '../../../contracts/effects.js';
import type { JsonObject } from '../../../contracts/json.js';
import type { Person } from '../../../contracts/people.js';
import type { Problem } from '../../../contracts/problem.js';
import type { Pending, RecruitmentResult, RoutingDecision } from '../../../contracts/routing.js';
import type { TurnContext } from '../../../contracts/session.js';
import type { Registry } from '../../../definitions/registry.js';
import type { RoutedAbility } from '../route-request.js';

/** A signal that a task waits for. */
export interface WantedSignal {
  task_key: string;
  signal: string;
  /** The wait takes only payloads that satisfy this CEL condition, so it needs one. */
  condition?: string;
}

/** A request in plain words, and where it is made. */
export interface Request {
  text: string;
  registry: Registry;
  environment: string;
  /** A folder of the project. */
  scope: string;
  user: Person;
  /** The kind of requester; left out: unknown. */
  caller?: Caller;
  /** In which credentials, and the address of a model, are looked for. */
  env: NodeJS.ProcessEnv;
  /** The specialist that is named. Source: R-004-22, R-004-23. */
  pack?: string;
  /** The plan is agreed to beforehand; never an approval. */
  agreed: boolean;
  signal?: AbortSignal;
}

/** The outcome of a request. */
export const OUTCOMES = ['runs', 'planned', 'asks', 'answers', 'unavailable'] as const;

/** One of {@link OUTCOMES}. */
export type Outcome = (typeof OUTCOMES)[number];

/** One call that is planned. */
export interface PlannedCall {
  ability_id: string;
  input: JsonObject;
  effects: Effect;
  /** The digests of plan and input, as `--plan` takes them. */
  reference: string;
  /** The approvals before or during it; empty: none are needed. */
  approvals: { title: string; asked: 'yes' | 'maybe'; approvers: string[] }[];
  warnings: string[];
}

/** The outcome of a request, before anything is done. */
export interface Considered {
  outcome: Outcome;
  /** In words. */
  answer: string;
  /** With `asks`: one question, with its possible answers if they are few. */
  question: string | null;
  options: string[];
  decision: RoutingDecision;
  /** Fitting abilities, best first. */
  suggestions: RoutedAbility[];
  /** The nearest abilities, if none fits. */
  nearest: string[];
  plan: PlannedCall[];
  /** With `unavailable`. */
  problem: Pick<Problem, 'code' | 'message' | 'suggestion'> | null;
  /** With `asks`: the pending request. */
  pending: Pending | null;
  /** Set if a task is to be retried: its key. */
  retries: string | null;
  /** Set where a task waits for a signal that was chosen: it is sent, without a payload. */
  signals: WantedSignal | null;
  /** Whether no ability here can do what is requested. Source: R-000-93. */
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
  /** Hints of the hooks, as an AI reads them; null if no session was used. */
  turn_context: TurnContext | null;
  tasks: AskedTask[];
  /** Source: R-004-20, R-004-21. */
  _meta: {
    pack: string;
    required_capabilities: string[];
    routing_method: RecruitmentResult['routing_method'];
    session_id?: string;
  };
}

/** A task of a run. */
export interface AskedTask {
  task_key: string;
  ability_id: string;
  /** A state of a task. */
  status: string;
}

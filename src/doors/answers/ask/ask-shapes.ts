import type { Connection } from '../../../client/index.js';
import type { Caller } from '../../../contracts/callers.js';
import type { JsonObject } from '../../../contracts/json.js';
import type { Person } from '../../../contracts/people.js';
import type { PlanPreview } from '../../../contracts/preview.js';
import type { RecruitmentResult, RoutingDecision } from '../../../contracts/routing.js';
import type { TurnContext } from '../../../contracts/session.js';
import type { TaskResult } from '../../../contracts/task.js';
import type { Registry } from '../../../definitions/registry.js';
import type { RoutedAbility } from '../route-request.js';

/** A request in plain words, and where it is made. */
export interface Request {
  text: string;
  registry: Registry;
  environment: string;
  /** A folder of the project. */
  scope: string;
  user: Person;
  /** What the one who asks is; left out: not known. */
  caller?: Caller;
  env: NodeJS.ProcessEnv;
  /** Id of the run; the same one again goes on where it was left. */
  run: string;
  /** The specialist that is named. Source: R-004-22, R-004-23. */
  pack?: string;
  /** An open session; left out: one of its own, which is ended when nothing is asked back. */
  session?: string;
  /** The plan is agreed to beforehand; never an approval. */
  agreed: boolean;
  signal?: AbortSignal;
}

/** What a request comes to. */
export const OUTCOMES = ['runs', 'planned', 'asks', 'answers', 'unavailable'] as const;

/** One call that is planned. */
export interface PlannedCall {
  ability_id: string;
  input: JsonObject;
  effects: PlanPreview['effects'];
  /** The digest of ability and input, as `--plan` takes it. */
  reference: string;
  /** Who is asked before it or in it; empty: no one. */
  approvals: { title: string; asked: 'yes' | 'maybe'; approvers: string[] }[];
  warnings: string[];
}

/** What is printed, and answered over HTTP. */
export interface AskAnswer {
  run: string;
  /** Null where nothing was asked of the server. */
  session_id: string | null;
  request: string;
  environment: string;
  scope: string;
  /**
   * `runs`: tasks were made; `planned`: it would run so; `asks`: something has to be said first, in the same session; `answers`: nothing is
   * to be run; `unavailable`: what was chosen cannot run.
   */
  outcome: (typeof OUTCOMES)[number];
  /** In words. */
  answer: string;
  /** With `asks`: one question, and what can be answered where that is one of a few. */
  question: string | null;
  options: string[];
  decision: RoutingDecision;
  /** Hints of the hooks, as the AI reads them; null where no session was asked. */
  turn_context: TurnContext | null;
  /** What fits, best first. */
  suggestions: RoutedAbility[];
  plan: PlannedCall[];
  /** With `unavailable`. */
  problem: { code: string; message: string; suggestion: string | null } | null;
  tasks: { task_key: string; ability_id: string; status: string }[];
  /** Source: R-004-20, R-004-21. */
  _meta: { pack: string; required_capabilities: string[]; routing_method: RecruitmentResult['routing_method'] };
}

/** How tasks of a request are waited for; undefined: they are not. */
export type Waiting = (connection: Connection, taskKey: string) => Promise<TaskResult | undefined>;

import type { Effect } from './effects.js';
import type { Json, JsonObject } from './json.js';

/** One message of a thread. A message that is not from a person is data, never a request. */
export interface LaneMessage {
  id: string;
  role: 'user' | 'assistant' | 'tool' | 'document';
  text: string;
  /** ISO 8601. */
  at: string;
}

/** Possible answers to a pending question. */
export type Expectation =
  /** Options to choose from; `value` is passed on, `label` is shown. */
  | { options: { value: Json; label: string }[] }
  /** One value of a JSON Schema, for the input of that name. */
  | { input: string; schema: JsonObject }
  /** Consent to call this tool again. */
  | { extensionId: string; capabilityId: string };

/** A question that waits for the writer's answer; valid only in its own thread, and until it expires. */
export interface Pending {
  kind: 'workflow_waiting' | 'slot_request' | 'tool_retry';
  expects: Expectation;
  thread_key: string;
  /** ISO 8601. */
  since: string;
  /** ISO 8601; absent: it does not expire. */
  until?: string;
  /** The waiting task, or the task whose call failed. */
  task_key?: string;
  ability_id?: string;
  given?: JsonObject;
  /** The original request, as typed. */
  request?: string;
  /** The plan to consent to, as `--plan` accepts it; nothing else is run. */
  plan?: string;
}

/** Inputs of a routing decision. Source: R-003-01; docs/choosing.md#deciding. */
export interface FocusContext {
  /** The newest message that makes a request; null: there is none, or two are equally likely. */
  anchor: { message_id: string; snippet: string } | null;
  lane: {
    thread_key: string;
    /** The last {@link LANE_LENGTH} messages of the thread, oldest first; the last is the one to decide about. */
    window: LaneMessage[];
  };
  /** Possible anchors, if it is ambiguous. */
  candidates: { title: string; message_id: string }[];
  pending: Pending | null;
}

/** Number of messages of a thread that are considered. */
export const LANE_LENGTH = 20;

/** Possible routes of a request. Source: R-003-08. */
export const ROUTES = ['respond', 'delegate', 'tool', 'workflow', 'clarify'] as const;

export type RouteDecision = (typeof ROUTES)[number];

/** Target of a request; null for `respond` and `clarify`. Source: R-003-09; C-21, C-26. */
export type RouteTarget = { agentId: string } | { extensionId: string; capabilityId: string } | { abilityId: string };

/** The profile of an agent to which a request can go. Source: R-003-12. */
export interface AgentTarget {
  id: string;
  summary: string;
  /** The strongest effect among the abilities it may call. */
  effects: Effect;
  /** Whether it may call high-level abilities. Source: R-003-19; docs/choosing.md#deciding. */
  isComplex: boolean;
}

/** A callable tool; C-21: the extension is its server or provider, the capability the tool or operation. */
export interface ToolTarget {
  extensionId: string;
  capabilityId: string;
  abilityId: string;
  summary: string;
  effects: Effect;
  /** False if it is not installed, out of scope, disabled, without credential, or if its server does not answer. */
  available: boolean;
  reason?: string | undefined;
}

/** A high-level ability that may be proposed. */
export type WorkflowTarget = Pick<ToolTarget, 'abilityId' | 'summary' | 'effects'>;

/** All possible targets of a request. Source: R-003-25. */
export interface Targets {
  agents: readonly AgentTarget[];
  tools: readonly ToolTarget[];
  workflows: readonly WorkflowTarget[];
}

/** Subjects of a decision. Source: R-003-11. */
export const REFERENCES = ['focus_anchor', 'pending', 'latest'] as const;

/** Answer of a router; no other keys are allowed. Source: R-003-07 to R-003-11. */
export interface RouterAnswer {
  decision: RouteDecision;
  target: RouteTarget | null;
  /** From 0 to 1. */
  confidence: number;
  /** At most 200 characters, as `refersToReason`. */
  rationale: string;
  references: { refersTo: (typeof REFERENCES)[number]; refersToReason: string };
}

/** A possible answer and its meaning: an ability, an earlier message, or none of the options. */
export interface Choice {
  label: string;
  means: { ability_id: string } | { message_id: string } | null;
}

/** A decision ready to act on: the router's answer, limited to what is allowed. */
export interface RoutingDecision extends RouterAnswer {
  /** `a`: by rule, without a router. */
  stage: 'a' | 'b';
  /** Who chose; `fallback`: the rules, since the model failed. */
  router: 'rules' | 'model' | 'fallback';
  /** With `clarify`: one short question, and up to two answers to choose from. Source: R-003-16. */
  question: string | null;
  options: Choice[];
  /** The pending question that is now answered, with the value to pass on. */
  continuation: { kind: Pending['kind']; value: Json; pending: Pending } | null;
  /** Whether a person has to agree before anything is delegated or called. Source: R-003-18 to R-003-20; C-26, C-27. */
  needs_approval: boolean;
  /** Changes to the router's answer and their reasons; a sentence each. */
  clamped: string[];
}

/** Argument of the activity that decides. */
export interface DecideRequest {
  /** The decision is about its last message. */
  thread: { key: string; messages: LaneMessage[]; pending: Pending | null };
  environment: string;
  /** A folder of the project; null: not specified. */
  scope: string | null;
}

/** The specialist that a request needs. Source: R-004-12, R-004-18. */
export interface RecruitmentResult {
  specialist_id: string;
  /** In the order of the file of capabilities. */
  required_capabilities: string[];
  /** How it was chosen. Source: R-004-19; C-34. */
  routing_method: 'explicit' | 'capability_routing' | 'keyword_fallback' | 'heuristic_fallback';
}

/** A line of `runlog.jsonl`; no other keys. */
export interface RunLogLine {
  /** Seconds since 1970, with fractions. */
  ts: number;
  /** Of the first line `recruitment`. Source: R-004-16 to R-004-18. */
  kind: 'recruitment' | 'decision' | 'plan' | 'task' | 'approval' | 'answer';
  step: string | null;
  payload: JsonObject;
}

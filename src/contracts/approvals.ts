import type { Person } from './callers.js';
import type { Effect } from './effects.js';
import type { Json, JsonObject } from './json.js';

/** Subject of an approval; its digest is part of the approval's id. */
export interface ApprovalSubject {
  ability: string;
  implementation: string | null;
  environment: string;
  effects: Effect | null;
  input: Json;
  /** What takes the call back if the task fails later: the approval covers it. Absent: nothing does. */
  undo?: UndoSubject;
}

/** An undo as its approver sees it: what only the call's answer determines is shown as written. */
export type UndoSubject = {
  ability: string;
  effects: Effect;
  input: Json;
  /** It asks people again before it runs. */
  approval?: 'required';
};

/** One field that a decider fills in: a small part of JSON Schema, so that workflow code can check it. */
export interface ApprovalField {
  type: 'string' | 'number' | 'integer' | 'boolean';
  title?: string | undefined;
  description?: string | undefined;
  enum?: (string | number)[] | undefined;
  optional?: boolean | undefined;
}

/** Verdict of a decision: approved, denied, or denied until something changes. Source: docs/approvals.md#deciding. */
export type Verdict = 'approve' | 'deny' | 'request_changes';

/** More calls of the same kind that an approval allows. Source: docs/approvals.md#one-yes-for-what-is-alike. */
export interface Grant {
  /** Calls of the root task and of all that it calls, or of all tasks of its session. */
  for: GrantFor;
  /** The maximum number of calls, the approved one included. */
  up_to: number;
  /** Bare CEL over `input`, the input of a call; absent: any. */
  if?: string;
  /** How long it holds, in milliseconds; absent: a day. */
  for_ms?: number;
}

export type GrantFor = 'task' | 'session';

/** What allowed a call in place of people. */
export interface Granted {
  /** Id of the grant. */
  by: string;
  /** The task and the approval that it came from. */
  task_key: string;
  approval_id: string;
  /** Number of this call among those that the grant allows, the first one included. */
  use: number;
  of: number;
}

/** Proves who made a {@link ProvedDecision}. Source: docs/approvals.md#proof. */
export type DecisionProof = KeyProof | DoorProof;

/** HMAC; only prover and worker have its key. */
export interface KeyProof {
  /** 32 hex digits, made for this decision. */
  nonce: string;
  /** SHA-256 HMAC, 64 hex digits. */
  mac: string;
  /** Id of the token whose bearer decides; absent: the user who owns the runtime decides. */
  token?: string;
}

/** Signature of a door, which knows the person: it holds where workers do not trust the machine of the decider. */
export interface DoorProof extends Admitted {
  /** 32 hex digits, made for this decision. */
  nonce: string;
  /** The id of the door's key. */
  door: string;
  /** Ed25519, base64url. */
  signature: string;
}

/** As a decision, but a start may also come by a signed delivery, whose `subject` is the name of the webhook. */
export type Starter = Omit<Admitted, 'source'> & { source: Admitted['source'] | 'webhook' };

/** Signature of a door that knows who starts a task. */
export type StartProof = Starter & Omit<DoorProof, keyof Admitted>;

/** Whom a door admitted, and how. */
export interface Admitted {
  source: 'oidc' | 'token' | 'slack';
  /** Of the OpenID provider, or Slack's host; null for a token. */
  issuer: string | null;
  /** The provider's `sub`, the id of the token, or in Slack `<id of the team>/<id of the user>`. */
  subject: string;
  /** Groups of the provider's claim. */
  groups: string[];
}

/**
 * Provable deciders: the user of the operating system who owns the runtime, the bearer of a token, the person whom an
 * OpenID provider signed in, and the user of Slack whom `people` names.
 */
export type ProofSource = 'os_user' | 'token' | 'oidc' | 'slack';

/** Subject of a proof. The time identifies one instance of an approval, since its id may recur. */
export interface ProvedDecision {
  /** What is decided on. Not signed: the id of the approval is a digest of it. */
  what: { ability: string; environment: string };
  approval_id: string;
  /** ISO 8601. */
  raised_at: string;
  verdict: Verdict;
  by: string;
  comment: string | null;
  fields: Record<string, Json> | null;
  grant: Grant | null;
  denied_items: number[] | null;
}

/** Subject of a door's proof of who starts a task. */
export interface ProvedStart {
  /** Its workflow id. */
  task: string;
  ability: string;
  environment: string;
  /** SHA-256 of the input as it is given. */
  input: string;
  by: string;
  agent: string | null;
}

/** A decision as it arrives, by signal or door. */
export interface Decision {
  /** Chosen by the sender: repeated, the decision counts once, and the query `decision` answers its outcome. */
  id?: string;
  /** Optional while exactly one approval is open. */
  approval_id?: string;
  /** A person's name; a claim unless proved. */
  by?: string;
  comment?: string;
  /** What the approval asks for, and the input's fields that it allows to change, with their new values. */
  fields?: Record<string, Json>;
  /** As it was sent: it may have any form. So may `denied_items`: numbers of the items to deny, from 1. */
  grant?: unknown;
  denied_items?: unknown;
  /** For the signal `deny`: it requests changes, and the comment names them. */
  request_changes?: boolean;
  /** Required if the environment demands proof. */
  proof?: DecisionProof;
}

/** Who decided, and how that is known. Source: docs/approvals.md#proof. */
export interface Decider {
  name: string;
  source: 'claimed' | ProofSource;
  /** As in {@link Admitted}. */
  issuer?: string;
  subject?: string;
}

/** A decision that counted. */
export interface CountedDecision {
  decision: Verdict;
  by: Decider | 'unnamed';
  comment?: string;
  fields?: Record<string, Json>;
  grant?: Grant;
  denied_items?: number[];
  at: string;
  /** The person decided on their own request or change. */
  self: boolean;
}

/** A decision that did not count, and why. */
export interface IgnoredDecision {
  decision: string;
  by: string | null;
  reason: string;
  at: string;
}

/** A change of what is asked, made by a decision. */
export interface ApprovalEdit {
  by: Decider | 'unnamed';
  /** ISO 8601. */
  at: string;
  /** Names of the changed fields. */
  fields: string[];
  /** What was asked before: the input and the id of the approval. */
  from: { id: string; input: Json };
}

/** One call in the input of an approval of several. */
export type ListedCall = {
  /** Number of its item, from 1. */
  item: number;
  input: Json;
};

/** State of an approval. */
export type ApprovalStatus = 'open' | 'approved' | 'denied' | 'changes_requested' | 'expired' | 'cancelled';

/** Which decisions need a comment: none, each one, or refusals. */
export type CommentRule = 'optional' | 'required' | 'on_deny';

/** One approval, as kept in the task and shown to the approver. Times are ISO 8601. */
export interface Approval {
  id: string;
  /** The called task that requests the approval; absent: this task itself. */
  task?: string;
  /** Step path, or `run` for the task itself. */
  path: string;
  title: string;
  what: ApprovalSubject;
  /** Hooks and rules of the environment that raised it. */
  reasons: string[];
  /** Names as written; empty: anyone. */
  approvers: string[];
  people: string[];
  /** Groups of an OpenID claim whose members may decide, with proof. */
  groups: string[];
  quorum: number;
  self_approval: boolean;
  /** Only decisions with a proof count; absent: claims count as well. */
  proof?: 'required';
  /** Nonces of the verified proofs, so that none counts twice. */
  nonces?: string[];
  comment: CommentRule;
  fields?: Record<string, ApprovalField>;
  /** Number of the items of a `foreach` whose calls it is for: the input lists them as {@link ListedCall}. Absent: it is for one. */
  items?: number;
  /** What a grant may be for; absent: no grant can come of it. */
  grants?: GrantFor[];
  /** Id of the grant that came of it. */
  grant_id?: string;
  /** A grant has approved it, and no one was asked or had to decide. */
  granted?: Granted;
  /** Fields of the input that a decision may change, with their schemas. Absent: none. */
  edit?: Record<string, JsonObject>;
  /** How decisions changed the input, in order; `what` and `id` are those of the last one. */
  edited?: ApprovalEdit[];
  requested_by: Person;
  /** Names of those who changed the input later; the rules for the requester apply to them, too. */
  changed_by?: string[];
  raised_at: string;
  expires_at: string;
  /** From then on others may decide as well, since no one had. */
  escalated_at?: string;
  /** People are asked ahead of the task, which runs then. Source: docs/schedules.md#approved-before. */
  due_at?: string;
  /** When the task came to what was approved ahead: that counts once. */
  used_at?: string;
  status: ApprovalStatus;
  decisions: CountedDecision[];
  ignored: IgnoredDecision[];
}

/** What became of a decision; the query `decision` answers it. */
export type DecisionOutcome =
  | { counted: true; approval_id: string; status: ApprovalStatus; missing: number }
  | { counted: false; approval_id: string | null; reason: string; code?: string };

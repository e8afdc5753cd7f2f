import type { CallContext } from './activities.js';
import type { Decider, Granted, GrantFor } from './approvals.js';
import type { Person } from './callers.js';
import type { JsonObject } from './json.js';
import type { PlanEnvironment, PlanOperation } from './plan.js';

/** What a grant is bound to: all of it, byte by byte; its digest is the id of the grant. */
export interface GrantBinding {
  format: 1;
  project: string;
  /** The root task by its first run, or the session by its first run and whose tasks it serves. */
  scope: { task: string; run: string } | { session: string; run: string; user: Person; caller: string | null };
  operation: PlanOperation;
  /** The ability that takes the call back, and whether it asks people itself; null: none. */
  undo: { operation: PlanOperation; asks: boolean } | null;
  environment: PlanEnvironment;
  /** Who changed the input of the task, since rules for the requester apply to them, too. */
  changed_by: string[];
}

/** A grant as a worker has sealed it, the only argument of its workflow. Times are ISO 8601. */
export interface GrantStart {
  format: 1;
  project: string;
  /** The first 16 hex digits of `bound`. */
  id: string;
  /** Digest of the {@link GrantBinding}. */
  bound: string;
  for: GrantFor;
  ability: string;
  environment: string;
  /** The root task, and its first run. */
  task: string;
  run: string;
  session: string | null;
  /** The reasons that its approvers have seen: a call with another one asks people. */
  reasons: string[];
  /** Conditions over `input`, all of which a call must meet. */
  if: string[];
  up_to: number;
  expires_at: string;
  by: (Decider | 'unnamed')[];
  task_key: string;
  approval_id: string;
  /** The run that starts it: Temporal must name the same as its parent. */
  parent: { workflowId: string; runId: string };
}

export type SealedGrant = GrantStart & { key_id: string; mac: string };

/** One call that a grant has allowed. */
export interface GrantUse extends Pick<Granted, 'task_key' | 'approval_id'> {
  /** The same for each attempt, so that it counts once. */
  id: string;
}

/** How a grant ended; `stopped`: its workflow was cancelled or terminated in Temporal. */
export type GrantEnd = 'used_up' | 'expired' | 'revoked' | 'task_ended' | 'stopped';

/** The state of a grant; its query answers it. */
export interface GrantView extends Omit<GrantStart, 'format' | 'project' | 'bound' | 'run' | 'parent'> {
  status: 'open' | GrantEnd;
  /** Number of calls, the approved one included. */
  used: number;
  uses: (GrantUse & { at: string })[];
  /** A claim; absent: no one has. */
  revoked_by?: string;
  ended_at: string | null;
}

/** The call that a grant is made of, or asked for. */
export interface GrantedCall {
  /** Key of the called operation. */
  operation: string;
  /** Key of the one that takes it back, and whether it asks people itself; null: none. */
  undo: { operation: string; asks: boolean } | null;
  reasons: string[];
  changed_by: string[];
}

/** Argument of the local activity that seals a grant. */
export interface SealGrantRequest extends CallContext, GrantedCall {
  grant: Pick<GrantStart, 'for' | 'if' | 'up_to' | 'expires_at' | 'by' | 'task_key' | 'approval_id'>;
}

/** Argument of the local activity that looks for a grant. */
export interface FindGrantRequest extends CallContext, GrantedCall {
  input: JsonObject;
}

/** The grant that may allow a call: which run counts its use. */
export type FoundGrant = Omit<Granted, 'use'> & { workflowId: string; runId: string };

/** Argument of the activity that uses a grant. */
export interface UseGrantRequest extends CallContext {
  grant: Pick<FoundGrant, 'workflowId' | 'runId'>;
  use: GrantUse;
}

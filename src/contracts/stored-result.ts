import type { TaskResult } from '../operations/task-result.js';
import type { Approval } from './approvals.js';
import type { HookAnswer, Phase } from './hooks.js';
import type { StepSummary } from './task-parts.js';

/** Answers that only allowed, one entry per hook and phase. */
export interface Allowed {
  hook_id: string;
  phase: Phase;
  paths: string[];
  /** Positions of its answers among those of the task, from 0. */
  at: number[];
  /** Duration of each, in milliseconds; null if not measured. Absent: none was measured. */
  ms?: (number | null)[];
}

/** A step, without the fields that follow from its id. */
export type StoredStep = Pick<StepSummary, 'id' | 'status'> & Partial<StepSummary>;

/** An approval, without the fields that most approvals share. */
export type StoredApproval = Omit<Approval, UsualOfApproval> & Partial<Pick<Approval, UsualOfApproval>>;
type UsualOfApproval = 'approvers' | 'people' | 'quorum' | 'self_approval' | 'comment' | 'ignored' | 'requested_by';

/** What a reader has from the id, the memo and the times of the workflow. */
type Known = 'task_key' | 'ability_id' | 'environment' | 'intent' | 'links' | 'waiting' | 'project' | 'finished_at';

type Kept = Omit<TaskResult, Known | 'steps' | 'approvals' | 'hooks'>;

/**
 * The result of a task in its history. Every task pays for each field, so empty and derivable ones are left out.
 * Source: docs/architecture.md#the-cost-rule.
 */
export interface StoredResult extends Pick<Kept, 'status' | 'output'>, Partial<Omit<Kept, 'status' | 'output'>> {
  steps: StoredStep[];
  approvals?: StoredApproval[];
  /** Milliseconds from `started_at` to the end. */
  took_ms?: number;
  allowed?: Allowed[];
  /** Answers that did more than allow, each with its position among all. */
  answers?: [at: number, answer: HookAnswer][];
}

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

/** The fields of a result that a reader needs besides the id, the memo and the times of the workflow. */
type Kept = Pick<TaskResult, 'status' | 'output'> &
  Partial<
    Pick<
      TaskResult,
      | 'version'
      | 'digest'
      | 'error'
      | 'warnings'
      | 'requested_by'
      | 'caller'
      | 'started_at'
      | 'cleanup_ran'
      | 'rolled_back'
      | 'not_undone'
      | 'worked_ms'
      | 'answer'
      | 'agent'
      | 'concurrency'
      | 'files'
      | 'changes'
      | 'changes_left'
    >
  >;

/**
 * The result of a task in its history. Every task pays for each field, so empty and derivable ones are left out.
 * Source: docs/architecture.md#the-cost-rule.
 */
export interface StoredResult extends Kept {
  steps: StoredStep[];
  approvals?: StoredApproval[];
  /** Milliseconds from `started_at` to the end. */
  took_ms?: number;
  allowed?: Allowed[];
  /** Answers that did more than allow, each with its position among all. */
  answers?: [at: number, answer: HookAnswer][];
}

import type { JsonObject } from '../../contracts/json.js';
import type { PlanOperation, PlanRetry } from '../../contracts/plan.js';
import type { Budget } from '../task/budget.js';
import type { Halt } from '../task/halt.js';

/** One call of a low-level ability. */
export interface OperationCall {
  path: string;
  id: string;
  operation: PlanOperation;
  input: JsonObject;
  /** Durations already read, in milliseconds. */
  retry: (Omit<PlanRetry, 'first' | 'max'> & { firstMs: number; maxMs: number }) | undefined;
  /** For all attempts together. */
  timeoutMs: number | undefined;
  /** Whether its author allowed that it is ended while it is at work. */
  mayBeCut: boolean;
  /** Attempt of each retried group around it, from the outside in. */
  groups: readonly number[];
  halt: Halt;
  budget: Budget;
}

/** A call that ends this close to the end of its budget ended because of it. */
export const SLACK_MS = 100;

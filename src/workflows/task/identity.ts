import { workflowInfo } from '@temporalio/workflow';
import type { CallContext } from '../../contracts/activities.js';
import { FIRST_CEL } from '../../contracts/names.js';
import type { Plan, PlanStep } from '../../contracts/plan.js';
import type { TaskStart } from '../../contracts/task.js';
import { childPlan } from '../../rules/plans/child-plan.js';
import { isSinceEngine2 } from '../../rules/plans/engine-version.js';
import { sealMark } from '../../rules/plans/seal-mark.js';
import { allSteps } from '../../rules/steps/find-step.js';

/** Identity and start arguments of a task: constant during a run. */
export class TaskIdentity {
  readonly plan: Plan;
  /** Goes with every request to an activity. */
  readonly context: CallContext;
  /** Creation time of its first run. */
  readonly createdAt: string;
  /** Version of how its expressions are read. */
  readonly cel: string;
  readonly isSinceEngine2: boolean;
  /** The steps of the plan with their paths; `*` stands for the number of a turn. */
  readonly listed: { step: PlanStep; path: string }[];

  constructor(readonly start: TaskStart) {
    const { plan, seal, child, carried, changed } = start;
    this.plan = child ? childPlan(plan, child.ability) : plan;
    this.context = { seal: sealMark(seal) };
    this.createdAt = carried?.created_at ?? changed?.created_at ?? workflowInfo().startTime.toISOString();
    this.cel = this.plan.cel ?? FIRST_CEL;
    this.isSinceEngine2 = isSinceEngine2(this.plan);
    this.listed = allSteps(this.plan);
  }

  /** Workflow id: the task key, `direct:<uuid>`, or for a child the caller's id and the path of the call. */
  get id(): string {
    return this.start.child ? workflowInfo().workflowId : this.start.seal.task;
  }

  /** Null for a direct run, which promises no key. */
  get key(): string | null {
    return this.id.includes(':') ? null : this.id;
  }

  /** Value of `now()`, in milliseconds since 1970: the time of the workflow, so that a replay sees the same. */
  now(): number {
    return Date.now() + (this.plan.clock_shift_ms ?? 0);
  }

  /** A moment of this task, ISO 8601, on the clock of {@link now}. */
  shifted(moment: string): string {
    const { clock_shift_ms: shift } = this.plan;
    return shift === undefined ? moment : new Date(Date.parse(moment) + shift).toISOString();
  }
}

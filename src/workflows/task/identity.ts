import { workflowInfo } from '@temporalio/workflow';
import type { CallContext } from '../../contracts/activities.js';
import type { Plan, PlanStep } from '../../contracts/plan.js';
import type { TaskStart } from '../../contracts/task.js';
import { childPlan } from '../../rules/plans/child-plan.js';
import { sealMark } from '../../rules/plans/plan-digest.js';
import { allSteps } from '../../rules/steps/step-tree.js';
import { keyOf } from '../../rules/tasks/task-ids.js';

export class TaskIdentity {
  readonly plan: Plan;
  /** Part of each request to an activity. */
  readonly context: CallContext;
  /** Creation time of its first run. */
  readonly createdAt: string;
  /** The plan's steps by path; `*` stands for a turn number. */
  readonly listed: { step: PlanStep; path: string }[];

  constructor(readonly start: TaskStart) {
    const { plan, seal, child, created_at } = start;
    this.plan = child ? childPlan(plan, child.ability) : plan;
    this.context = { seal: sealMark(seal) };
    this.createdAt = created_at ?? workflowInfo().startTime.toISOString();
    this.listed = allSteps(this.plan);
  }

  /** Workflow id: the task key, `direct:<uuid>`, or for a child the caller's id and the path of the call. */
  get id(): string {
    return this.start.child ? workflowInfo().workflowId : this.start.seal.task;
  }

  /** Null for a direct run. */
  get key(): string | null {
    return keyOf(this.id);
  }

  /** Value of `now()`, ms since 1970: workflow time, so that replays see the same. */
  now(): number {
    return Date.now() + (this.plan.clock_shift_ms ?? 0);
  }

  /** Shifts a time (ISO 8601) to the clock of {@link now}. */
  shifted(moment: string): string {
    const { clock_shift_ms: shift } = this.plan;
    return shift === undefined ? moment : new Date(Date.parse(moment) + shift).toISOString();
  }
}

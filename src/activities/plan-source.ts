import type { Plan } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import type { Seal } from '../contracts/seal.js';
import type { TaskStart } from '../contracts/task.js';
import { type SealKeys, verifySeal } from '../planning/seal.js';
import { digestOf } from '../rules/canonical.js';
import { childPlan } from '../rules/child-plan.js';

/** The workflow run an activity belongs to. */
export interface RunRef {
  workflowId: string;
  runId: string;
}

/** The workflow run that called another one; undefined for one that nobody called. */
export type ReadParent = (run: RunRef) => Promise<RunRef | undefined>;

/** Reads the argument a workflow run was started with, from the first event of its history. */
export type ReadStart = (run: RunRef) => Promise<TaskStart>;

const MOST_PLANS = 500;
const MOST_ADMITTED = 5000;

/**
 * Finds the plan of an activity by its digest, and admits only activities of tasks that passed preflight.
 *
 * Plans come from memory, else from the first event of the task's own history; a seal is checked once a task and
 * worker. Source: design, section 6.
 */
export class PlanSource {
  private readonly plans = new Map<string, Promise<Plan>>();
  private readonly admitted = new Map<string, string>();

  constructor(
    private readonly keys: SealKeys,
    private readonly readStart: ReadStart,
    private readonly readParent: ReadParent,
  ) {}

  /** Keeps a plan that was just made here. */
  keep(digest: string, plan: Plan): void {
    this.plans.delete(digest);
    if (this.plans.size >= MOST_PLANS) this.plans.delete(this.plans.keys().next().value as string);
    this.plans.set(digest, Promise.resolve(plan));
  }

  /**
   * @param child the workflow that asks, where the task called it; its steps are then those of the plan.
   * @throws AbilityError `seal.invalid`, `seal.unknown_key`, `engine.unsupported`.
   */
  async admit(seal: Seal | undefined, run: RunRef | undefined, child?: string): Promise<Plan> {
    if (!seal || !run) throw outsider();
    if (this.admitted.get(run.workflowId) !== seal.mac) {
      verifySeal(seal, { task: seal.task }, this.keys);
      if (!(await this.descends(run, seal.task))) throw outsider();
      if (this.admitted.size >= MOST_ADMITTED) this.admitted.clear();
      this.admitted.set(run.workflowId, seal.mac);
    }
    const plan = await this.find(seal.plan, run);
    return child === undefined ? plan : childPlan(plan, child);
  }

  /** Whether a run is that of the sealed task, or of one that it called, directly or not. */
  private async descends(run: RunRef, task: string): Promise<boolean> {
    for (let at: RunRef | undefined = run; at; at = await this.readParent(at)) {
      if (at.workflowId === task) return true;
      if (!at.workflowId.startsWith(`${task}/`)) return false;
    }
    return false;
  }

  private find(digest: string, run: RunRef): Promise<Plan> {
    const known = this.plans.get(digest);
    if (known) return known;
    const reading = this.readPlan(digest, run);
    this.plans.set(digest, reading);
    reading.catch(() => this.plans.delete(digest));
    return reading;
  }

  private async readPlan(digest: string, run: RunRef): Promise<Plan> {
    const { plan } = await this.readStart(run);
    if (digestOf(plan) === digest) return plan;
    throw new AbilityError({
      code: 'seal.invalid',
      message: `The plan of ${run.workflowId} is not the one that was sealed`,
      suggestion: 'Create tasks through Ability Runtime.',
    });
  }
}

function outsider(): AbilityError {
  return new AbilityError({
    code: 'seal.invalid',
    message: 'This activity was not asked for by a task that passed preflight',
    suggestion: 'Create tasks through Ability Runtime; activities are never started by hand.',
  });
}

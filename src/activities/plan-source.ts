import type { Plan } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import type { Seal } from '../contracts/seal.js';
import type { TaskStart } from '../contracts/task.js';
import { type SealKeys, verifySeal } from '../planning/seal.js';
import { digestOf } from '../rules/canonical.js';

/** The workflow run an activity belongs to. */
export interface RunRef {
  workflowId: string;
  runId: string;
}

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
  ) {}

  /** Keeps a plan that was just made here. */
  keep(digest: string, plan: Plan): void {
    this.plans.delete(digest);
    if (this.plans.size >= MOST_PLANS) this.plans.delete(this.plans.keys().next().value as string);
    this.plans.set(digest, Promise.resolve(plan));
  }

  /** @throws AbilityError `seal.invalid`, `seal.unknown_key`, `engine.unsupported`. */
  async admit(seal: Seal | undefined, run: RunRef | undefined): Promise<Plan> {
    if (!seal || !run) throw outsider();
    if (this.admitted.get(run.workflowId) !== seal.mac) {
      verifySeal(seal, { task: run.workflowId }, this.keys);
      if (this.admitted.size >= MOST_ADMITTED) this.admitted.clear();
      this.admitted.set(run.workflowId, seal.mac);
    }
    return this.find(seal.plan, run);
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

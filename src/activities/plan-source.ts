import type { Plan } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import type { TaskStart } from '../contracts/task.js';
import { type SealKeys, verifySeal } from '../planning/seal.js';
import { digestOf } from '../rules/canonical.js';
import { childPlan } from '../rules/child-plan.js';
import { whyNotThisBuild } from '../rules/engine.js';
import { sealMark } from '../rules/seal-mark.js';

/** The workflow run an activity belongs to. */
export interface RunRef {
  workflowId: string;
  runId: string;
}

/** The workflow run that called another one; undefined for one that nobody called. */
export type ReadParent = (run: RunRef) => Promise<RunRef | undefined>;

/** Reads what a workflow run was started with, from the first event of its history; undefined for what is no task. */
export type ReadStart = (run: RunRef) => Promise<TaskStart | undefined>;

/** What a task was started with, as far as its activities need it. */
export type TaskOrigin = Pick<TaskStart, 'seal' | 'user' | 'session'>;

/** An activity that may run: its task, and the plan it is part of. */
export interface Admitted extends TaskOrigin {
  plan: Plan;
}

/** The origin of one run, and the workflow it is, where another task called it. */
type RunOrigin = TaskOrigin & { child?: string };

const MOST_PLANS = 500;
const MOST_ADMITTED = 5000;

/**
 * Finds the plan and the seal of an activity, and admits only activities of tasks that passed preflight.
 *
 * Both come from memory, where this worker did the preflight, else from the first event of the task's own history; a
 * seal is checked once a run and worker. Source: design, section 6.
 */
export class PlanSource {
  private readonly plans = new Map<string, Promise<Plan>>();
  /** By the workflow id of tasks that may be started next. */
  private readonly expected = new Map<string, TaskOrigin & { mark: string }>();
  /** By the run. */
  private readonly admitted = new Map<string, RunOrigin>();

  constructor(
    private readonly keys: SealKeys,
    private readonly readStart: ReadStart,
    private readonly readParent: ReadParent,
  ) {}

  /** Keeps what was just resolved and sealed here. */
  keep(plan: Plan, origin: TaskOrigin): void {
    const { plan: digest, task } = origin.seal;
    put(this.plans, digest, Promise.resolve(plan), MOST_PLANS);
    put(this.expected, task, { ...origin, mark: sealMark(origin.seal) }, MOST_ADMITTED);
  }

  /**
   * @param mark of the seal under which the activity was asked for.
   * @throws AbilityError `seal.invalid`, `seal.unknown_key`, `engine.unsupported`.
   */
  async admit(mark: string | undefined, run: RunRef | undefined): Promise<Admitted> {
    if (!run) throw outsider();
    const { child, ...origin } = this.admitted.get(run.runId) ?? (await this.examine(mark, run));
    const plan = await this.find(origin.seal.plan, run);
    refuseOtherEngine(plan);
    return { ...origin, plan: child === undefined ? plan : childPlan(plan, child) };
  }

  /** Several callers may have asked for the same key; the mark tells whether what is expected is what was started. */
  private async examine(mark: string | undefined, run: RunRef): Promise<RunOrigin> {
    const expected = this.expected.get(run.workflowId);
    const isIt = expected !== undefined && expected.mark === mark;
    const start = isIt ? undefined : await this.readStart(run);
    const origin = isIt ? originOf(expected) : originIn(start);
    // What is expected was signed here.
    if (!isIt) verifySeal(origin.seal, { task: origin.seal.task }, this.keys);
    const isRoot = run.workflowId === origin.seal.task;
    if (isRoot ? origin.child !== undefined : !(await this.descends(run, origin.seal.task))) throw outsider();
    put(this.admitted, run.runId, origin, MOST_ADMITTED);
    this.expected.delete(run.workflowId);
    // It was read for the seal already, and need not be read for the plan.
    if (start && !this.plans.has(origin.seal.plan)) this.keepPlan(start.plan, origin.seal.plan);
    return origin;
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

  private keepPlan(plan: Plan, digest: string): void {
    if (digestOf(plan) === digest) put(this.plans, digest, Promise.resolve(plan), MOST_PLANS);
  }

  private async readPlan(digest: string, run: RunRef): Promise<Plan> {
    const start = await this.readStart(run);
    if (start && digestOf(start.plan) === digest) return start.plan;
    throw new AbilityError({
      code: 'seal.invalid',
      message: `The plan of ${run.workflowId} is not the one that was sealed`,
      suggestion: 'Create tasks through Ability Runtime.',
    });
  }
}

/** Calls and their expressions may be taken by a worker of another build than the one that runs the workflow. */
function refuseOtherEngine(plan: Plan): void {
  const message = whyNotThisBuild(plan);
  if (message === undefined) return;
  const suggestion = 'Start a worker of the version that made the plan, or a newer one.';
  throw new AbilityError({ code: 'engine.unsupported', message, suggestion });
}

function originOf({ seal, user, session }: TaskOrigin): RunOrigin {
  return { seal, user, session };
}

/** A workflow that somebody started by hand may have been given anything. */
function originIn(start: TaskStart | undefined): RunOrigin {
  if (!start) throw outsider();
  const { seal, user, session, child } = start;
  return { seal, user, session, ...(child && { child: child.ability }) };
}

/** Sets an entry, dropping the oldest where there are too many. */
function put<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  if (map.size >= most) map.delete(map.keys().next().value as K);
  map.set(key, value);
}

function outsider(): AbilityError {
  return new AbilityError({
    code: 'seal.invalid',
    message: 'This activity was not asked for by a task that passed preflight',
    suggestion: 'Create tasks through Ability Runtime; activities are never started by hand.',
  });
}

import type { Caller } from '../contracts/callers.js';
import { heldQueueOf, type Placement, taskQueueOf, WORKFLOWS } from '../contracts/names.js';
import type { Notice } from '../contracts/notices.js';
import type { Plan } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import type { BegunTask, TaskOrigin } from '../contracts/run-sinks.js';
import { digestOf } from '../rules/canonical.js';
import { childPlan, whyNotThisBuild } from '../rules/plans/child-plan.js';
import { sealMark } from '../rules/plans/plan-digest.js';
import { callerOf } from '../rules/tasks/persons.js';
import { BoundedMap } from './bounded-map.js';
import { type SealKeys, sealInvalid, verifySeal } from './seal.js';
import { type KnownRun, type ReadRun, type RunRef, Runs } from './task/runs.js';

/** The origin of an activity request, as Temporal reports it. */
export interface RequestedBy {
  workflowExecution?: RunRef | undefined;
  taskQueue: string;
}

/** An activity that may run: its task, and the plan it is part of. */
export interface Admitted extends TaskOrigin {
  plan: Plan;
  /** Plan of the topmost calling task; the same as `plan` if no task called this one. */
  root: Plan;
  /** Who started the task; undefined: not known. */
  caller: Caller | undefined;
  /** Id of the first run of the topmost calling task. */
  rootRun: string;
}

/** Run chains verified back to their first run, which Temporal deletes before the last one. */
export interface CheckedChains {
  has(first: string): Promise<boolean>;
  keep(first: string): Promise<void>;
}

/** Task and seal mark of a run; `child` is its workflow type if another task called it. */
type RunOrigin = TaskOrigin & { mark: string; child?: string; rootRun: string };

const FOREIGN = 'Create tasks through Ability Runtime, and check who else writes to the namespace.';
const MAX_PLANS = 500;
const MAX_ADMITTED = 5000;

/**
 * Finds the plan and the seal of an activity. Admits only activities of tasks that passed preflight, requested by
 * the task's workflow over the queue of its environment. Plan and seal are not secret, so a run that carries them
 * may execute foreign code. A run's first event decides: its type must be the plan's ability, its queue one that
 * only workers of the project poll; the same applies to the first run of a chain and to the runs that called it. A
 * worker knows what its own runs began with, and reads it of others once.
 */
export class Admission {
  readonly runs: Runs;
  private readonly plans = new BoundedMap<string, Promise<Plan>>(MAX_PLANS);
  /** By run id. */
  private readonly admitted = new BoundedMap<string, RunOrigin>(MAX_ADMITTED);

  /** @param project that the worker serves; two projects can share one queue name. */
  constructor(
    private readonly project: string,
    private readonly keys: SealKeys,
    private readonly readRun: ReadRun,
    readonly chains: CheckedChains,
    private readonly placements: () => readonly Placement[],
  ) {
    this.runs = new Runs(readRun);
  }

  keep(plan: Plan, digest: string): void {
    this.plans.set(digest, Promise.resolve(plan));
  }

  /** Records a run that this worker executes. @param begun its workflow's report; null: not a task. */
  note(run: Omit<KnownRun, 'task'>, begun: BegunTask | null): void {
    if (!begun) {
      this.runs.note(run);
      return;
    }
    this.runs.note({ ...run, task: begun });
  }

  /** @param mark of the seal. @throws AbilityError `seal.invalid`, `seal.unknown_key`, `engine.unsupported`. */
  async admit(mark: string, { workflowExecution: run, taskQueue }: RequestedBy): Promise<Admitted> {
    if (!run) throw outsider();
    const { child, mark: own, ...origin } = this.admitted.get(run.runId) ?? (await this.examine(run));
    if (mark !== own) throw outsider();
    const root = await this.find(origin.seal.plan, run);
    refuseOtherQueue(root, run, taskQueue);
    refuseOtherEngine(root);
    const caller = callerOf({ ...origin, child });
    return { ...origin, caller, root, plan: child === undefined ? root : childPlan(root, child) };
  }

  /** Refuses a run that passed no preflight. @throws AbilityError `seal.invalid`, `seal.unknown_key`. */
  async vouchFor(run: RunRef): Promise<void> {
    if (!this.admitted.has(run.runId)) await this.examine(run);
  }

  /** The plan of the task that started this notice. @throws AbilityError `seal.invalid`, `seal.unknown_key`. */
  async admitNotice(info: Pick<RequestedBy, 'workflowExecution'>): Promise<Plan> {
    const parent = await this.notifiedBy(info);
    if (!parent) throw outsider();
    const origin = this.admitted.get(parent.runId) ?? (await this.examine(parent));
    return this.find(origin.seal.plan, parent);
  }

  /**
   * Refuses the notice of a task without a plan unless that task was started as this project starts it. A missed firing
   * has no task. @throws AbilityError `seal.invalid`.
   */
  async refuseForeignNotice(info: Pick<RequestedBy, 'workflowExecution'>, notice: Notice): Promise<void> {
    const parent = await this.notifiedBy(info);
    const { task_key, ability, environment } = notice;
    if ((parent?.workflowId ?? null) !== task_key) throw outsider();
    if (!parent) return;
    await this.refuseForeignStart(parent, ability, this.queuesOf(environment));
  }

  /** The queues of an environment of the project, on which its own workers alone run workflows. */
  queuesOf(environment: string): string[] {
    return this.placements().map((placement) => taskQueueOf(this.project, environment, placement));
  }

  private async notifiedBy({ workflowExecution: run }: Pick<RequestedBy, 'workflowExecution'>) {
    const found = run && (await this.findRun(run));
    if (found?.type !== WORKFLOWS.notify) throw outsider();
    return found.parent;
  }

  /** Refuses a preflight of a run that was not started as this ability on one of these queues, or eagerly. */
  async refuseForeignStart(ref: RunRef, ability: string, queues: string[]): Promise<void> {
    const run = await this.runs.find(ref);
    if (!run) throw outsider();
    refuseOtherStart(run, ability, queues);
  }

  private async examine(run: RunRef): Promise<RunOrigin> {
    const found = await this.findRun(run);
    const task = found?.task;
    if (!task) throw outsider();
    verifySeal(task.seal, { task: task.seal.task }, this.keys);
    const root = await this.find(task.seal.plan, run);
    refuseOtherProject(root, run, this.project);
    const rootRun = await this.refuseForeign(found, root, task.seal.task);
    const origin = { ...task, mark: sealMark(task.seal), rootRun };
    this.admitted.set(run.runId, origin);
    return origin;
  }

  /**
   * Follows a run up to the run of the sealed task; each run on the way must match the plan. @returns the first run of the
   * sealed task.
   */
  private async refuseForeign(run: KnownRun, root: Plan, task: string): Promise<string> {
    let at: KnownRun | undefined = run;
    for (;;) {
      const isRoot = at.workflowId === task;
      if (isRoot !== (at.task?.child === undefined)) throw outsider();
      const type = at.task?.child ?? root.ability.id;
      refuseOtherStart(at, type, [taskQueueOf(root.project, root.environment.name, root.placement)]);
      await this.refuseForeignChain(at, root, type);
      if (isRoot) return at.first ?? at.runId;
      at = at.workflowId.startsWith(`${task}/`) && at.parent ? await this.findRun(at.parent) : undefined;
      if (!at) throw outsider();
    }
  }

  /** A run takes over the results of an earlier one, so the first one must have been a task as well. */
  private async refuseForeignChain({ workflowId, first }: KnownRun, root: Plan, type: string): Promise<void> {
    if (first === undefined || (await this.chains.has(first))) return;
    const begun = await this.findRun({ workflowId, runId: first });
    if (!begun) throw forgotten(workflowId, first);
    // A change of the input may have moved the task to the queue of another placement.
    refuseOtherStart(begun, type, this.queuesOf(root.environment.name));
    await this.chains.keep(first);
  }

  private findRun(run: RunRef): Promise<KnownRun | undefined> {
    return this.runs.find(run, (plan, digest) => {
      if (!this.plans.has(digest)) this.keepPlan(plan, digest);
    });
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
    if (digestOf(plan) === digest) this.plans.set(digest, Promise.resolve(plan));
  }

  private async readPlan(digest: string, run: RunRef): Promise<Plan> {
    const start = await this.readRun(run);
    if (start?.task && digestOf(start.task.plan) === digest) return start.task.plan;
    throw sealInvalid(`The plan of ${run.workflowId} is not the one that was sealed`);
  }
}

/** While a release replaces another, a worker may receive a call, and its expressions, of a workflow of the other one. */
function refuseOtherEngine(plan: Plan): void {
  const message = whyNotThisBuild(plan);
  if (message === undefined) return;
  const suggestion = 'Start a worker of the version that made the plan, or a newer one.';
  throw new AbilityError({ code: 'engine.unsupported', message, suggestion });
}

function refuseOtherStart({ workflowId, type, taskQueue, eager }: KnownRun, wanted: string, queues: string[]): void {
  if (eager) throw startedEagerly(workflowId);
  if (type === wanted && queues.includes(taskQueue)) return;
  throw sealInvalid(
    `${workflowId} was started as ${type} on the queue ${taskQueue}; its plan is that of ${wanted} on ${queues.join(' or ')}`,
    FOREIGN,
  );
}

/** A seal of one environment is not valid in another one. */
function refuseOtherQueue({ project, environment, placement }: Plan, run: RunRef, taskQueue: string): void {
  const planned = taskQueueOf(project, environment.name, placement);
  if (taskQueue === planned || taskQueue.startsWith(heldQueueOf(planned, ''))) return;
  throw sealInvalid(
    `${run.workflowId} is planned for the queue ${planned}, but requested this activity on ${taskQueue}`,
    FOREIGN,
  );
}

/** Queue names join project and environment, so `a-b` with `c` and `a` with `b-c` share one. */
function refuseOtherProject({ project }: Plan, run: RunRef, own: string): void {
  if (project === own) return;
  throw sealInvalid(
    `${run.workflowId} is a task of the project ${project}, and this worker serves ${own}`,
    `Check whether project and environment names of ${project} and of ${own} result in the same task queue; if so, rename one.`,
  );
}

/** With an eager start, the client itself gets the first workflow task, whatever queue it names. */
function startedEagerly(workflowId: string): AbilityError {
  return sealInvalid(
    `${workflowId} was started eagerly, so that the client that started it may have decided what it does`,
    FOREIGN,
  );
}

function forgotten(workflowId: string, first: string): AbilityError {
  return sealInvalid(
    `${workflowId} continues the run ${first}, which Temporal no longer has, so how it was started can no longer be checked`,
    'Let the workers of the environment share ABILITY_STORE; run the ability again.',
  );
}

function outsider(): AbilityError {
  return sealInvalid(
    'This activity was not requested by a task that passed preflight',
    'Create tasks through Ability Runtime; activities are never started by hand.',
  );
}

import { uuid4, workflowInfo } from '@temporalio/workflow';
import type { Approval } from '../contracts/approvals.js';
import type { HookAnswer } from '../contracts/hooks.js';
import type { Json } from '../contracts/json.js';
import type { PlanStep } from '../contracts/plan.js';
import type { Problem } from '../contracts/problem.js';
import { isStepEnd, type TaskState } from '../contracts/states.js';
import type { Progress, StepProgress, StepSummary, TaskStart } from '../contracts/task.js';
import type { Scope } from '../rules/expressions/evaluate.js';
import { TaskBudget } from './budget.js';

/** A step as the plan has it, with the path at which it runs when no loop repeats it. */
export interface ListedStep {
  step: PlanStep;
  path: string;
}

/** A result lists every step, so what each one says of its error is short; the error of the task is whole. */
const MOST_OF_A_MESSAGE = 300;

/** Everything one run of a task knows. Progress is data: whoever has this map can go on. Source: design, section 6. */
export class TaskRun {
  state: TaskState = 'created';
  /** Set once the steps are done, for the expressions of `finally`. */
  ending: { status: TaskState; error: Problem | null } | undefined;
  runRequested: boolean;
  startedAt: string | undefined;
  finishedAt: string | undefined;
  cleanupRan: boolean | null = null;
  readonly progress: Progress;
  readonly approvals: Approval[] = [];
  readonly hooks: HookAnswer[];
  readonly warnings: string[];
  /** Hooks after calls that nobody waits for yet. */
  readonly pendingHooks = new Set<Promise<void>>();
  readonly budget: TaskBudget;
  readonly createdAt: string;
  /** Called whenever something changed that people watch. */
  onChange: () => void = () => {};
  private readonly listed: ListedStep[];
  private readonly stepValues: { [id: string]: { output: Json; status: string; error: Json } } = {};

  constructor(readonly start: TaskStart) {
    const { plan } = start;
    this.runRequested = start.run;
    this.progress = { ...start.progress };
    this.warnings = [...start.warnings];
    this.hooks = [...(start.hooks ?? [])];
    this.budget = new TaskBudget(plan.limits.task_ms);
    this.createdAt = workflowInfo().startTime.toISOString();
    this.listed = listSteps(plan.steps, '').concat(listSteps(plan.finally, ''));
    for (const { step, path } of this.listed) this.showStep(step.id, this.progress[path] ?? { status: 'pending' });
  }

  /** Workflow id: the task key, or `direct:<uuid>`. */
  get task(): string {
    return this.start.seal.task;
  }

  /** Null for a direct run, which promises no key. */
  get taskKey(): string | null {
    return this.task.includes(':') ? null : this.task;
  }

  /** Notes what became of a step, so far. */
  note(path: string, id: string, change: Partial<StepProgress> & Pick<StepProgress, 'status'>): void {
    const before = this.progress[path];
    const now = new Date().toISOString();
    const entry: StepProgress = { ...before, ...change };
    entry.started_at ??= change.status === 'skipped' || change.status === 'pending' ? undefined : now;
    if (isStepEnd(change.status)) entry.finished_at = now;
    this.progress[path] = entry;
    this.showStep(id, entry);
    this.onChange();
  }

  /** Forgets what happened at a path and below it, so that it can be tried again. */
  forget(path: string): void {
    for (const key of Object.keys(this.progress)) {
      if (key === path || key.startsWith(`${path}/`)) delete this.progress[key];
    }
  }

  /** What expressions see. Source: design, section 5; answers, 30 and 51. */
  scope(names: { [name: string]: Json } = {}): Scope {
    const { plan, input } = this.start;
    const { name, protected: isProtected, vars } = plan.environment;
    return {
      values: {
        ...names,
        input,
        steps: { ...this.stepValues },
        environment: { name, protected: isProtected, vars },
        task: {
          key: this.taskKey,
          ability: plan.ability.id,
          started_at: this.startedAt ?? this.createdAt,
          status: this.ending?.status ?? this.state,
          error: (this.ending?.error ?? null) as Json,
        },
      },
      now: () => Date.now(),
      uuid: () => uuid4(),
    };
  }

  /** The steps as a result lists them; those of a plan that did not run are `skipped` once the task has ended. */
  summarize(isEnded: boolean): StepSummary[] {
    const { plan } = this.start;
    if (plan.ability.kind === 'operation') return [this.summaryOf('run', 'run', plan.ability.id, isEnded)];
    return this.listed.map(({ step, path }) => {
      return this.summaryOf(step.id, path, step.verb === 'call' ? step.call : null, isEnded);
    });
  }

  private summaryOf(id: string, path: string, call: string | null, isEnded: boolean): StepSummary {
    const entry = this.progress[path];
    const { status = isEnded ? 'skipped' : 'pending', attempts = 0, started_at, finished_at, error } = entry ?? {};
    const duration = started_at && finished_at ? Date.parse(finished_at) - Date.parse(started_at) : null;
    const why = error && { error: { code: error.code, message: error.message.slice(0, MOST_OF_A_MESSAGE) } };
    return { id, path, call, status, attempts, duration_ms: duration, ...why };
  }

  private showStep(id: string, { status, output = null, error }: StepProgress): void {
    this.stepValues[id] = { status, output, error: (error ?? null) as Json };
  }
}

function listSteps(steps: readonly PlanStep[], prefix: string): ListedStep[] {
  return steps.flatMap((step) => {
    const path = prefix + step.id;
    const inner = step.verb === 'steps' ? step.steps : step.verb === 'parallel' ? step.branches : [];
    return [{ step, path }, ...listSteps(inner, `${path}/`), ...listSteps(step.finally ?? [], `${path}/`)];
  });
}

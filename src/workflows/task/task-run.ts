import type { AgentUsage } from '../../contracts/agent.js';
import type { Rollback, StepSummary, TaskStart } from '../../contracts/task.js';
import type { Held } from '../../contracts/task-carried.js';
import { TURNS, usageOf } from '../../rules/agents.js';
import { usesSession } from '../../rules/calls/tools-used.js';
import { Approvals } from '../approvals/approvals.js';
import { CallsMade } from '../calls/calls-made.js';
import { LostCalls } from '../calls/lost-calls.js';
import { LockTurn } from '../concurrency/lock.js';
import { HookAnswers } from '../hooks/hook-answers.js';
import { TaskInput } from '../input-changes/task-input.js';
import { TaskAudit } from '../reports/report-audit.js';
import { StepStates } from '../steps/step-states.js';
import { summarize } from '../view/summary.js';
import { TaskBudget } from './budget.js';
import { TaskIdentity } from './identity.js';
import { TaskLifecycle } from './lifecycle.js';
import { TaskFiles } from './task-files.js';
import { Warnings } from './warnings.js';

/** One run of a task, by its parts: code that needs one part takes that part. */
export class TaskRun {
  readonly task: TaskIdentity;
  readonly audit: TaskAudit;
  readonly life: TaskLifecycle;
  readonly input: TaskInput;
  readonly steps: StepStates;
  readonly calls: CallsMade;
  readonly lost: LostCalls;
  readonly files: TaskFiles;
  readonly budget: TaskBudget;
  readonly approvals: Approvals;
  readonly hooks: HookAnswers;
  readonly warnings: Warnings;
  readonly lock: LockTurn;
  /** Of called tasks that failed. */
  readonly rollbacks: Rollback[];
  readonly held: HeldSessions;

  constructor(start: TaskStart) {
    const { child, carried } = start;
    this.task = new TaskIdentity(start);
    const { plan } = this.task;
    this.audit = new TaskAudit(this.task);
    this.life = new TaskLifecycle(start);
    this.input = new TaskInput(start);
    this.warnings = new Warnings(start.warnings, carried?.left?.warnings);
    this.calls = new CallsMade(carried?.calls, carried?.made, carried?.agents);
    this.lost = new LostCalls(this.warnings);
    this.files = new TaskFiles(start, plan);
    this.steps = new StepStates(this.task, this.life);
    this.budget = new TaskBudget(Math.min(plan.limits.task_ms, child?.left_ms ?? Infinity), carried?.used_ms);
    this.approvals = new Approvals(carried);
    const { hooks = start.hooks ?? [], left } = carried ?? {};
    this.hooks = new HookAnswers(hooks, left?.answers ?? 0, this.warnings, this.audit);
    this.lock = new LockTurn(carried);
    this.rollbacks = [...(carried?.rollbacks ?? [])];
    this.held = new HeldSessions(this.task);
  }

  /** Usage so far of an agent, or of the agents that a workflow called; undefined if there were none. */
  get agent(): AgentUsage | undefined {
    if (!this.task.plan.agent) return this.calls.agents;
    const { agent } = this.steps.progress[TURNS.turns] ?? {};
    return agent && usageOf(agent);
  }

  summarize(isEnded: boolean): StepSummary[] {
    const { task, steps } = this;
    return summarize(task.plan, task.listed, steps.progress, isEnded, steps.underWay);
  }
}

/** Where the MCP sessions of a task are: on one worker, for the task and those that it calls. */
class HeldSessions {
  /** Undefined before the first call that needs one. */
  queue: Held | undefined;
  asking: Promise<Held> | undefined;
  /** Id of a step whose result is reused from the task that this one retries, with whom its session ended. */
  readonly endedFrom: string | undefined;

  constructor(task: TaskIdentity) {
    const { carried, child } = task.start;
    this.endedFrom = carried ? undefined : endedStep(task);
    const given = (carried ?? child)?.held;
    this.queue = given === undefined && this.endedFrom !== undefined ? null : given;
  }
}

function endedStep({ plan, listed, start: { progress } }: TaskIdentity): string | undefined {
  if (!progress) return undefined;
  const used = listed.find(({ step, path }) => {
    if (step.verb !== 'call' || !usesSession(plan, step.call)) return false;
    const [at = path] = path.split('/*');
    const { status = 'pending', items = {}, agent } = progress[at] ?? {};
    const isEnded = status !== 'pending' && status !== 'skipped';
    return isEnded || Object.keys(items).length > 0 || (agent?.calls ?? 0) > 0;
  });
  return used?.path.split('/*')[0]?.split('/').at(-1);
}

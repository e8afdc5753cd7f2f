import { uuid4, workflowInfo } from '@temporalio/workflow';
import type { CallContext, ModifyAnswer } from '../../contracts/activities.js';
import type { AgentUsage } from '../../contracts/agent.js';
import type { Approval } from '../../contracts/approvals.js';
import type { SlotAnswer, SlotAsk, Turn } from '../../contracts/concurrency.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { FIRST_CEL } from '../../contracts/names.js';
import type { Plan, PlanStep } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import { isStepEnd, type TaskState } from '../../contracts/states.js';
import type { Handling, Progress, ReceivedSignal, StepProgress, StepSummary, TaskStart } from '../../contracts/task.js';
import { TURNS } from '../../rules/agent-turns.js';
import { addUsage, UNUSED, usageOf } from '../../rules/agent-usage.js';
import { childPlan } from '../../rules/child-plan.js';
import type { Scope } from '../../rules/expressions/evaluate.js';
import { allSteps } from '../../rules/find-step.js';
import { sealMark } from '../../rules/seal-mark.js';
import { CallsMade } from '../calls/calls-made.js';
import { InputEdits } from '../input-changes/input-edits.js';
import { ItemsUnderWay } from '../loops/items-under-way.js';
import { reportTurn } from '../reports/report-spans.js';
import { isUndo } from '../steps/step-notes.js';
import { type OwnValue, StepValues, type Values, withLinks } from '../steps/step-values.js';
import { StepsInTurns } from '../steps/steps-in-turns.js';
import { summarize } from '../view/summary.js';
import { TaskBudget } from './budget.js';
import { fileMakers, TaskFiles } from './task-files.js';

/** The next attempt of a group that is tried again. */
export interface NextAttempt {
  attempt: number;
  /** Milliseconds since 1970. */
  at: number;
}

/** Everything one run of a task knows. Progress is data: whoever has this map can go on. Source: docs/architecture.md#the-way-of-a-task. */
export class TaskRun {
  state: TaskState = 'created';
  /** Set once the steps are done, for the expressions of `finally`. */
  ending: { status: TaskState; error: Problem | null } | undefined;
  runRequested: boolean;
  /** Whether its input can still be changed: it was created, and neither run nor ended. */
  mayChange: boolean;
  /** What the task goes on with as a new run, since its input was changed. */
  next: ModifyAnswer | undefined;
  startedAt: string | undefined;
  finishedAt: string | undefined;
  cleanupRan: boolean | null = null;
  /** Whether nothing new is started until somebody resumes it. */
  paused: boolean;
  /** Whether this run winds up, to go on as a new one. */
  rollingOver = false;
  /** Calls, guards and clean-ups at work: a run that winds up waits for their ends. */
  atWork = 0;
  /** How many of them are tasks that this one has called. */
  called = 0;
  /** Proofs of decisions that are being checked. */
  proving = 0;
  /** Whether proofs can be checked by the workers of this task; undefined while that was not asked. */
  provable: Promise<boolean> | undefined;
  /** Notices that the server takes over. */
  readonly notices: Promise<void>[] = [];
  /** What a handler at the top of the workflow deals with. */
  handling: Handling | undefined;
  /** What `steps.<id>.link` gives while an approval of that step is open, where the plan reads it and it is known. */
  link: string | undefined;
  /** Of a task that shares a key with others, from when it has asked for its turn. */
  turn: Turn | undefined;
  /** The token of its request, and whether lists show that nobody answers it; undefined in histories of earlier builds. */
  slot: SlotAsk | undefined;
  /** What came as an answer of the lock, and not with the token that the task knew then. */
  readonly early: (SlotAnswer | undefined)[] = [];
  /** Grows whenever something happens that a wait may be waiting for. */
  changes = 0;
  /** Calls made so far. */
  calls: number;
  /** What agents that a workflow called have used up; undefined: none did. */
  private agentsUsed: AgentUsage | undefined;
  /** Calls so far that can be taken back. */
  sequence: number;
  readonly plan: Plan;
  /** What every activity of the task is told. */
  readonly context: CallContext;
  /** With defaults applied. */
  input: JsonObject;
  readonly progress: Progress;
  readonly edits: InputEdits;
  readonly approvals: Approval[];
  readonly hooks: HookAnswer[];
  readonly warnings: string[];
  /** Warnings that earlier builds gave otherwise, with what they said, if anything: that decides how a task is ended. */
  readonly newWarnings = new Map<string, string | undefined>();
  /** Warnings of outcomes that are not known, as they were first said: what cut the call may be learnt later. */
  readonly lostBeside = new Map<string, Problem>();
  /** How many answers of hooks and warnings earlier runs did not take along. */
  readonly left: { answers: number; warnings: number };
  /** Signals that no wait has taken yet, in the order in which they came. */
  readonly signals: ReceivedSignal[];
  /** Hooks after calls that nobody waits for yet. */
  readonly pendingHooks = new Set<Promise<void>>();
  readonly budget: TaskBudget;
  /** What its calls were given and gave. */
  readonly made: CallsMade;
  /** What became of the steps in its loops that call nothing. */
  readonly inTurns: StepsInTurns;
  readonly createdAt: string;
  readonly values: StepValues;
  readonly files: TaskFiles;
  /** Items whose call has an outcome that is not known, with what their loop's account says of it. */
  readonly lostItems: { problem: Problem; path: string; told: Pick<Problem, 'message'> | undefined }[] = [];
  /** Of calls that were cut from outside, and have an outcome that is not known. */
  readonly cutProblems = new Set<Problem>();
  /** Of each loop, what is under way now. */
  readonly underWay = new ItemsUnderWay();
  /** Groups between two attempts, by their paths; for those who watch, so nothing of it is carried on. */
  readonly backingOff = new Map<string, NextAttempt>();
  /** The steps of the plan with their paths; `*` stands for the number of a turn. */
  readonly listed: { step: PlanStep; path: string }[];
  /** Paths at which an earlier run of the task was waiting. */
  private readonly waiting: Set<string>;

  constructor(readonly start: TaskStart) {
    const { plan: root, child, carried, changed } = start;
    this.plan = child ? childPlan(root, child.ability) : root;
    this.context = { seal: sealMark(start.seal) };
    this.input = start.input;
    this.runRequested = start.run;
    this.mayChange = !start.run;
    this.progress = { ...start.progress };
    this.warnings = [...start.warnings];
    const limit = Math.min(this.plan.limits.task_ms, child?.left_ms ?? Number.POSITIVE_INFINITY);
    this.budget = new TaskBudget(limit, carried?.used_ms ?? 0);
    this.createdAt = carried?.created_at ?? changed?.created_at ?? workflowInfo().startTime.toISOString();
    this.startedAt = carried?.started_at;
    this.edits = new InputEdits(changed);
    this.approvals = [...(carried?.approvals ?? [])];
    this.hooks = [...(carried?.hooks ?? start.hooks ?? [])];
    this.signals = [...(carried?.signals ?? changed?.signals ?? [])];
    this.calls = carried?.calls ?? 0;
    this.agentsUsed = carried?.agents;
    this.sequence = carried?.sequence ?? 0;
    this.made = new CallsMade(this.calls, carried?.made);
    this.inTurns = new StepsInTurns(carried?.steps_in_turns ?? 0);
    this.paused = carried?.paused ?? changed?.paused ?? false;
    this.turn = carried?.turn && { ...carried.turn };
    this.slot = carried?.slot && { ...carried.slot };
    this.handling = carried?.handling;
    this.left = carried?.left ?? { answers: 0, warnings: 0 };
    const noted = Object.entries(start.progress ?? {});
    this.waiting = new Set(noted.filter(([, { status }]) => status === 'waiting').map(([path]) => path));
    this.listed = allSteps(this.plan);
    this.files = new TaskFiles(start, this.plan);
    this.values = new StepValues(fileMakers(this.plan, this.listed));
    for (const { step, path } of this.listed) {
      this.values.show(path, step.id, this.progress[path] ?? { status: 'pending' });
    }
  }

  /** Workflow id: the task key, `direct:<uuid>`, or for a child the caller's id and the path of the call. */
  get task(): string {
    return this.start.child ? workflowInfo().workflowId : this.start.seal.task;
  }

  /** Null for a direct run, which promises no key. */
  get taskKey(): string | null {
    return this.task.includes(':') ? null : this.task;
  }

  /** Names of those who changed the input before the task was run. */
  get changedBy(): string[] {
    const { child } = this.start;
    return child ? (child.changed_by ?? []) : this.edits.by;
  }

  /** Notes what became of a step, so far. */
  note(path: string, id: string, change: Partial<StepProgress> & Pick<StepProgress, 'status'>): void {
    const before = this.progress[path];
    const now = new Date().toISOString();
    const entry: StepProgress = { ...before, ...change };
    entry.started_at ??= change.status === 'skipped' || change.status === 'pending' ? undefined : now;
    if (isStepEnd(change.status)) {
      entry.finished_at = now;
      delete entry.deadline;
      delete entry.handler;
    }
    this.progress[path] = entry;
    this.values.show(path, id, entry);
    this.changed();
    if (this.plan.agent && isStepEnd(change.status)) reportTurn(this, path, id);
  }

  /** Lets expressions see where the approval of a step is decided, until something else becomes of the step. */
  showLink(path: string, id: string): void {
    if (this.link === undefined) return;
    this.values.link(path, id, this.link);
    this.changed();
  }

  /** Lets expressions see a step that an earlier run has done. */
  recall(path: string, id: string): void {
    this.values.show(path, id, this.progress[path] as StepProgress);
  }

  /** Something happened: waits look again. */
  changed(): void {
    this.changes += 1;
  }

  /** Forgets what happened at a path and below it, so that it can be tried again; not what is still to be taken back. */
  forget(path: string): void {
    for (const key of Object.keys(this.progress)) {
      if ((key === path || key.startsWith(`${path}/`)) && !isUndo(key)) delete this.progress[key];
    }
  }

  /** When a wait ends: as noted by an earlier run, or so much from now. Milliseconds since 1970. */
  deadlineOf(path: string, id: string, ms: number): number {
    const noted = this.progress[path]?.deadline;
    if (noted !== undefined) return Date.parse(noted);
    const deadline = Date.now() + ms;
    this.note(path, id, { status: 'waiting', deadline: new Date(deadline).toISOString() });
    return deadline;
  }

  /** Whether an earlier run was waiting at a path; true once. */
  takeWaiting(path: string): boolean {
    return this.waiting.delete(path);
  }

  /** What `now()` gives, in milliseconds since 1970: the time of the workflow, so that a replay sees the same. */
  now(): number {
    return Date.now() + (this.plan.clock_shift_ms ?? 0);
  }

  /** A moment of this task, ISO 8601, on the clock of {@link now}. */
  private shifted(moment: string): string {
    const { clock_shift_ms: shift } = this.plan;
    return shift === undefined ? moment : new Date(Date.parse(moment) + shift).toISOString();
  }

  /**
   * What expressions see. Source: docs/workflow-language.md#expressions; docs/definitions.md#high-level-abilities.
   *
   * @param prefix what the paths of the steps there begin with.
   * @param own the step whose expression it is, where that sees itself otherwise than the others see it.
   */
  scope(prefix: string, names: { [name: string]: Json } = {}, own?: OwnValue): Scope {
    const { plan } = this;
    const { name, protected: isProtected, vars } = plan.environment;
    return {
      cel: plan.cel ?? FIRST_CEL,
      values: {
        ...names,
        input: this.input,
        steps: this.stepsAt(prefix, own),
        environment: { name, protected: isProtected, vars },
        task: {
          key: this.taskKey,
          ability: plan.ability.id,
          started_at: this.shifted(this.startedAt ?? this.createdAt),
          status: this.ending?.status ?? this.state,
          error: (this.ending?.error ?? null) as Json,
        },
      },
      now: () => this.now(),
      uuid: () => uuid4(),
    };
  }

  private stepsAt(prefix: string, own: OwnValue | undefined): Values | { [id: string]: JsonObject } {
    const values = this.values.at(prefix);
    if (own) values[own.id] = own.value;
    return this.plan.links ? withLinks(values) : values;
  }

  /** What an agent has used up so far, or the agents that a workflow called; undefined where there was none. */
  get agent(): AgentUsage | undefined {
    if (!this.plan.agent) return this.agentsUsed;
    const { agent } = this.progress[TURNS.turns] ?? {};
    return agent && usageOf(agent);
  }

  /** Counts what an agent that a workflow called, or one in a task that it called, has used up. */
  countAgent(usage: AgentUsage): void {
    const before = this.agentsUsed ?? UNUSED;
    this.agentsUsed = { ...addUsage(before, usage), turns: before.turns + usage.turns };
  }

  /** The steps as a result lists them. */
  summarize(isEnded: boolean): StepSummary[] {
    return summarize(this.plan, this.listed, this.progress, isEnded, this.underWay);
  }
}

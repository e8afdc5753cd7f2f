import type { PlanStep } from '../../contracts/plan.js';
import { isStepEnd } from '../../contracts/states.js';
import type { Progress, ReceivedSignal, StepProgress } from '../../contracts/task.js';
import { innerSteps, listSteps, nameOfStep } from '../../rules/steps/step-tree.js';
import { ItemsUnderWay } from '../loops/loop-account.js';
import { turnsAtHand } from '../loops/turn-counts.js';
import { logCall } from '../reports/report-run.js';
import { reportTurn } from '../reports/report-spans.js';
import type { TaskIdentity } from '../task/identity.js';
import type { TaskLifecycle } from '../task/lifecycle.js';
import { fileMakers } from '../task/task-files.js';
import { isUndo } from './step-notes.js';
import { StepValues } from './step-values.js';
import { StepsInTurns } from './steps-done.js';

export interface NextAttempt {
  attempt: number;
  /** Milliseconds since 1970. */
  at: number;
  /** Code of the failure before it. */
  why: string;
}

/** A new run continues the task from `progress` alone. */
export class StepStates {
  readonly progress: Progress;
  readonly values: StepValues;
  /** Value of `steps.<id>.link` while an approval of that step is open, if the plan reads it and it is known. */
  link: string | undefined;
  /** Signals not yet taken by a wait, in order of arrival. */
  readonly signals: ReceivedSignal[];
  /** Number of calls made that can be undone. */
  sequence: number;
  readonly inTurns: StepsInTurns;
  readonly underWay = new ItemsUnderWay();
  /** Groups and agents between two attempts, by their paths; only for views of the task, so it is not carried on. */
  readonly backingOff = new Map<string, NextAttempt>();
  /** Paths at which an earlier run of the task was waiting. */
  private readonly waiting: Set<string>;

  constructor(
    readonly task: TaskIdentity,
    private readonly life: TaskLifecycle,
  ) {
    const { progress, carried, changed } = task.start;
    this.progress = { ...progress };
    this.signals = [...(carried?.signals ?? changed?.signals ?? [])];
    const undos = Object.values(progress ?? {}).map(({ sequence = 0 }) => sequence);
    // A retry takes over calls to undo.
    this.sequence = carried?.sequence ?? Math.max(0, ...undos);
    this.inTurns = new StepsInTurns(carried?.steps_in_turns ?? 0);
    const noted = Object.entries(progress ?? {});
    this.waiting = new Set(noted.filter(([, { status }]) => status === 'waiting').map(([path]) => path));
    this.values = new StepValues(fileMakers(task.plan, task.listed));
    for (const { step, path } of task.listed) {
      this.values.show(path, step.id, this.progress[path] ?? { status: 'pending' });
    }
  }

  entry(path: string): StepProgress {
    return this.progress[path] as StepProgress;
  }

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
    this.life.changed();
    if (entry.call !== undefined && isStepEnd(change.status) && change.status !== 'skipped') logCall(path, entry);
    if (this.task.plan.agent && isStepEnd(change.status)) reportTurn(this, path, id);
  }

  /** Shows expressions where to decide the step's approval, until the step changes. */
  showLink(path: string, id: string): void {
    if (this.link === undefined) return;
    this.values.link(path, id, this.link);
    this.life.changed();
  }

  /** Also skips nested steps. @param prefix as of a frame. */
  skip(step: PlanStep, prefix: string): void {
    for (const { step: inner, path } of listSteps([step], prefix)) {
      if (!path.includes('*')) this.note(path, inner.id, { status: 'skipped', output: null });
    }
  }

  /** Makes a step completed by an earlier run, or by the retried task, visible to expressions. */
  recall(step: PlanStep, path: string): void {
    this.values.show(path, step.id, this.entry(path));
    const undo = this.progress[`${path}.undo`];
    if (undo && undo.sequence === undefined)
      this.progress[`${path}.undo`] = { ...undo, sequence: (this.sequence += 1) };
    this.recallInside(step, path);
  }

  private recallInside(step: PlanStep, path: string): void {
    for (const { steps, isRepeated } of innerSteps(step)) {
      for (const prefix of isRepeated ? this.lastTurnsOf(step, path) : [`${path}/`]) {
        for (const inner of steps) {
          const at = prefix + nameOfStep(inner.id);
          if (this.progress[at]) this.values.show(at, inner.id, this.progress[at]);
          this.recallInside(inner, at);
        }
      }
    }
  }

  /** Only of a `repeat`; those of a `foreach` are not visible outside. */
  private lastTurnsOf({ verb }: PlanStep, path: string): string[] {
    const entry = this.progress[path];
    return verb === 'repeat' && entry ? turnsAtHand(entry).map((turn) => `${path}/${turn}/`) : [];
  }

  /** Drops the results of a group's steps for a retry; keeps pending compensations. */
  forget(paths: readonly string[]): void {
    for (const key of Object.keys(this.progress)) {
      const isInside = paths.some((path) => key === path || key.startsWith(`${path}/`));
      if (isInside && !isUndo(key)) delete this.progress[key];
    }
  }

  /** When a wait ends: as noted by an earlier run, else this long from now. Milliseconds since 1970. */
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
}

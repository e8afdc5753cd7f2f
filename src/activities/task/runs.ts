import type { BegunTask } from '../../contracts/run-sinks.js';
import type { TaskStart } from '../../contracts/task.js';
import { BoundedMap } from '../bounded-map.js';

/** A workflow run, as an activity names it. */
export interface RunRef {
  workflowId: string;
  runId: string;
}

/** The facts in the first event of a run. */
export interface RunStart extends RunRef {
  /** Type of the workflow. */
  type: string;
  taskQueue: string;
  /** The run that called it; absent: no run did. */
  parent?: RunRef;
  /** The first run of its chain, where an earlier run went on as this one. */
  first?: string;
  /** The client that started it got its first task, past the queue, so that any code may run it. */
  eager?: true;
  /** Its start arguments; absent if it is not a task. */
  task?: Omit<BegunTask, 'plan'> & Pick<TaskStart, 'plan'>;
}

/** Reads the first event of a run; undefined where Temporal knows no such run. */
export type ReadRun = (run: RunRef) => Promise<RunStart | undefined>;

/** A run as it is kept; its plan is kept by its digest. */
export type KnownRun = Omit<RunStart, 'task'> & { task?: Omit<BegunTask, 'plan'> };

const MAX_RUNS = 5000;

/**
 * How workflow runs were started: known for this worker's own runs, read once for all others.
 *
 * The origin of a run distinguishes a task from foreign code that carries the plan and the seal of one.
 */
export class Runs {
  private readonly known = new BoundedMap<string, KnownRun>(MAX_RUNS);

  constructor(private readonly read: ReadRun) {}

  /** Notes a run of this worker's own. */
  note(run: KnownRun): void {
    this.known.set(run.runId, run);
  }

  /** @param onPlan is given the plan of a run that had to be read. @returns undefined where Temporal knows no such run. */
  async find(ref: RunRef, onPlan: (plan: TaskStart['plan'], digest: string) => void = () => {}) {
    const known = this.known.get(ref.runId);
    if (known) return known;
    const found = await this.read(ref);
    if (!found) return undefined;
    const { task, ...start } = found;
    const run: KnownRun = { ...start };
    if (task) {
      const { plan, ...origin } = task;
      run.task = origin;
      onPlan(plan, origin.seal.plan);
    }
    this.note(run);
    return run;
  }
}

import type { BegunTask } from '../../contracts/run-sinks.js';
import type { TaskStart } from '../../contracts/task.js';
import { BoundedMap } from '../bounded-map.js';

export interface RunRef {
  workflowId: string;
  runId: string;
}

export interface RunStart extends RunRef {
  type: string;
  taskQueue: string;
  /** The run that called it; absent: no run did. */
  parent?: RunRef;
  /** Id of the first run of the chain, if this run continues an earlier one. */
  first?: string;
  /** The client itself got the first workflow task, bypassing the queue, so any code may run it. */
  eager?: true;
  /** What it began with; absent if the run is not a task, or has not passed preflight. */
  task?: BegunTask & Pick<TaskStart, 'plan'>;
}

/** Reads the first events of a run; undefined: unknown to Temporal. */
export type ReadRun = (run: RunRef) => Promise<RunStart | undefined>;

/** A run as cached; its plan is cached separately, by digest. */
export type KnownRun = Omit<RunStart, 'task'> & { task?: BegunTask };

const MAX_RUNS = 5000;

/** A run's origin tells a task from foreign code that carries its plan and seal; read once, if not our own. */
export class Runs {
  private readonly known = new BoundedMap<string, KnownRun>(MAX_RUNS);

  constructor(private readonly read: ReadRun) {}

  note(run: KnownRun): void {
    this.known.set(run.runId, run);
  }

  /** @param onPlan receives the plan of a run that had to be read. @returns undefined: unknown run. */
  async find(ref: RunRef, onPlan: (plan: TaskStart['plan'], digest: string) => void = () => {}) {
    const known = this.known.get(ref.runId);
    // A task may have been seen before the end of its preflight.
    if (known?.task || known?.type.includes(':')) return known;
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

import type { ModifyAnswer } from '../../contracts/activities.js';
import type { JsonObject } from '../../contracts/json.js';
import type { AppliedEdit, ChangesLeft, InputChange, TaskStart } from '../../contracts/task.js';

/** Number of changes listed one by one, besides the first. */
const MAX_LISTED = 100;

export class TaskInput {
  /** Includes defaults. */
  value: JsonObject;
  /** True until the task is run or has ended. */
  mayChange: boolean;
  /** Arguments of the next run; set when the input was changed. */
  next: ModifyAnswer | undefined;
  /** The first change and the latest ones. */
  readonly changes: InputChange[];
  /** Changes that are not listed. */
  readonly left: ChangesLeft;
  /** The latest changes with their updates. */
  readonly applied: AppliedEdit[];
  /** Changes that wait for the mutex or hold it. */
  pendingChanges = 0;
  isLocked = false;
  private readonly byCaller: string[] | undefined;

  constructor({ input, run, child, changed }: Pick<TaskStart, 'input' | 'run' | 'child' | 'changed'>) {
    this.value = input;
    this.mayChange = !run;
    this.changes = [...(changed?.changes ?? [])];
    this.left = { count: changed?.left?.count ?? 0, by: [...(changed?.left?.by ?? [])] };
    this.applied = [...(changed?.applied ?? [])];
    this.byCaller = child && (child.changed_by ?? []);
  }

  /** Names of those who changed it before the task was run; for a called task, that of its caller. */
  get changedBy(): string[] {
    return this.byCaller ?? [...new Set([...this.changes.map(({ by }) => by.name), ...this.left.by])];
  }

  /**
   * Lists the first and the latest changes; of the others only the number and the authors are kept, since an
   * unlimited list would fill every new run, record and result. Authors stay known: they may not approve it.
   */
  note(change: InputChange): void {
    this.changes.push(change);
    const dropped = this.changes.splice(1, Math.max(0, this.changes.length - 1 - MAX_LISTED));
    this.left.count += dropped.length;
    for (const { by } of dropped) if (!this.left.by.includes(by.name)) this.left.by.push(by.name);
  }
}

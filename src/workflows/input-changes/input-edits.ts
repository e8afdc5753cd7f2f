import type { AppliedEdit, ChangesLeft, InputChange, TaskStart } from '../../contracts/task.js';

/** How the input of a task was changed before it was run. */
export class InputEdits {
  /** Since the task was created, see `noteChange`. */
  readonly changes: InputChange[];
  /** Those that are not listed. */
  readonly left: ChangesLeft;
  /** The last ones, by their updates. */
  readonly applied: AppliedEdit[];
  /** Changes that wait for the mutex or hold it. */
  underWay = 0;
  isLocked = false;

  /** @param changed what earlier runs of the task knew. */
  constructor(changed: TaskStart['changed']) {
    this.changes = [...(changed?.changes ?? [])];
    this.left = { count: changed?.left?.count ?? 0, by: [...(changed?.left?.by ?? [])] };
    this.applied = [...(changed?.applied ?? [])];
  }

  /** Names of those who made them. */
  get by(): string[] {
    return [...new Set([...this.changes.map(({ by }) => by.name), ...this.left.by])];
  }
}

import type { SlotAnswer, SlotAsk, Turn } from '../../contracts/concurrency.js';
import type { TaskStart } from '../../contracts/task.js';

/** The place of a task in the line of its lock. */
export class LockTurn {
  /** Set once the task has requested its turn. */
  turn: Turn | undefined;
  /** The token of its request, and whether lists show that the lock does not answer; undefined in histories of earlier builds. */
  slot: SlotAsk | undefined;
  /** Answers that came without the token that the task knew then. */
  readonly early: (SlotAnswer | undefined)[] = [];

  constructor(carried: TaskStart['carried']) {
    this.turn = carried?.turn && { ...carried.turn };
    this.slot = carried?.slot && { ...carried.slot };
  }
}

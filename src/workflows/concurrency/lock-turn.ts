import type { SlotAnswer, SlotAsk, Turn } from '../../contracts/concurrency.js';
import type { TaskStart } from '../../contracts/task.js';

/** A task's place in the queue of its lock. */
export class LockTurn {
  /** Set once the task has requested its turn. */
  turn: Turn | undefined;
  /** Token of the request, and whether lists show a silent lock; undefined before the first request. */
  slot: SlotAsk | undefined;
  /** Answers that came without the token that the task knew then. */
  readonly early: SlotAnswer[] = [];

  constructor(carried: TaskStart['carried']) {
    this.turn = carried?.turn && { ...carried.turn };
    this.slot = carried?.slot && { ...carried.slot };
  }
}

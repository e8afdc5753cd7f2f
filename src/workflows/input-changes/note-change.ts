import type { ChangesLeft, InputChange } from '../../contracts/task.js';

/** Changes that are told one by one, besides the first. */
const MOST_TOLD = 100;

/**
 * Notes a change of the input: the first and the latest are told, of those between only how many they are and by whom.
 *
 * Both are changed in place. Without an end they would fill every new run, the record and the result. Who made a change is
 * never forgotten: nobody may approve what they asked for themselves by changing it often.
 */
export function noteChange(told: InputChange[], left: ChangesLeft, change: InputChange): void {
  told.push(change);
  const gone = told.splice(1, Math.max(0, told.length - 1 - MOST_TOLD));
  left.count += gone.length;
  for (const { by } of gone) if (!left.by.includes(by.name)) left.by.push(by.name);
}

import type { Held } from '../../contracts/task-carried.js';
import { activityOf } from '../activity.js';
import type { ActivityDependencies } from '../dependencies.js';

/** Lets this worker hold the MCP sessions of a task. @returns the queue that only it serves. */
export function createHold(dependencies: Pick<ActivityDependencies, 'hold'>): (request: null) => Promise<Held> {
  return activityOf((_, { info }) => dependencies.hold(info.taskQueue));
}

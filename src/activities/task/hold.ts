import type { Held } from '../../contracts/task-carried.js';
import type { ActivityDependencies } from '../dependencies.js';
import { activityOf } from '../failures.js';
import { notOfTask } from '../preflight/read-request.js';

/** Lets this worker hold the MCP sessions of a task. @returns the queue that only it serves. */
export function createHold(dependencies: Pick<ActivityDependencies, 'hold'>): (request: null) => Promise<Held> {
  return activityOf((_, { info }) => {
    // Only a workflow of this worker asks for it this way, not anyone with the server's port.
    if (!info.isLocal) throw notOfTask();
    return dependencies.hold(info.taskQueue);
  });
}

import { type Connection, keepingRuntime, type SeenTask, viewOwnTask } from '../../client/index.js';

/** The state of a task of the door's own project; a token opens no other project. @throws AbilityError as `viewOwnTask`. */
export function viewOwn(connection: Connection, key: string): Promise<SeenTask> {
  return keepingRuntime(connection, () => viewOwnTask(connection, key));
}

import type { JsonObject } from './json.js';

export const TASK_EVENTS = [
  'task.created',
  'task.run',
  'task.status',
  'task.signal',
  'task.changed',
  'task.ended',
  'call.started',
  'call.ended',
  'child.started',
  'child.ended',
  'approval.decided',
  'model.output',
] as const;

/** An event of a task. */
export interface TaskEvent {
  /** `<run>.<number>`: never changes, and identifies the position in the history from which to continue. */
  id: string;
  type: (typeof TASK_EVENTS)[number];
  /** ISO 8601. */
  time: string;
  data: JsonObject;
}

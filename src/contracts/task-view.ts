import type { TaskResult } from '../operations/task-result.js';
import type { JsonObject } from './json.js';
import type { StepWait } from './task-parts.js';
import type { Progress } from './task-progress.js';

/** Result of the `task` query. */
export interface TaskView extends TaskResult {
  created_at: string;
  input: JsonObject;
  summary: string;
  progress: Progress;
  /** Whether nothing new is started until the task is resumed. */
  paused: boolean;
  /** Waits of its steps, besides calls and people; omitted if none. */
  waits?: StepWait[];
}

import type { AgentProgress } from './agent.js';
import type { StepFiles, TaskFile } from './files.js';
import type { Json, JsonObject } from './json.js';
import type { LastTurn, LoopProgress, TurnCount } from './loops.js';
import type { LostCall } from './plan-operation.js';
import type { Problem } from './problem.js';
import type { StepStatus } from './states.js';

/** A failure of the workflow that one of its handlers handles. */
export interface Handling {
  handler: number;
  error: Problem;
  /** Whether the author declared that an answer means this failure; it is then retried only if named. */
  answer?: true;
}

/** Progress by step path. Running the steps over a filled map skips completed ones. */
export type Progress = Record<string, StepProgress>;

/** Progress of one step. Times are ISO 8601. */
export interface StepProgress {
  status: StepStatus;
  call?: string;
  /** Workflow id of the task that the step called, if any. */
  child?: string;
  output?: Json;
  files?: StepFiles;
  /** For a step reused from an earlier task: all its files. */
  made?: TaskFile[];
  error?: Problem;
  attempts?: number;
  started_at?: string;
  finished_at?: string;
  /** Replaces the two times if an earlier run executed the step. */
  duration_ms?: number;
  /** End of a wait that began in an earlier run. */
  deadline?: string;
  /** Index of the step's handler that handles its failure. */
  handler?: number;
  /** Whether the author declared that an answer means that failure, see {@link Handling}. */
  answer?: true;
  /** At `<path>.unknown`: the call at the path, while its outcome is not known. */
  doubt?: LostCall;
  /** At `<path>.undo`: input of the compensating call, or why it is unknown. */
  undo?: { with: JsonObject } | { problem: Problem };
  /** At `<path>.undo`: it asks people before it runs. */
  approval?: 'required';
  /** At `<path>.undo`: the order in which the calls to take back succeeded; absent until a retry reaches the call. */
  sequence?: number;
  /** For a `foreach`: the outputs of completed items, by index. */
  items?: Record<string, Json>;
  /** For a `foreach` that asks once: the approval of its calls. */
  asked?: { id: string; raised_at: string };
  /** For steps that continue despite a failure: the failed items or branches, and the failure to report. */
  failed?: { items: number[]; error: Problem; answer?: true };
  /** For a `repeat`: the number of completed turns. */
  turn?: number;
  /** For a `repeat`: the pause after those turns is over, and the next one has begun. */
  begun?: true;
  /** Only in a running loop: the last finished turn of each step that is read inside it, by id. */
  last?: Record<string, LastTurn>;
  /** For a loop: run counts of its steps, by path with `*` for the turn; entries of completed turns are dropped. */
  turns?: Record<string, TurnCount>;
  /** For a loop: outcomes of its turns. */
  loop?: LoopProgress;
  /** For the turns of an agent: their state. */
  agent?: AgentProgress;
}

import type { AgentProgress } from './agent.js';
import type { StepFiles, TaskFile } from './files.js';
import type { Json, JsonObject } from './json.js';
import type { LastTurn, LoopProgress, TurnCount } from './loops.js';
import type { Problem } from './problem.js';
import type { StepStatus } from './states.js';

/** A failure of the workflow that one of its handlers deals with. */
export interface Handling {
  /** Which of the handlers. */
  handler: number;
  error: Problem;
  /** Whether it is what an answer means to its author, so that nothing is tried again unless it is named. */
  answer?: true;
}

/** Step path to what became of it. Running the steps over a filled map skips what is done. */
export type Progress = Record<string, StepProgress>;

/** What became of one step. Times are ISO 8601. */
export interface StepProgress {
  status: StepStatus;
  /** The ability called, where the step is a call. */
  call?: string;
  /** Workflow id of the task that the step called, where that is one. */
  child?: string;
  output?: Json;
  /** What the call made, as expressions see it. */
  files?: StepFiles;
  /** Of a step that is taken over from an earlier task: all files that came of it. */
  made?: TaskFile[];
  error?: Problem;
  attempts?: number;
  started_at?: string;
  finished_at?: string;
  /** In place of the two moments, where an earlier run did the step. */
  duration_ms?: number;
  /** When a wait ends that began in an earlier run. */
  deadline?: string;
  /** Which of the step's handlers deals with its failure. */
  handler?: number;
  /** Whether that failure is what an answer means to its author, see {@link Handling}. */
  answer?: true;
  /** At `<path>.undo`: what the call that takes back is given, or why that is not known. */
  undo?: { with: JsonObject } | { problem: Problem };
  /** At `<path>.undo`: the order in which the calls to take back succeeded. */
  sequence?: number;
  /** Of a `foreach`: the outputs of the items that are done, by their index. */
  items?: Record<string, Json>;
  /** Of what goes on although something in it failed: the items or branches that did, and the failure to report. */
  failed?: { items: number[]; error: Problem; answer?: true };
  /** Of a `repeat`: the turns that are done. */
  turn?: number;
  /** Of a `repeat`: the pause after those turns is over, and the next one has begun. */
  begun?: true;
  /** Of a loop at work: its steps by id, as the turns that are done left them; of those alone that are read inside it. */
  last?: Record<string, LastTurn>;
  /** Of a loop: how often its steps ran, by their path with `*` for the turn; entries of turns that are done are gone. */
  turns?: Record<string, TurnCount>;
  /** Of a loop: how its turns ended. Absent in what earlier builds noted. */
  loop?: LoopProgress;
  /** Of the turns of an agent: where it is. */
  agent?: AgentProgress;
}

import type { CallAnswer } from '../contracts/activities.js';
import type { DecisionProof, ProvedDecision } from '../contracts/approvals.js';
import type { Tombstone } from '../contracts/deletion.js';
import type { TaskFile } from '../contracts/files.js';
import type { ToldTask } from '../contracts/run-sinks.js';
import type { TaskMemo, TaskResult } from '../contracts/task.js';
import type { EnvironmentVariables } from '../planning/secrets/secret-source.js';
import type { BoundedMap } from './bounded-map.js';
import type { EffectMarks } from './call/effect-mark.js';
import type { Execute } from './call/execute.js';
import type { FileDependencies } from './files/call-files.js';
import type { HookDependencies } from './hooks/hook-dependencies.js';
import type { PinnedTools } from './mcp/pinned-tools.js';
import type { PlanSource } from './plan-source.js';
import type { RecordFolder } from './record/record-folder.js';
import type { PinnedScripts } from './script/pinned-scripts.js';
import type { SealKeys } from './seal.js';
import type { SessionAccess } from './session/session-access.js';
import type { LockAccess } from './slots/lock-access.js';
import type { EarlierTask } from './task/kept-progress.js';
import type { RunRef } from './task/runs.js';

/** Everything that the activities of one worker need of it; each takes its part. */
export interface ActivityDependencies extends HookDependencies {
  project: string;
  /** Absolute path of the project. */
  root: string;
  /** Name of this machine. */
  host: string;
  /** The environment of the worker; left out: that of this process. */
  env?: NodeJS.ProcessEnv;
  keys: SealKeys;
  plans: PlanSource;
  records: RecordFolder;
  files: FileDependencies;
  execute: Execute;
  /** Marks of calls that must not be repeated. */
  marks: EffectMarks;
  scripts: PinnedScripts;
  tools: Pick<PinnedTools, 'pin'>;
  locks: LockAccess;
  sessions: SessionAccess;
  /** Reports of this worker's runs, until the records of their tasks are written. */
  told: BoundedMap<string, ToldTask>;
  /** Values of `env:NAME` in the definitions; omitted: from this process and its `.env` files. */
  variables?: (environment: string) => EnvironmentVariables;
  /** The clock that a case of `ability test` sets for its task; left out: the one of this machine. */
  clockOf?: (task: string) => Promise<SetClock | undefined>;
  /** Keeps a large answer in the store, so that it will fit into the history. */
  keepLarge: (answer: CallAnswer, limitBytes: number) => Promise<void>;
  /** Moves the large parts of a result to the store; the returned result is small enough for the history. */
  shrink: (result: TaskResult) => Promise<TaskResult>;
  /** Address of the Temporal UI; null where it is not known. */
  ui: string | null;
  /** Why a decision is not proved; undefined: it is. Null where this worker can check none. */
  checkProof: ((decision: ProvedDecision, proof: DecisionProof) => string | undefined) | null;
  /** Temporal's knowledge of the task with this key. */
  findTask: (key: string) => Promise<FoundTask | undefined>;
  /** Temporal's knowledge of the deletion of the task with this key, and the task's project. */
  findDeletion: (key: string) => Promise<{ project: string; deletion: Tombstone | 'under way' } | undefined>;
  /**
   * Progress of an ended task of a project.
   *
   * @throws AbilityError `task.not_found`, `task.open`, `task.other_project`.
   */
  readEnded: (key: string, project: string) => Promise<EndedTask>;
  /** Whether a worker polls a task queue. */
  isServed: (queue: string) => Promise<boolean>;
  executions: Executions;
}

/** A clock that was set. */
export interface SetClock {
  /** Milliseconds since 1970. */
  now: number;
  /** Milliseconds to add to the clock of its workflow. */
  shift_ms: number;
}

/** The owner of a key: a task of a project, or `foreign`, a workflow that is not a task. */
export type FoundTask = { project: string; memo: TaskMemo } | 'foreign';

/** A task that has ended, and the run with its results. */
export type EndedTask = EarlierTask & { run: RunRef; files?: TaskFile[] };

/** Temporal's knowledge of the workflow that has a key. */
export interface Execution {
  isOpen: boolean;
  /** Undefined if it is not a task. */
  memo: TaskMemo | undefined;
  /** Name of the project it belongs to. */
  project: string | undefined;
}

/** The workflows of tasks, as their deletion needs them. */
export interface Executions {
  /** Undefined if Temporal knows none. */
  find(key: string): Promise<Execution | undefined>;
  cancel(key: string): Promise<void>;
  /**
   * Deletes all runs of a task, of those it called, of its notices and of its preflights; some may already be deleted.
   */
  remove(key: string, project: string, onProgress: () => void): Promise<void>;
}

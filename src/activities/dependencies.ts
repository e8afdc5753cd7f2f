import type { CallAnswer } from '../contracts/activities.js';
import type { Tombstone } from '../contracts/deletion.js';
import type { TaskFile } from '../contracts/files.js';
import type { Notice, SentNotices } from '../contracts/notices.js';
import type { Plan } from '../contracts/plan.js';
import type { TaskReport } from '../contracts/run-sinks.js';
import type { PackedPlan, PreflightRequest, TaskMemo, TaskResult } from '../contracts/task.js';
import type { Registry } from '../definitions/registry.js';
import type { PinnedTools } from '../kinds/mcp/call/pinned-tools.js';
import type { EnvironmentVariables } from '../planning/secrets/secret-source.js';
import type { SeenApproval } from '../rules/tasks/shown-approvals.js';
import type { TaskPlaces } from '../rules/tasks/task-link.js';
import type { ProofCheck } from '../server/keys/check-proof.js';
import type { Admission } from './admission.js';
import type { BoundedMap } from './bounded-map.js';
import type { EffectMarks } from './call/effect-mark.js';
import type { Execute } from './call/execute.js';
import type { LockAccess } from './concurrency/lock-access.js';
import type { FileDependencies } from './files/call-files.js';
import type { GrantAccess } from './grants/grant-access.js';
import type { HookDependencies } from './hooks/hook-dependencies.js';
import type { PinnedScripts } from './processes/pinned-scripts.js';
import type { RecordFolder } from './record/record-folder.js';
import type { SealKeys } from './seal.js';
import type { SessionAccess } from './session/session-access.js';
import type { RunRef } from './task/runs.js';
import type { EarlierTask } from './task/what-stands.js';

export interface ActivityDependencies extends HookDependencies, TaskPlaces {
  project: string;
  root: string;
  host: string;
  /** Environment variables of the worker; default: those of this process. */
  env?: NodeJS.ProcessEnv;
  /** Reads the definitions; while `ability.yaml` is broken, as they were before. Undefined: never readable. */
  lastDefinitions: () => Registry | undefined;
  keys: SealKeys;
  plans: Admission;
  records: RecordFolder;
  files: FileDependencies;
  execute: Execute;
  marks: EffectMarks;
  scripts: PinnedScripts;
  tools: Pick<PinnedTools, 'pin'>;
  locks: LockAccess;
  sessions: SessionAccess;
  grants: GrantAccess;
  /** Reports of this worker's runs, until the records of their tasks are written. */
  reports: BoundedMap<string, TaskReport>;
  /** Values of `env:NAME` in the definitions; omitted: from this process and its `.env` files. */
  variables?: (environment: string) => EnvironmentVariables;
  /** Clock that a case of `ability test` sets for its task; default: the clock of this machine. */
  clockOf?: (task: string) => Promise<SetClock | undefined>;
  /** Moves a large answer to the store, so that it fits into the history. */
  storeLarge: (answer: CallAnswer, limitBytes: number) => Promise<void>;
  /** Moves the large parts of a result to the store; the returned result is small enough for the history. */
  shrink: (result: TaskResult) => Promise<TaskResult>;
  /** Whether this worker is of the project's own runtime, whose page `ability open` opens. */
  isOwnRuntime: boolean;
  /** How this worker checks proofs now; null: it cannot. */
  proofs: () => ProofCheck | null;
  /** Status of another, ended execution of a key, as Temporal has it; undefined: none that was formed. */
  findEarlier: (key: string, run: string) => Promise<string | undefined>;
  /** What a run was started with, from its first event; undefined for other workflows. */
  readGiven: (run: RunRef) => Promise<PreflightRequest | undefined>;
  /** What a preflight returns in place of a plan, so that the history stays small. */
  packPlan: (plan: Plan, digest: string) => PackedPlan;
  findDeletion: (key: string) => Promise<{ project: string; deletion: Tombstone | 'under way' } | undefined>;
  /** Progress of an ended task. @throws AbilityError `task.not_found`, `task.open`, `task.other_project`. */
  readEnded: (key: string, project: string) => Promise<EndedTask>;
  isServed: (queue: string) => Promise<boolean>;
  /** Serves the calls of tasks whose MCP sessions this worker holds. @returns the queue, which no other serves. */
  hold: (queue: string) => Promise<string>;
  executions: Executions;
  /** How many firings a schedule of the project has missed since it was created; 0: there is no such schedule. */
  countMissed: (schedule: string) => Promise<number>;
  /** Why a firing that was begun ahead at a time does not take place, as a sentence; null: it does. */
  whyNoFiring: (schedule: string, since: string) => Promise<string | null>;
  /** What became of a notice; undefined: Temporal knows none of this id. */
  findSent: (notice: string) => Promise<SentNotices | undefined>;
  /** Approvals of other recent tasks of the same ability and environment. @throws if not all of them could be read. */
  recentApprovals: (than: Pick<Notice, 'task_key' | 'ability' | 'environment'>) => Promise<SeenApproval[]>;
}

export interface SetClock {
  /** Milliseconds since 1970. */
  now: number;
  /** Milliseconds to add to the clock of its workflow. */
  shift_ms: number;
}

export type EndedTask = EarlierTask & { run: RunRef; files?: TaskFile[] };

export interface Execution {
  isOpen: boolean;
  /** Undefined if it is not a task. */
  memo: TaskMemo | undefined;
  project: string | undefined;
}

export interface Executions {
  /** Undefined if Temporal knows none. */
  find(key: string): Promise<Execution | undefined>;
  cancel(key: string): Promise<void>;
  /**
   * Deletes all runs of a task, its called tasks and notices; some may already be deleted.
   * @param onProgress called while it works; may throw to stop it.
   */
  remove(key: string, onProgress: () => void): Promise<void>;
  /** Deletes only the runs that preflight refused; the key may belong to a task by now. */
  removeRefused(key: string, onProgress: () => void): Promise<void>;
}

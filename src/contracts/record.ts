import type { Caller, Person } from './callers.js';
import type { StepDone } from './calls-made.js';
import type { Json, JsonObject } from './json.js';
import type { Plan } from './plan.js';
import type { Problem } from './problem.js';
import type { InputChange, TaskResult } from './task.js';

/**
 * `record.json`: the readable copy of a task. The history in Temporal is the truth. Source:
 * docs/architecture.md#promises.
 */
export interface TaskRecord {
  format: 1;
  task_key: string;
  /** The request that a second caller under the same key is compared with. */
  request: { ability: string; environment: string; input: string };
  requested_by: Person;
  session: string | null;
  caller?: Caller;
  /** The run that it belongs to, with a log in `.system/runs`; omitted: none. Source: C-35. */
  run?: string;
  /** Purpose of the task, in the requester's words; omitted if they gave none. Source: R-000-86. */
  intent?: string;
  scope?: string;
  created_at: string;
  /** First run of its execution in Temporal, which tells it from another one under the same key. */
  run_id?: string;
  /** For a direct run: when it is removed. ISO 8601. */
  expires_at?: string;
  /** The machine whose worker keeps the record and the logs. */
  host: string;
  plan_digest: string;
  /** The resolved configuration; secrets are references. */
  plan: Plan;
  input: JsonObject;
  changes?: InputChange[];
  /** Number of changes not listed, between the first and the latest; omitted if zero. */
  changes_left?: number;
  warnings: string[];
  /** Null until the task has ended. */
  result: TaskResult | null;
  /** Abilities that it called; absent until it has ended. */
  used?: ToolsUsed;
  /** In starting order: the first hundred calls, then the first hundred failures after them; absent if none. */
  calls?: RecordedCall[];
  calls_left_out?: number;
  /**
   * Steps without calls or inner steps: waits, approvals, values. The first hundred outside of loops, then the first
   * hundred in loops, of the task's last run.
   */
  steps?: RecordedStep[];
  steps_left_out?: number;
}

/** One step that calls nothing, as a record shows it: known secrets masked, long values cut. Source: R-000-86. */
export interface RecordedStep extends Omit<StepDone, 'gave'>, Pick<RecordedCall, 'gave'> {}

/** One call of a task, as its record shows it: known secrets masked, long values cut. Source: R-000-86, R-002-34. */
export interface RecordedCall {
  /** Path of its step; `run` where the task is the call. */
  path: string;
  call: string;
  /** Id of the implementation; absent for a workflow. */
  implementation?: string;
  runs: CalledPlace;
  given: RecordedValue;
  /** Absent if it did not succeed. */
  gave?: RecordedValue;
  /** Why it failed; absent with `gave` of a call that was cut. */
  error?: Pick<Problem, 'code' | 'message'>;
}

/** Target of a call. */
export type CalledPlace =
  /** `url` with placeholders in braces, and without secrets. */
  | { kind: 'api'; method: string; url: string }
  /** `pinned`: SHA-256 of the server's description of the tool; absent if it was not available. */
  | { kind: 'mcp'; server: string; tool: string; pinned?: string }
  /** `digest`: SHA-256 of the script that ran. */
  | { kind: 'script'; script: string; digest: string }
  /** A model that an agent used; `digest`: SHA-256 of the program that answered in its place. */
  | { kind: 'model'; model: string; digest?: string }
  /** A task of its own with its own record. */
  | { kind: 'workflow'; task: string };

/** A whole value, or the start of its JSON text with the length of the whole in characters. */
export type RecordedValue = { value: Json } | { start: string; characters: number };

/** Abilities and places that a task actually called. Each list is sorted and has no duplicates. Source: R-001-09. */
export interface ToolsUsed {
  /** Abilities: operations, and workflows, whose tasks have records of their own. */
  called: string[];
  /**
   * As `server:tool`, with those of the tasks it called: `logs:query`, `shell:db.write.user_row`,
   * `http:http.call.signup`.
   */
  tools_used: string[];
  /** Those in `called` that are not among the ability's `operations`. Plans are built so that this is empty. */
  outside_whitelist: string[];
}

/** Names of the files in a record's folder. */
export const RECORD_FILES = {
  json: 'record.json',
  text: 'tool_call.md',
  logs: 'logs',
  deleted: 'deleted.json',
} as const;

/** Name prefix of logs, one a process, for calls that only make requests; step ids have no dots. */
export const REQUESTS_LOG = 'requests.';

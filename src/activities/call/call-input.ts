import type { PlanOutputFile } from '../../contracts/files.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { Plan, PlanEnvironment } from '../../contracts/plan.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import type { CallFiles } from '../files/call-files.js';
import type { CallLog } from './call-log.js';

/** What an implementation gets for one attempt, whatever its kind. */
export interface CallInput {
  input: JsonObject;
  /** Of the task, for a model that is asked; undefined where no task asks. */
  plan?: Plan;
  /** Of a test case: what the model says in place of asking it, as a program of the project would write it. */
  said?: Json;
  /** Null for a direct run. */
  taskKey: string | null;
  /** What the task is about: the ability of its plan. */
  ability: string;
  path: string;
  /** The same for every attempt: `<task>/<step path>`. */
  idempotencyKey: string;
  /** Trace context of the request that the task came from, as W3C `traceparent` has it; sent on with what is called. */
  trace?: string;
  /** Of the plan: how its schemas, and the answers they are held against, are read. */
  engine: number;
  /** The version of the plan, for the expressions of an implementation. */
  cel: string;
  environment: Pick<PlanEnvironment, 'name' | 'protected' | 'vars'>;
  /** Longest this attempt may take. */
  timeoutMs: number;
  outputBytes: number;
  /** What the contract says of the input. */
  inputSchema: JsonObject;
  /** What the contract says of the output; null: anything. */
  outputSchema: JsonObject | null;
  /** Fires when the call is cancelled. */
  signal: AbortSignal;
  /** Fires when the call is cancelled, and when its time is up. */
  stop: AbortSignal;
  secrets: SecretSource;
  /** Called right before the effect begins, and after everything that may still refuse it. @throws AbilityError. */
  begin: () => Promise<void>;
  log: CallLog;
  /** Copies of the files it is given, and what it makes. */
  files: CallFiles;
  /** Files that its contract names; undefined: none. */
  outputFiles: Record<string, PlanOutputFile> | undefined;
}

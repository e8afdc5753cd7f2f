import type { PlanOutputFile } from '../../contracts/files.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { Plan, PlanEnvironment } from '../../contracts/plan.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import type { CallFiles } from '../files/call-files.js';
import type { CallLog } from './call-log.js';

export interface CallInput {
  input: JsonObject;
  /** Plan of the task, for model calls; undefined outside a task. */
  plan?: Plan;
  /** In a test case: the model's answer, in the format of a program that stands in for a model. */
  said?: Json;
  /** Workflow id of the topmost calling task; absent: no task makes the call. */
  root?: string;
  /** Null for a direct run. */
  taskKey: string | null;
  ability: string;
  path: string;
  /** The same for every attempt: `<task>/<step path>`. */
  idempotencyKey: string;
  /** Trace context of the task's request as W3C `traceparent`; passed on to the call's target. */
  trace?: string;
  environment: Pick<PlanEnvironment, 'name' | 'protected' | 'vars'>;
  timeoutMs: number;
  outputBytes: number;
  inputSchema: JsonObject;
  /** Output schema of the contract; null: anything. */
  outputSchema: JsonObject | null;
  /** Fires when the call is cancelled. */
  signal: AbortSignal;
  /** Fires when the call is cancelled, and when its time is up. */
  stop: AbortSignal;
  secrets: SecretSource;
  /** Called right before the effect, after everything that may still refuse it. @throws AbilityError. */
  begin: () => Promise<void>;
  log: CallLog;
  files: CallFiles;
  /** Files that its contract names; undefined: none. */
  outputFiles: Record<string, PlanOutputFile> | undefined;
}

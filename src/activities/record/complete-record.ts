import type { CallMade, CallsMade, MadeText, StepsDone } from '../../contracts/calls-made.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import type { RecordedCall, RecordedValue, TaskRecord } from '../../contracts/record.js';
import type { EndedTask, TaskReport } from '../../contracts/run-sinks.js';
import type { TaskResult } from '../../contracts/task.js';
import { kindOf } from '../../kinds/kinds.js';
import { credentialsOf, type MaskedSecrets } from '../../planning/secrets/credentials.js';
import { Masker } from '../../planning/secrets/masking/masker.js';
import { toolsUsed } from '../../rules/calls/tools-used.js';
import { digestOf } from '../../rules/canonical.js';
import { startOf } from '../../rules/shown-text.js';
import type { Admitted, RequestedBy } from '../admission.js';
import type { ActivityDependencies } from '../dependencies.js';
import type { SecretReader } from '../secrets/secret-reader.js';
import type { RunRef } from '../task/runs.js';
import { secretsOf } from './mask-record.js';
import { newRecord } from './new-record.js';

export interface Ended {
  /** Workflow id. */
  task: string;
  /** Of its first run; absent: only the record made at creation names it. */
  run_id?: string | undefined;
  admitted: Admitted;
  result: TaskResult;
  /** SHA-256 of its input. */
  inputDigest: string;
  /** Called only if the record made at creation is missing or of an earlier input. */
  input: () => JsonObject;
  /** Report of the workflow; undefined if no worker answers queries: the record keeps earlier facts. */
  report: TaskReport | undefined;
}

type RecordPlace = Pick<ActivityDependencies, 'records' | 'host'> & {
  secrets: (environment: string) => Pick<SecretReader, 'recall' | 'valuesOf'>;
};

/**
 * Completes a task's record. A later end already recorded is kept: a slow worker must not overwrite the worker
 * that took over. @param signal aborts all remaining writes. @throws AbilityError `record.write_failed`.
 */
export async function completeRecord(ended: Ended, place: RecordPlace, signal?: AbortSignal): Promise<void> {
  const { task, admitted, result } = ended;
  const { records, secrets } = place;
  const known = records.read(task);
  const isSame = known?.request.input === ended.inputDigest;
  if (isSame && endsLater(known?.result, result)) return;
  const { plan } = admitted;
  // Another worker may have read the secrets that the record must not show.
  await secrets(plan.environment.name).recall(credentialsOf(plan));
  const used = toolsUsed(plan, result, plan.workflows ? records.toolsOfCalled(task) : []);
  const record = known && isSame ? known : recordOf(known, ended, place);
  // From the history, so that a rewritten record is the same.
  const created_at = ended.report?.created_at ?? record.created_at;
  const calls = recordCalls(ended.report?.calls, plan, secrets);
  const steps = recordSteps(ended.report?.steps, plan, secrets);
  await records.finish({ ...record, created_at, result, used, ...calls, ...steps }, signal);
}

/** Whether a recorded end is later. ISO 8601 moments in UTC with milliseconds compare as texts. */
export function endsLater(known: TaskResult | null | undefined, other: TaskResult | null): boolean {
  return (known?.finished_at ?? '') > (other?.finished_at ?? '');
}

/** A new record, if the one from creation is missing, on another machine, or of an earlier input. */
function recordOf(known: TaskRecord | undefined, ended: Ended, { host }: RecordPlace): TaskRecord {
  const { task, admitted, result, input, report } = ended;
  const created_at = report?.created_at ?? known?.created_at ?? result.started_at ?? new Date().toISOString();
  const { changes, changes_left } = result;
  return newRecord({
    ...admitted,
    input: input(),
    task,
    run_id: known?.run_id ?? ended.run_id,
    host,
    created_at,
    changes,
    changes_left,
  });
}

export type RecordBesideDependencies = RecordPlace & Pick<ActivityDependencies, 'plans'>;

export type RunOnQueue = RequestedBy & { workflowExecution: RunRef };

/**
 * Writes the record of a closing task as the activity would, if its seal admits it. @param signal aborts remaining
 * writes. @throws AbilityError `seal.invalid`, `seal.unknown_key`, `engine.unsupported`, `record.write_failed`.
 */
export async function recordBeside(
  run: RunOnQueue,
  { seal, result: text, input, ...report }: EndedTask,
  { plans, ...place }: RecordBesideDependencies,
  signal?: AbortSignal,
): Promise<void> {
  const task = run.workflowExecution.workflowId;
  const folder = place.records.pathOf(task);
  if (folder === undefined) return;
  const admitted = await plans.admit(seal, run);
  const summary = JSON.parse(text) as TaskResult;
  const result = { ...summary, links: { ...summary.links, record: folder } };
  const read = (): JsonObject => JSON.parse(input) as JsonObject;
  const inputDigest = result.changes ? digestOf(read()) : admitted.seal.input;
  await completeRecord({ task, admitted, result, inputDigest, input: read, report }, place, signal);
}

/** Inputs and outputs of a task's calls, first masked, then cut; an empty object if it made none. */
export function recordCalls(
  made: CallsMade | undefined,
  plan: Plan,
  secrets: (environment: string) => MaskedSecrets,
): Pick<TaskRecord, 'calls' | 'calls_left_out'> {
  if (!made) return {};
  const values = new CutValues(new Masker(secretsOf(plan, secrets(plan.environment.name))));
  const calls = made.listed.map((call) => recordCall(call, plan, values));
  return { calls, ...(made.left_out > 0 && { calls_left_out: made.left_out }) };
}

function recordCall({ path, call, task, given, gave, error }: CallMade, plan: Plan, values: CutValues): RecordedCall {
  const implementation = plan.operations[call]?.implementation;
  return {
    path,
    call,
    ...(implementation && { implementation: implementation.id }),
    runs: implementation ? kindOf(implementation).place(implementation) : { kind: 'workflow', task: task ?? '' },
    given: values.cut(given),
    ...(gave && { gave: values.cut(gave) }),
    ...(error && { error: { code: error.code, message: values.masker.mask(error.message) } }),
  };
}

/** Outcomes of a task's steps that are no calls, for its record. @returns an empty object if none. */
export function recordSteps(
  done: StepsDone | undefined,
  plan: Plan,
  secrets: (environment: string) => MaskedSecrets,
): Pick<TaskRecord, 'steps' | 'steps_left_out'> {
  if (!done) return {};
  const values = new CutValues(new Masker(secretsOf(plan, secrets(plan.environment.name))));
  const steps = done.listed.map(({ path, verb, status, gave, error }) => ({
    path,
    verb,
    status,
    ...(gave && { gave: values.cut(gave) }),
    ...(error && { error: { code: error.code, message: values.masker.mask(error.message) } }),
  }));
  return { steps, ...(done.left_out > 0 && { steps_left_out: done.left_out }) };
}

/** Maximum characters of one value, and of all values of a record together. */
const MAX_OF_A_VALUE = 4 * 1024;
const MAX_OF_ALL = 256 * 1024;

class CutValues {
  private room = MAX_OF_ALL;

  constructor(readonly masker: Masker) {}

  cut([text, characters]: MadeText): RecordedValue {
    const recorded = text.length === characters ? this.cutWhole(text) : this.cutStart(text, characters);
    this.room -= 'value' in recorded ? text.length : recorded.start.length;
    return recorded;
  }

  private cutWhole(text: string): RecordedValue {
    const masked = this.masker.maskDeep(JSON.parse(text)) as Json;
    const whole = JSON.stringify(masked);
    const max = this.max();
    return whole.length <= max ? { value: masked } : { start: startOf(whole, max), characters: whole.length };
  }

  /** Ends the text before a secret that the cut may have halved. */
  private cutStart(text: string, characters: number): RecordedValue {
    const known = text.slice(0, this.masker.openAt(text));
    return { start: startOf(this.masker.mask(known), this.max()), characters };
  }

  private max(): number {
    return Math.max(0, Math.min(MAX_OF_A_VALUE, this.room));
  }
}

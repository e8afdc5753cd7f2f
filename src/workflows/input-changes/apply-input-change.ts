import {
  ApplicationFailure,
  condition,
  currentUpdateInfo,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { ModifyAnswer, ModifyRequest } from '../../contracts/activities.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { ACTIVITIES, ACTIVITY_LIMITS } from '../../contracts/names.js';
import type { Problem } from '../../contracts/problem.js';
import type { EditAnswer, InputEdit } from '../../contracts/task.js';
import { digestOf } from '../../rules/canonical.js';
import { defined } from '../../text/defined.js';
import { asApplicationFailure, readActivityFailure } from '../steps/step-failure.js';
import type { TaskIdentity } from '../task/identity.js';
import type { TaskRun } from '../task/task-run.js';

type Modify = (request: ModifyRequest) => Promise<ModifyAnswer>;

/** The only parts of an {@link InputEdit}; no caller may change the plan or its seal. */
const PARTS = new Set(['set', 'unset', 'by', 'caller']);

/** Refuses before recording. @throws ApplicationFailure `task.started`, `seal.invalid`, `usage.invalid`. */
export function refuseEdit(run: TaskRun, edit: unknown): void {
  if (!isJsonObject(edit)) throw refusal({ code: 'usage.invalid', message: 'A change has the form {set, unset, by}' });
  const strange = Object.keys(edit).filter((name) => !PARTS.has(name));
  if (strange.length > 0) {
    const message = `Only preflight determines what a task runs: ${strange.join(', ')} cannot be part of a change`;
    throw refusal({ code: 'seal.invalid', message, suggestion: 'Change the input: {set, unset, by}.' });
  }
  const { set, unset, by } = edit;
  const names = Array.isArray(unset) && unset.every((name) => typeof name === 'string');
  if (!isJsonObject(set) || !names || !isJsonObject(by) || typeof by.name !== 'string') {
    throw refusal({ code: 'usage.invalid', message: 'A change has the form {set: {...}, unset: [...], by: {name}}' });
  }
  const why = whyTooLate(run);
  if (why) throw refusal({ code: 'task.started', message: `${run.task.id} ${why}, so its input cannot be changed` });
}

/**
 * Changes the input of a created task: repeats the whole preflight, one change after the other. An accepted change
 * is final: the task continues as a new run, whose first event has the new plan, seal and input. A `run` that
 * arrives meanwhile waits for it. Source: C-37; docs/architecture.md#the-way-of-a-task.
 */
export async function modify(run: TaskRun, edit: InputEdit): Promise<EditAnswer> {
  const { input } = run;
  input.pendingChanges += 1;
  try {
    while (input.isLocked) await condition(() => !input.isLocked);
    input.isLocked = true;
    try {
      return await edited(run, edit);
    } finally {
      input.isLocked = false;
    }
  } catch (error) {
    const failure = failureOf(run.task, error);
    run.audit.note('refused', { path: 'input', code: failure.type ?? '', by: edit.by.name, proof: 'claimed' });
    throw failure;
  } finally {
    input.pendingChanges -= 1;
  }
}

async function edited(run: TaskRun, { set, unset, by, caller }: InputEdit): Promise<EditAnswer> {
  const { input, task } = run;
  const id = currentUpdateInfo()?.id ?? '';
  const before = input.applied.find((applied) => applied.id === id);
  if (before) return { fields: before.fields, changed: true, input: input.value, warnings: [] };
  const missing = unset.filter((name) => !Object.hasOwn(input.value, name));
  if (missing.length > 0) {
    const message = `The input of ${task.id} has no field ${missing.join(', ')} to unset`;
    throw refusal({ code: 'input.invalid', message });
  }
  const kept = Object.entries(input.value).filter(([name]) => !unset.includes(name));
  const person = { name: by.name, source: 'claimed' } as const;
  const checked = await preflightAgain(task, { ...Object.fromEntries(kept), ...set }, person, caller);
  // The task ended while the hooks ran.
  if (!input.mayChange) throw refusal({ code: 'task.started', message: `${task.id} has ended meanwhile` });
  const fields = differing(input.value, checked.input);
  const answer = { fields, input: checked.input, warnings: checked.warnings };
  if (isSame(run, checked)) return { ...answer, changed: false };
  input.next = checked;
  input.value = checked.input;
  input.note({ by: person, at: new Date().toISOString(), fields });
  input.applied.push({ id, fields });
  run.life.changed();
  return { ...answer, changed: true };
}

/** Hooks may take long, and during a local activity an incoming signal would undo the change. */
function preflightAgain(
  task: TaskIdentity,
  input: JsonObject,
  by: InputEdit['by'],
  caller: InputEdit['caller'],
): Promise<ModifyAnswer> {
  const activities = proxyActivities<Record<string, Modify>>({
    scheduleToStartTimeout: ACTIVITY_LIMITS.preflight_to_start,
    scheduleToCloseTimeout: '55s',
    heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
    retry: { maximumAttempts: 2 },
  });
  const { plan: only } = task.start.options;
  return (activities[ACTIVITIES.modify] as Modify)({
    ...task.context,
    input,
    by,
    ...defined({ caller, only }),
  });
}

/** Whether input, definitions and confirmations are unchanged. */
function isSame({ task, input: { next } }: TaskRun, { seal }: ModifyAnswer): boolean {
  const before = (next ?? task.start).seal;
  const what = ({ input, plan, confirmations }: typeof seal) => digestOf({ input, plan, confirmations });
  return what(before) === what(seal);
}

function differing(before: JsonObject, after: JsonObject): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const at = (input: JsonObject, name: string): string =>
    Object.hasOwn(input, name) ? digestOf(input[name] as Json) : '';
  return [...names].filter((name) => at(before, name) !== at(after, name)).sort();
}

function whyTooLate({ task, life, input }: TaskRun): string | undefined {
  if (life.finishedAt !== undefined) return 'has ended';
  if (life.runRequested) return 'was run';
  if (!input.mayChange) return 'is ending';
  return task.start.progress ? 'continues from what was done with this input' : undefined;
}

/** A handler may only throw Temporal's failures; others would be retried forever. */
function failureOf({ id }: TaskIdentity, error: unknown): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (isCancellation(error)) {
    return refusal({ code: 'task.started', message: `${id} was cancelled meanwhile` });
  }
  const end = readActivityFailure(error);
  if (end.kind === 'problem') return refusal(end.problem);
  const message = error instanceof Error ? error.message : String(error);
  const code = end.kind === 'timeout' ? 'worker.unavailable' : 'internal.error';
  return refusal({ code, message: `The new input of ${id} was not checked: ${message}` });
}

function refusal(problem: Problem): ApplicationFailure {
  const failure = asApplicationFailure(problem);
  failure.stack = '';
  return failure;
}

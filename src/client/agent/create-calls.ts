import type { CallRefusal, CallReport, PlannedEntry } from '../../contracts/agent-runtime.js';
import { meaningOf } from '../../contracts/codes.js';
import { AbilityError } from '../../contracts/problem.js';
import type { AbilityGuard } from '../../contracts/session.js';
import { EXIT, isEndState } from '../../contracts/states.js';
import { digestOf } from '../../rules/canonical.js';
import { cancelTask } from '../change/control-task.js';
import { createTask } from '../start/create-task.js';
import { viewTask } from '../view/view-task.js';
import { aboutEntry, refusalFrom, statusReport } from './call-report.js';
import { keepTask } from './run-journal.js';
import { callOf, type MadeCall, masked, type RunState } from './run-state.js';

/**
 * Tasks of a plan, not yet run. Calls that an earlier plan created and this one repeats keep their tasks.
 * @returns the calls that cannot be created; if there are any, nothing of the plan runs. Source: R-000-80; C-45.
 */
export async function createCalls(state: RunState, plan: readonly PlannedEntry[]): Promise<CallReport[]> {
  const failed: CallReport[] = [];
  for (const [index, entry] of plan.entries()) {
    const known = state.made.get(entry.id);
    const call = callOf(state, entry);
    if (known && known.call === call && !known.cancelled) continue;
    if (known && !known.cancelled) await dropCall(state, known);
    const refusal = await createCall(state, entry, call, keyOf(state.run, state.turns, index));
    if (refusal) failed.push(statusReport(aboutEntry(state.turns, entry), 'unavailable', refusal));
  }
  return failed;
}

/** Cancels created tasks that never ran and that the plan no longer names. @returns their reports. */
export async function dropUnnamed(state: RunState, plan: readonly PlannedEntry[]): Promise<CallReport[]> {
  const named = new Set(plan.map(({ id }) => id));
  const dropped: CallReport[] = [];
  for (const [id, made] of state.made) {
    if (named.has(id) || made.result || made.cancelled) continue;
    if (await dropCall(state, made)) {
      dropped.push(statusReport(aboutEntry(state.turns, made.entry, made.task_key), 'cancelled'));
    }
  }
  return dropped;
}

/** Cancels a created task. @returns false if it already runs or has ended. */
async function dropCall({ connection }: RunState, made: MadeCall): Promise<boolean> {
  const { result } = await viewTask(connection, made.task_key);
  if (result.status !== 'created') {
    if (isEndState(result.status)) made.result = result;
    return false;
  }
  try {
    await cancelTask(connection, made.task_key);
  } catch (error) {
    if (!(error instanceof AbilityError) || error.code !== 'task.closed') throw error;
  }
  made.cancelled = true;
  return true;
}

async function createCall(
  state: RunState,
  entry: PlannedEntry,
  call: string,
  key: string,
): Promise<CallRefusal | undefined> {
  const { connection, options, session, run, recorded, turns } = state;
  if (recorded.get(turns)?.masked.includes(entry.id)) return NOT_KEPT;
  const { environment, scope, user, prompt, onStall, strict, trace = null, signal } = options;
  const intent = prompt.trim().replaceAll(/\s+/g, ' ').slice(0, 1000);
  try {
    const { id } = await createTask(connection, {
      ability: entry.ability_id,
      environment,
      input: entry.input,
      caller: { person: user, kind: 'agent', session, scope, trace, intent },
      inRun: run,
      key,
      run: false,
      ...(onStall && { onStall }),
      ...strict,
      ...(signal && { signal }),
    });
    const made = { entry, task_key: id, call };
    state.made.set(entry.id, made);
    keepTask(state, made);
    return undefined;
  } catch (error) {
    if (!(error instanceof AbilityError) || !isForPlanner(error)) throw error;
    state.refused.push(...guardOf(entry, error));
    return masked(state, refusalFrom(error.toProblem()));
  }
}

const NOT_KEPT: CallRefusal = {
  code: 'planner.input_not_kept',
  reason: 'The run was cut off before this call had a task, and its input contained a secret, which is not stored',
  suggestion: 'Plan the call again under another id.',
};

const OF_THE_RUN = /^(session|task|store|internal|wait)\./;

/** Whether another plan could avoid the error; other errors end the run. */
function isForPlanner({ code }: AbilityError): boolean {
  const meaning = meaningOf(code);
  return meaning !== undefined && meaning.exit !== EXIT.outOfOrder && !OF_THE_RUN.test(code);
}

function guardOf({ ability_id }: PlannedEntry, { code, message, suggestion, details }: AbilityError): AbilityGuard[] {
  const { hook_id, phase } = (details ?? {}) as { hook_id?: string; phase?: string };
  if (code !== 'guard.denied' || hook_id === undefined) return [];
  const source = `${phase ?? 'PreAbilityCreate'}.${hook_id}`;
  return [{ ability_id, decision: 'deny', reason: message, source, ...(suggestion !== undefined && { suggestion }) }];
}

/** Deterministic (run, turn, index in the plan), so that a resumed run finds its own tasks. */
function keyOf(run: string, turn: number, index: number): string {
  const short = run.length <= 50 ? run : `${run.slice(0, 33)}-${digestOf(run).slice(0, 16)}`;
  return `${short}.t${turn}.${index + 1}`;
}

import type { CallReport, ConsentQuestion, SessionOutcome } from '../../contracts/agent-runtime.js';
import type { JsonObject } from '../../contracts/json.js';
import type { RunLogLine } from '../../contracts/routing.js';
import { isEndState } from '../../contracts/states.js';
import { digestOf } from '../../rules/canonical.js';
import { viewTask } from '../view/view-task.js';
import { type MadeCall, masked, type RecordedTurn, type RunState } from './run-state.js';

/** The content of the log line `answer`: the end of a run, without the outputs of tasks. */
export interface KeptEnd
  extends Pick<SessionOutcome, 'status' | 'session_id' | 'answer' | 'turns' | 'plan' | 'problem'> {
  owns_session: boolean;
}

/**
 * Logs an answer before acting on it, so that it is requested only once. Of two processes of the same run, both
 * use the answer logged first. @returns that of the other process, if it was first.
 */
export function keepTurn(state: RunState, turn: Omit<RecordedTurn, 'masked'>): RecordedTurn | undefined {
  const plan = masked(state, turn.plan);
  const hidden = turn.plan.flatMap(({ id }, index) => {
    return JSON.stringify(plan[index]) === JSON.stringify(turn.plan[index]) ? [] : [id];
  });
  const kept = { plan, asks: turn.asks, masked: hidden, ...(turn.answer !== undefined && { answer: turn.answer }) };
  const own = masked(state, kept);
  append(state, 'plan', null, { turn: state.turns, ...own });
  const lines = state.options.journal?.log.read() ?? [];
  const first = lines.find(({ kind, payload }) => kind === 'plan' && payload.turn === state.turns);
  const other = first && recordedOf(first.payload as unknown as RecordedTurn);
  return other && digestOf(other) !== digestOf(recordedOf(own)) ? other : undefined;
}

function recordedOf({ plan, asks, masked: hidden, answer }: RecordedTurn): RecordedTurn {
  return { plan, asks, masked: hidden, ...(answer !== undefined && { answer }) };
}

export function keepTask(state: RunState, { entry: { id, ability_id }, task_key, call }: MadeCall): void {
  append(state, 'task', id, { turn: state.turns, task_key, ability_id, call });
}

/** Logs the requester's consent. @param held the names under which it is stored: risks, and risks of calls. */
export function keepConsent(state: RunState, { risks, reference }: ConsentQuestion, held: readonly string[]): void {
  append(state, 'approval', null, { by: state.options.user.name, agreed: true, risks, held, reference });
}

/** Logs the reports of a turn, without outputs, which the tasks keep. */
export function keepReports(state: RunState, reports: readonly CallReport[]): void {
  const kept = reports.map(({ output: _, output_cut: __, ...report }) => report);
  append(state, 'decision', null, { turn: state.turns, reports: masked(state, kept) });
}

export function keepEnd(state: RunState, end: SessionOutcome): void {
  const { status, session_id, answer, turns, plan, problem } = end;
  const { ownsSession: owns_session } = state;
  const kept: KeptEnd = { status, session_id, owns_session, answer, turns, plan, problem };
  append(state, 'answer', null, masked(state, kept));
}

function append(
  { options }: RunState,
  kind: Exclude<RunLogLine['kind'], 'recruitment'>,
  step: string | null,
  payload: object,
): void {
  options.journal?.log.append(kind, step, JSON.parse(JSON.stringify(payload)) as JsonObject);
}

/** Undefined if no earlier process has ended the run. */
export function endedBefore(journal: { log: { read(): RunLogLine[] } } | undefined): KeptEnd | undefined {
  return journal?.log.read().findLast(({ kind }) => kind === 'answer')?.payload as KeptEnd | undefined;
}

/** Restores the state that earlier processes of the same run logged. */
export function restore(state: RunState): void {
  for (const { kind, step, payload } of state.options.journal?.log.read() ?? []) {
    const { turn } = payload as { turn?: number };
    if (kind === 'plan' && turn !== undefined && !state.recorded.has(turn)) {
      state.recorded.set(turn, recordedOf(payload as unknown as RecordedTurn));
    }
    if (kind === 'task' && turn !== undefined && step !== null) {
      const { task_key, call } = payload as { task_key: string; call: string };
      const entry = state.recorded.get(turn)?.plan.find(({ id }) => id === step);
      if (entry) state.made.set(step, { entry, task_key, call });
    }
    if (kind === 'decision' && turn !== undefined) {
      state.reported.set(turn, (payload as unknown as { reports: CallReport[] }).reports);
    }
    if (kind === 'approval') for (const one of (payload as { held?: string[] }).held ?? []) state.agreed.add(one);
  }
}

/** Reads the results of calls that ended during an earlier process. */
export async function readEnded(state: RunState): Promise<void> {
  const reports = [...state.reported.values()].flat();
  for (const made of state.made.values()) {
    const last = reports.findLast(({ task_key }) => task_key === made.task_key);
    if (last?.status === 'cancelled') made.cancelled = true;
    if (!last || !isEndState(last.status) || made.result) continue;
    const { result } = await viewTask(state.connection, made.task_key);
    if (isEndState(result.status)) made.result = result;
  }
}

import type { FailureEnd, ItemFailure } from '../../contracts/loops.js';
import type { StepStatus } from '../../contracts/states.js';
import type { StepSummary } from '../../contracts/task.js';
import { generalPath, turnOf } from '../../rules/steps/step-tree.js';
import type { SeenCall } from './read-calls.js';

const MAX_FAILURES = 20;

/** Builds the steps of a result from calls alone; a loop becomes one step. */
export function stepsOfCalls(calls: readonly SeenCall[], isOver: boolean): StepSummary[] {
  const last = new Map(calls.map((call) => [call.path, call]));
  const rows = new Map<string, SeenCall[]>();
  for (const call of last.values()) {
    const path = generalPath(call.path);
    const turns = rows.get(path);
    if (turns) turns.push(call);
    else rows.set(path, [call]);
  }
  return [...rows].map(([path, turns]) =>
    path.includes('*') ? rowOfTurns(path, turns, isOver) : rowOf(turns, isOver),
  );
}

function rowOf([call]: readonly SeenCall[], isOver: boolean): StepSummary {
  const { path, operation, attempt, scheduled_at, ended_at, problem } = call as SeenCall;
  return {
    id: idOf(path),
    path,
    call: operation,
    status: statusOf(call as SeenCall, isOver),
    attempts: attempt,
    duration_ms: between(scheduled_at, ended_at),
    ...(problem && { error: problem }),
  };
}

function rowOfTurns(path: string, calls: readonly SeenCall[], isOver: boolean): StepSummary {
  const statuses = calls.map((call) => statusOf(call, isOver));
  const bad = calls.filter((_, index) => !['succeeded', 'running'].includes(statuses[index] as StepStatus));
  const status = (['running', 'unknown', 'failed', 'cancelled'] as const).find((one) => statuses.includes(one));
  const starts = calls.flatMap(({ scheduled_at }) => scheduled_at ?? []).sort();
  const ends = calls.flatMap(({ ended_at }) => ended_at ?? []).sort();
  const error = bad.find(({ problem }) => problem)?.problem;
  const failures = bad.slice(0, MAX_FAILURES).map((call): ItemFailure => {
    const { path: at, attempt: attempts, problem } = call;
    const end = statusOf(call, isOver) as FailureEnd;
    return { item: turnOf(at), status: end, path: at, attempts, ...(problem && { error: problem }) };
  });
  return {
    id: idOf(path),
    path,
    call: calls[0]?.operation ?? null,
    status: status ?? 'succeeded',
    attempts: calls.reduce((sum, { attempt }) => sum + attempt, 0),
    duration_ms: ends.length < calls.length ? null : between(starts[0] ?? null, ends.at(-1) ?? null),
    turns: calls.length,
    ...(error && { error }),
    ...(bad.length > 0 && { failed_turns: bad.length, failures }),
    ...(bad.length > failures.length && { failures_left_out: bad.length - failures.length }),
  };
}

function statusOf({ end }: SeenCall, isOver: boolean): StepStatus {
  if (end === 'completed') return 'succeeded';
  if (end !== null) return end;
  return isOver ? 'unknown' : 'running';
}

function idOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function between(start: string | null, end: string | null): number | null {
  return start === null || end === null ? null : Date.parse(end) - Date.parse(start);
}

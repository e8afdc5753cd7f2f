import { awaitResult, createTask } from '../client/index.js';
import type { TaskCaller } from '../contracts/callers.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import { CaseApprovals, CaseSignals } from './approvals-and-signals.js';
import { driveTask } from './drive-task.js';
import { type CaseOutcome, judgeCase } from './judge-case.js';
import type { Bench } from './open-bench.js';
import type { PreparedCase } from './prepared-case.js';
import type { CaseFailure, CaseReport } from './report.js';

const TESTER: TaskCaller = {
  person: { name: 'tester', source: 'claimed' },
  kind: null,
  session: null,
  scope: null,
  trace: null,
  intent: null,
};

/** Runs and checks one case. @throws the signal's reason, and errors of the bench rather than of the case. */
export async function runCase(bench: Bench, prepared: PreparedCase, signal: AbortSignal): Promise<CaseReport> {
  const started = performance.now();
  const { ability, name, location, expect } = prepared;
  const { task, calls } = bench.begin(prepared);
  const approvals = new CaseApprovals(bench, prepared.approvals);
  const signals = new CaseSignals(bench.connection, prepared.signals, prepared.waits);
  const { outcome, warnings, problem } = await runTask(bench, task, prepared, approvals, signals, signal);
  const unsent = signals.unsent.map((name) => `No step waited for the signal ${name}, so it was not sent.`);
  const unanswered = calls.unanswered.map((missing): CaseFailure => ({ kind: 'problem', problem: missing }));
  const judged = outcome ? judgeCase(expect, { ...outcome, calls: calls.seen }) : [];
  const failures: CaseFailure[] = problem
    ? [{ kind: 'problem', problem }]
    : unanswered.length > 0
      ? unanswered
      : judged;
  return {
    ability,
    name,
    location,
    status: failures.length === 0 ? 'passed' : 'failed',
    duration_ms: Math.round(performance.now() - started),
    task_status: outcome?.status ?? null,
    failures,
    notes: failures.length === 0 ? [] : [...warnings, ...approvals.ignored, ...unsent],
  };
}

interface TaskEnd {
  outcome?: Omit<CaseOutcome, 'calls'>;
  warnings: string[];
  /** Why the task did not end. */
  problem?: Problem;
}

async function runTask(
  { connection, clock }: Bench,
  task: string,
  { ability, environment, input }: PreparedCase,
  approvals: CaseApprovals,
  signals: CaseSignals,
  signal: AbortSignal,
): Promise<TaskEnd> {
  try {
    const wanted = { ability, environment, input, caller: TESTER, key: task, run: true };
    await createTask(connection, { ...wanted, soon: true, leaves: true });
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return { outcome: { status: 'unavailable', output: null, error: error.toProblem(), steps: [] }, warnings: [] };
  }
  const problem = await driveTask(connection, clock, task, approvals, signals, signal);
  if (problem) {
    await connection.temporal.workflow.getHandle(task).terminate('the case is over');
    return { problem, warnings: [] };
  }
  const { status, output, error, steps, warnings } = await awaitResult(connection, task);
  return { outcome: { status, output, error, steps }, warnings };
}

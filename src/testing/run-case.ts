import { awaitResult, createTask } from '../client/index.js';
import type { TaskCaller } from '../contracts/callers.js';
import type { Json } from '../contracts/json.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import type { StepSummary, TaskResult } from '../contracts/task.js';
import type { Expectation } from '../definitions/formats/cases.js';
import { findDifferences } from '../text/value-differences.js';
import { CaseApprovals, CaseSignals } from './approvals-and-signals.js';
import type { SeenCall } from './case-calls.js';
import { driveTask } from './drive-task.js';
import type { Bench } from './open-bench.js';
import type { PreparedCase } from './prepared-case.js';
import { type CaseFailure, type CaseReport, compareLists } from './report.js';

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

export interface CaseOutcome extends Pick<TaskResult, 'output' | 'error' | 'steps'> {
  status: TaskResult['status'] | 'unavailable';
  calls: readonly SeenCall[];
}

/** A case that names neither status nor error expects success. */
export function judgeCase(expected: Expectation, outcome: CaseOutcome): CaseFailure[] {
  const end = judgeEnd(expected, outcome);
  return [
    ...end,
    ...judgeOutput(expected, outcome, end.length > 0),
    ...(expected.calls ? judgeCalls(expected.calls, outcome.calls) : []),
    ...judgeSteps(expected.steps ?? {}, outcome.steps),
  ];
}

function judgeEnd({ status, error }: Expectation, outcome: CaseOutcome): CaseFailure[] {
  const wanted = status ?? (error ? undefined : 'succeeded');
  const failures: CaseFailure[] = [];
  if (wanted !== undefined && wanted !== outcome.status) {
    failures.push({ kind: 'value', at: 'status', expected: wanted, actual: outcome.status });
  }
  if (error) failures.push(...judgeError(error, outcome.error));
  // The error says more than the status.
  if (failures.length > 0 && outcome.error) failures.push({ kind: 'problem', problem: outcome.error });
  return failures;
}

function judgeError(expected: NonNullable<Expectation['error']>, actual: Problem | null): CaseFailure[] {
  if (actual === null) return [differing('error', expected.code, null)];
  const { code, step, message } = { step: undefined, message: undefined, ...expected };
  const failures: CaseFailure[] = [];
  if (code !== actual.code) failures.push(differing('error.code', code, actual.code));
  if (step !== undefined && step !== actual.step) failures.push(differing('error.step', step, actual.step));
  if (message !== undefined && !actual.message.includes(message)) {
    failures.push(differing('error.message (contains)', message, actual.message));
  }
  return failures;
}

/** Ignores the output if the task ended with another status than expected. */
function judgeOutput(expected: Expectation, { output }: CaseOutcome, endedOtherwise: boolean): CaseFailure[] {
  if (endedOtherwise) return [];
  const whole = expected.output === undefined ? [] : findDifferences('output', expected.output, output);
  const part =
    expected.output_includes === undefined ? [] : findDifferences('output', expected.output_includes, output, true);
  return [...whole, ...part].map(({ at, expected: wanted, actual }) => differing(at, wanted, actual));
}

type ExpectedCall = NonNullable<Expectation['calls']>[number];

function judgeCalls(expected: readonly ExpectedCall[], calls: readonly SeenCall[]): CaseFailure[] {
  const wanted = expected.map((call) => (typeof call === 'string' ? { call, with: undefined } : call));
  const lines = compareLists<{ call: string; path?: string }>(
    wanted,
    [...calls],
    ({ call, path }) => (path === undefined ? call : `${call}  (${path})`),
    (one, other) => one.call === other.call,
  );
  if (lines.some(({ mark }) => mark !== ' ')) return [{ kind: 'calls', lines }];
  return wanted.flatMap(({ with: input }, index) => {
    const differences = input ? findDifferences('with', input, calls[index]?.input, true) : [];
    return differences.map(({ at, expected: value, actual }) =>
      differing(`calls[${index}].${at} (${calls[index]?.path})`, value, actual),
    );
  });
}

function judgeSteps(expected: Record<string, string>, steps: readonly StepSummary[]): CaseFailure[] {
  return Object.entries(expected).flatMap(([name, status]) => {
    const found = steps.find(({ path }) => path === name) ?? steps.find(({ id }) => id === name);
    return found?.status === status ? [] : [differing(`steps.${name}`, status, found?.status)];
  });
}

function differing(at: string, expected: Json | undefined, actual: Json | undefined): CaseFailure {
  return { kind: 'value', at, ...(expected !== undefined && { expected }), ...(actual !== undefined && { actual }) };
}

import { CancellationScope } from '@temporalio/workflow';
import type { PlanOperation } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import type { StepProgress } from '../../contracts/task.js';
import { isInTurn, nameOfStep } from '../../rules/steps/step-tree.js';
import { callOperation } from '../calls/call-operation.js';
import { reportStep } from '../reports/report-spans.js';
import { CleanupBudget } from '../task/budget.js';
import { BranchStop } from '../task/stop-branches.js';
import type { TaskRun } from '../task/task-run.js';
import { isStepFailure, StepFailure, stepStatusOf } from './step-failure.js';
import { isUndo } from './step-notes.js';

/**
 * Undoes the calls of a task, last first, even if others failed. Not cancellable, limited as a clean-up; failures
 * become warnings. Source: docs/workflow-language.md; docs/architecture.md#the-way-of-a-task.
 */
export async function runUndo(run: TaskRun): Promise<void> {
  const entries = Object.entries(run.steps.progress)
    .filter(([path, { status }]) => isUndo(path) && (status === 'pending' || status === 'running'))
    .reverse()
    // Without a number: made by the task that this one retries, as the last of those that it repeats.
    .sort(([, a], [, b]) => (b.sequence ?? Number.MAX_SAFE_INTEGER) - (a.sequence ?? Number.MAX_SAFE_INTEGER));
  if (entries.length === 0) return;
  const budget = new CleanupBudget(run.task.plan.limits);
  await CancellationScope.nonCancellable(async () => {
    for (const [path, entry] of entries) await undoOne(run, path, entry, budget);
  });
}

async function undoOne(run: TaskRun, path: string, entry: StepProgress, budget: CleanupBudget): Promise<void> {
  const id = nameOfStep(path);
  try {
    const { undo, call: key = '' } = entry;
    if (!undo || 'problem' in undo) throw new StepFailure(undo?.problem ?? NOT_KNOWN);
    const operation = run.task.plan.operations[key] as PlanOperation;
    run.steps.note(path, id, { status: 'running' });
    const call = { path, id, operation, input: undo.with, retry: undefined, timeoutMs: undefined, mayBeCut: false };
    const takesBack = { asks: entry.approval === 'required' };
    const output = await callOperation(run, { ...call, takesBack, groups: [], branchStop: new BranchStop(), budget });
    run.steps.note(path, id, { status: 'succeeded', output });
  } catch (error) {
    if (!isStepFailure(error)) throw error;
    const { problem } = error;
    run.steps.note(path, id, { status: stepStatusOf(problem.code), output: null, error: problem });
    run.warnings.add(
      `Not undone: ${(isInTurn(path) ? path : id).replace(/\.undo$/, '')}: ${problem.code}: ${problem.message}`,
    );
  } finally {
    reportStep(run.steps, { id, verb: 'call' }, path, { instance: path, within: undefined });
  }
}

const NOT_KNOWN: Problem = { code: 'internal.error', message: 'The undo of the call was not recorded' };

import { CancellationScope } from '@temporalio/workflow';
import type { FinishAnswer, FinishRequest } from '../../contracts/activities.js';
import type { Json } from '../../contracts/json.js';
import { ACTIVITIES } from '../../contracts/names.js';
import type { Problem } from '../../contracts/problem.js';
import type { TaskReport } from '../../contracts/run-sinks.js';
import type { EndState } from '../../contracts/states.js';
import type { TaskResult } from '../../contracts/task.js';
import { describeOutside, toolsUsed } from '../../rules/calls/tools-used.js';
import { describeForgiven } from '../../rules/steps/describe-items.js';
import { callerOf } from '../../rules/tasks/persons.js';
import { localActivity, untilKeyed } from '../calls/local-activities.js';
import { reportEnd, sendReport } from '../reports/report-run.js';
import { rollbackOf } from '../steps/rollback.js';
import { messageOf } from '../steps/step-failure.js';
import { stepsDone } from '../steps/steps-done.js';
import type { TaskIdentity } from './identity.js';
import type { TaskRun } from './task-run.js';

/** How a task ended, before its output is checked. */
export interface Outcome {
  status: EndState;
  output: Json;
  error: Problem | null;
  /** Whether the author declared that an answer means the error, for the task that called this one. */
  answer?: true;
}

/** A larger result goes to the store, which only an activity can write. Bytes, as JSON. */
const MAX_BESIDE = 64 * 1024;

/**
 * Checks the output of a task and writes its record: beside its history, without an event, or by one local
 * activity. Without a worker for that it ends with a warning.
 */
export async function finishTask(run: TaskRun, outcome: Outcome): Promise<TaskResult> {
  run.life.finishedAt = new Date().toISOString();
  const result = resultOf(run, outcome);
  if (!mayEndBeside(run.task, outcome)) return finishByActivity(run, result);
  result.warnings = [...result.warnings, ...toolsUsed(run.task.plan, result).outside_whitelist.map(describeOutside)];
  const text = JSON.stringify(result);
  if (new TextEncoder().encode(text).length > Math.min(MAX_BESIDE, run.task.plan.limits.output_bytes)) {
    return finishByActivity(run, result);
  }
  reportEnd(run.task.context, text, run.input.value, reportOf(run));
  return result;
}

/**
 * Whether only the record is left to write. The sandbox validates nothing; the caller of a called task relies on
 * its record; Temporal keeps the result of a cancelled task only in its last activity.
 */
function mayEndBeside({ plan, start }: TaskIdentity, { status }: Outcome): boolean {
  if (start.child || status === 'cancelled') return false;
  return plan.ability.kind === 'operation' || !plan.ability.output_schema;
}

/** Facts for its record that only this workflow knows. */
export function reportOf(run: TaskRun): TaskReport {
  const calls = run.calls.report();
  const steps = stepsDone(run.task.listed, run.steps);
  return { created_at: run.task.createdAt, ...(calls && { calls }), ...(steps && { steps }) };
}

async function finishByActivity(run: TaskRun, result: TaskResult): Promise<TaskResult> {
  sendReport(reportOf(run));
  const finish = localActivity<FinishRequest, FinishAnswer>(ACTIVITIES.finish);
  const request = { ...run.task.context, result, input: run.input.value };
  try {
    const answer = await CancellationScope.nonCancellable(() => untilKeyed(() => finish(request)));
    return 'changes' in answer ? { ...result, ...answer.changes } : result;
  } catch (error) {
    const warning = `record.write_failed: the end was not recorded: ${messageOf(error)}`;
    return { ...result, warnings: [...result.warnings, warning] };
  }
}

/** A task's outcome as shown at every door. */
export function resultOf(run: TaskRun, outcome?: Outcome): TaskResult {
  const { task, life, input, files, hooks } = run;
  const { plan, start } = task;
  const { seal, user } = start;
  const caller = callerOf(start);
  const steps = run.summarize(outcome !== undefined);
  const hasFailed = life.finishedAt !== undefined && (outcome ?? life.ending)?.status !== 'succeeded';
  return {
    status: outcome?.status ?? life.state,
    task_key: task.key,
    ability_id: plan.ability.id,
    version: plan.ability.version,
    digest: seal.plan,
    environment: plan.environment.name,
    output: outcome?.output ?? null,
    error: outcome?.error ?? null,
    warnings: [...run.warnings.now(), ...leftOut(run), ...describeForgiven(task.listed, steps)],
    steps,
    approvals: run.approvals.list,
    hooks: hooks.list,
    requested_by: user,
    ...(caller && { caller }),
    started_at: life.startedAt ?? null,
    finished_at: life.finishedAt ?? null,
    cleanup_ran: life.cleanupRan,
    ...(hasFailed && rollbackOf(run.steps.progress, run.rollbacks)),
    links: { temporal: null, page: null, record: null },
    ...(run.lock.turn && { concurrency: run.lock.turn }),
    ...(files.listed.length > 0 && { files: files.listed }),
    ...(seal.intent !== undefined && { intent: seal.intent }),
    ...(input.changes.length > 0 && { changes: input.changes }),
    ...(input.left.count > 0 && { changes_left: input.left.count }),
    ...(run.agent && { agent: run.agent }),
    ...(start.child && { worked_ms: run.budget.spent(), ...(outcome?.answer && { answer: true as const }) }),
  };
}

/** Notes what a long task did not carry on; the histories of its earlier runs contain it. */
function leftOut({ hooks, warnings }: TaskRun): string[] {
  const { leftOut: answers } = hooks;
  return [
    ...(answers > 0 ? [`${answers} answers of hooks are left out, those that let calls pass before all others`] : []),
    ...(warnings.leftOut > 0 ? [`${warnings.leftOut} warnings are left out`] : []),
  ];
}

import { CancellationScope, proxyLocalActivities } from '@temporalio/workflow';
import type { FinishAnswer, FinishRequest } from '../../contracts/activities.js';
import type { Json } from '../../contracts/json.js';
import { ACTIVITIES } from '../../contracts/names.js';
import type { Problem } from '../../contracts/problem.js';
import type { ToldTask } from '../../contracts/run-sinks.js';
import type { EndState } from '../../contracts/states.js';
import type { TaskResult } from '../../contracts/task.js';
import { callerOf } from '../../rules/caller-of.js';
import { isSinceEngine2 } from '../../rules/engine.js';
import { tellForgiven } from '../../rules/forgiven-failures.js';
import { describeOutside, toolsUsed } from '../../rules/tools-used.js';
import { untilKeyed } from '../calls/ask-worker.js';
import { reportEnd, reportTold } from '../reports/report-run.js';
import { stepsDone } from '../steps/plain-steps.js';
import { warningsNow } from '../steps/run-many.js';
import type { TaskRun } from './task-run.js';

/** How a task ended, before its output is checked. */
export interface Outcome {
  status: EndState;
  output: Json;
  error: Problem | null;
  /** Whether the error is what an answer means to its author, for the task that called this one. */
  answer?: true;
}

type Finish = (request: FinishRequest) => Promise<FinishAnswer>;

/** A larger result goes to the store, which only an activity can write. Bytes, as JSON. */
const MOST_BESIDE = 64 * 1024;

/**
 * Ends a task: its output is checked and its record written, either beside its history, which takes no event, or by one
 * local activity.
 *
 * Without a worker that can do so the task ends all the same, and says what is missing. Source: docs/architecture.md#the-way-of-a-task.
 */
export async function finishTask(run: TaskRun, outcome: Outcome): Promise<TaskResult> {
  run.finishedAt = new Date().toISOString();
  const result = resultOf(run, outcome);
  if (!mayEndBeside(run, outcome)) return finishByActivity(run, result);
  result.warnings = [...result.warnings, ...toolsUsed(run.plan, result).outside_whitelist.map(describeOutside)];
  const text = JSON.stringify(result);
  if (sizeBeside(run, result, text) > Math.min(MOST_BESIDE, run.plan.limits.output_bytes)) {
    return finishByActivity(run, result);
  }
  reportEnd(run.context, text, run.input, toldOf(run));
  return result;
}

/**
 * Whether nothing has to be checked or kept at the end of a task but its record.
 *
 * Nothing is validated in the sandbox; the caller of a called task relies on its record; and of a cancelled task Temporal
 * keeps no result but that in its last activity.
 */
function mayEndBeside({ plan, start }: TaskRun, { status }: Outcome): boolean {
  if (!isSinceEngine2(plan) || start.child || status === 'cancelled') return false;
  return plan.ability.kind === 'operation' || !plan.ability.output_schema;
}

/** In bytes, without what earlier builds did not tell: their histories must end as they did. */
function sizeBeside(run: TaskRun, result: TaskResult, text: string): number {
  const forgiven = new Set(tellForgiven(run.listed, result.steps));
  if (forgiven.size + run.newWarnings.size === 0) return new TextEncoder().encode(text).length;
  const warnings = result.warnings.flatMap((warning) => {
    if (forgiven.has(warning)) return [];
    return (run.newWarnings.has(warning) ? run.newWarnings.get(warning) : warning) ?? [];
  });
  const known = JSON.stringify({ ...result, warnings });
  return new TextEncoder().encode(known).length;
}

/** What only this workflow knows, for its record. */
export function toldOf(run: TaskRun): ToldTask {
  const calls = run.made.tell();
  const steps = stepsDone(run);
  return { created_at: run.createdAt, ...(calls && { calls }), ...(steps && { steps }) };
}

async function finishByActivity(run: TaskRun, result: TaskResult): Promise<TaskResult> {
  const { input } = run;
  reportTold(toldOf(run));
  const activities = proxyLocalActivities<Record<string, Finish>>({
    scheduleToCloseTimeout: '30s',
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 3, initialInterval: '200ms' },
  });
  try {
    const finish = activities[ACTIVITIES.finish] as Finish;
    const ask = (): Promise<FinishAnswer> => finish({ ...run.context, result, input });
    const answer = await CancellationScope.nonCancellable(() => untilKeyed(ask));
    return 'changes' in answer ? { ...result, ...answer.changes } : result;
  } catch (error) {
    const reason =
      error instanceof Error ? (error.cause instanceof Error ? error.cause : error).message : String(error);
    return { ...result, warnings: [...result.warnings, `record.write_failed: the end was not recorded: ${reason}`] };
  }
}

/** The outcome of a task in the shape every door shows. Source: docs/operations.md#the-runtime-of-a-project. */
export function resultOf(run: TaskRun, outcome?: Outcome): TaskResult {
  const { plan } = run;
  const { seal, user } = run.start;
  const caller = callerOf(run.start);
  const steps = run.summarize(outcome !== undefined);
  return {
    status: outcome?.status ?? run.state,
    task_key: run.taskKey,
    ability_id: plan.ability.id,
    version: plan.ability.version,
    digest: seal.plan,
    environment: plan.environment.name,
    output: outcome?.output ?? null,
    error: outcome?.error ?? null,
    warnings: [...warningsNow(run), ...leftOut(run), ...tellForgiven(run.listed, steps)],
    steps,
    approvals: run.approvals,
    hooks: run.hooks,
    requested_by: user,
    ...(caller && { caller }),
    started_at: run.startedAt ?? null,
    finished_at: run.finishedAt ?? null,
    cleanup_ran: run.cleanupRan,
    links: { temporal: null, record: null },
    ...(run.turn && { concurrency: run.turn }),
    ...(run.files.listed.length > 0 && { files: run.files.listed }),
    ...(seal.intent !== undefined && { intent: seal.intent }),
    ...(run.edits.changes.length > 0 && { changes: run.edits.changes }),
    ...(run.edits.left.count > 0 && { changes_left: run.edits.left.count }),
    ...(run.agent && { agent: run.agent }),
    ...(run.start.child && { worked_ms: run.budget.spent(), ...(outcome?.answer && { answer: true as const }) }),
  };
}

/** What a long task was told and did not carry from run to run is in the histories of its earlier runs. */
function leftOut({ left }: TaskRun): string[] {
  return [
    ...(left.answers > 0
      ? [`${left.answers} answers of hooks are left out, those that let calls pass before all others`]
      : []),
    ...(left.warnings > 0 ? [`${left.warnings} warnings are left out`] : []),
  ];
}

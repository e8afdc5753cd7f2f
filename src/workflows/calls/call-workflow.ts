import {
  defineSearchAttributeKey,
  type SearchAttributePair,
  SearchAttributeType,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import type { AgentGrant, AgentUsage } from '../../contracts/agent.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import type { StoredResult } from '../../contracts/stored-result.js';
import type { TaskMemo, TaskStart } from '../../contracts/task.js';
import { grantLeft } from '../../rules/agents.js';
import { childPlan } from '../../rules/plans/child-plan.js';
import { nextArguments } from '../../rules/tasks/task-arguments.js';
import { wayOnFrom } from '../../rules/tasks/ways-to-retry.js';
import { readTraceparent } from '../../rules/traces/trace-context.js';
import { defined } from '../../text/defined.js';
import { StepFailure } from '../steps/step-failure.js';
import type { Budget } from '../task/budget.js';
import type { TaskRun } from '../task/task-run.js';
import { holdsSessions, whereHeld } from './hold-session.js';

const STATUS = defineSearchAttributeKey('AbilityStatus', SearchAttributeType.KEYWORD);
const PARENT = defineSearchAttributeKey('AbilityParent', SearchAttributeType.KEYWORD);
const MODULE = defineSearchAttributeKey('AbilityModule', SearchAttributeType.KEYWORD);

export interface WorkflowCall {
  path: string;
  id: string;
  ability: string;
  input: JsonObject;
  budget: Budget;
  /** Attempt of each retried group around it, from the outside in. */
  groups: readonly number[];
  /** Limits and callable abilities granted by the calling agent; omitted: those of the task itself. */
  grant?: AgentGrant;
  /** Counts the usage of agents in it; omitted: the task counts it. */
  used?: (usage: AgentUsage) => void;
}

/**
 * A child with its own key, record and hooks, under the root's plan and seal. Passes cancellation down, and waits;
 * passes failures up. @throws StepFailure; cancellation.
 */
export async function callWorkflow(run: TaskRun, call: WorkflowCall): Promise<Json> {
  const { path, id, ability, input, budget, groups } = call;
  const { plan, seal, user, session } = run.task.start;
  const child = childPlan(plan, ability);
  const leftMs = budget.left(child.limits.task_ms);
  if (leftMs === 0) throw budget.exhausted();
  const files = run.files.within(input);
  const room = run.files.room;
  const grant = call.grant ?? grantLeft(run.task.start.child?.agent, run.agent);
  const held = holdsSessions(run) ? await whereHeld(run) : undefined;
  const start: TaskStart = {
    plan,
    seal,
    input,
    options: {},
    user,
    session,
    run: true,
    warnings: [],
    child: {
      ability,
      left_ms: leftMs,
      ...(run.input.changedBy.length > 0 && { changed_by: run.input.changedBy }),
      ...defined({ files, file_room: room, agent: grant, held }),
    },
  };
  // Task ids are unique; a call in a later attempt of a group is another task.
  const again = groups.some((attempt) => attempt > 1) ? `~${groups.join('.')}` : '';
  const workflowId = `${run.task.id}/${path}${again}`;
  run.steps.note(path, id, { status: 'running', call: ability, child: workflowId, attempts: 1 });
  run.life.pendingWork += 1;
  run.life.pendingTasks += 1;
  const made = run.calls.begin(path, ability, input, workflowId);
  try {
    const result = await executeChild(ability, {
      workflowId,
      args: nextArguments(start),
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      memo: memoOf(run.task.id, start, child),
      typedSearchAttributes: attributesOf(run.task.id, child),
      staticSummary: child.ability.summary,
    });
    const ended = result as StoredResult;
    budget.spend(ended.worked_ms ?? 0);
    if (ended.agent) countUsage(run, call, ended.agent);
    if (ended.files) run.files.adopt(path, ended.files, ended.output);
    made.gave(ended.output);
    return ended.output;
  } catch (error) {
    // A person, or its lock, may have cancelled the called task alone, and nothing around its call.
    const isOfChild = error instanceof ChildWorkflowFailure && !CancellationScope.current().consideredCancelled;
    if (isCancellation(error) && !isOfChild) throw error;
    if (error instanceof WorkflowExecutionAlreadyStartedError) throw calledBefore(run, workflowId, path);
    const failure = failureOf(run, call, workflowId, error);
    made.failed(failure.problem);
    throw failure;
  } finally {
    run.life.pendingWork -= 1;
    run.life.pendingTasks -= 1;
  }
}

/** After a reset, or a second start with the old arguments: the earlier call may have had its effects. */
function calledBefore(run: TaskRun, task: string, path: string): StepFailure {
  return new StepFailure({
    code: 'outcome.unknown',
    message: `${task} was called before, by an earlier start of this task, and is not called again`,
    details: { task },
    suggestion: `See what became of it: ability task show ${task}. ${wayOnFrom(run.task.start.plan, run.task.id, path)}`,
  });
}

function memoOf(parent: string, { seal, user }: TaskStart, { ability, environment }: Plan): TaskMemo {
  const trace = readTraceparent(workflowInfo().memo?.trace);
  return {
    ability: ability.id,
    version: ability.version,
    environment: environment.name,
    requested_by: user.name,
    ...defined({ intent: seal.intent, trace }),
    parent,
  };
}

/** A child has its caller's project, environment and session. */
function attributesOf(parent: string, { ability }: Plan): SearchAttributePair[] {
  const shared = workflowInfo().typedSearchAttributes.getAll();
  const own = new Set<string>([STATUS.name, MODULE.name, PARENT.name]);
  const [module] = ability.modules;
  return [
    ...shared.filter(({ key }) => !own.has(key.name)),
    { key: STATUS, value: 'running' },
    { key: PARENT, value: parent },
    ...(module === undefined ? [] : [{ key: MODULE, value: module }]),
  ];
}

function countUsage(run: TaskRun, { used }: WorkflowCall, usage: AgentUsage): void {
  if (used) used(usage);
  else run.calls.countAgent(usage);
}

/** A child's own timeout is not that of the calling task. */
function failureOf(run: TaskRun, call: WorkflowCall, task: string, error: unknown): StepFailure {
  const { path, budget } = call;
  const cause = error instanceof ChildWorkflowFailure ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof CancelledFailure) {
    return new StepFailure({ code: 'child.cancelled', message: `${task} was cancelled`, details: { task } });
  }
  if (!(cause instanceof ApplicationFailure)) {
    return new StepFailure({ code: 'child.failed', message: `${task}: ${message}`, details: { task } });
  }
  const [result] = (cause.details ?? []) as [StoredResult?];
  budget.spend(result?.worked_ms ?? 0);
  if (result?.agent) countUsage(run, call, result.agent);
  if (result?.files) run.files.adopt(path, result.files, null);
  if (result?.rolled_back) {
    const { rolled_back, not_undone = [] } = result;
    run.rollbacks.push({ rolled_back, not_undone: not_undone.map((one) => ({ task, ...one })) });
  }
  const problem = result?.error ?? { code: cause.type ?? 'child.failed', message };
  if (budget.left(1) === 0) return budget.exhausted();
  const code = problem.code === 'timeout.task' ? 'timeout.step' : problem.code;
  const said = problem.details;
  const details = isJsonObject(said) ? said : said === undefined ? {} : { value: said };
  // The innermost step is reported, with its own task.
  return new StepFailure({ ...problem, code, details: { task, ...details } }, false, result?.answer ?? false);
}

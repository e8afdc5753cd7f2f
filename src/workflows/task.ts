import {
  ApplicationFailure,
  CancelledFailure,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  isCancellation,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import type { Decision, DecisionOutcome } from '../contracts/approvals.js';
import type { Json } from '../contracts/json.js';
import { ENGINE, QUERIES, SIGNALS, UPDATES } from '../contracts/names.js';
import type { PlanOperation } from '../contracts/plan.js';
import type { TaskResult, TaskStart, TaskView } from '../contracts/task.js';
import { awaitApproval, GUARD_APPROVAL_MS, setState, takeDecision } from './approvals.js';
import { callOperation } from './call-operation.js';
import { showDetails } from './details.js';
import { finishTask, type Outcome, resultOf } from './finish.js';
import { Halt } from './halt.js';
import { askGuards, fireAfter, type Hooked } from './hooks.js';
import { joinHooks } from './join-hooks.js';
import { asStepFailure, EndOfTask, endStateOf, isStepFailure, stepStatusOf } from './step-failure.js';
import { evaluate } from './steps/evaluate.js';
import type { Frame } from './steps/frame.js';
import { runCleanup } from './steps/run-cleanup.js';
import { runSteps } from './steps/run-steps.js';
import { TaskRun } from './task-run.js';

/**
 * A task: the one workflow behind every ability. Its type is the ability's id, its id the task key.
 *
 * Ends as Completed (succeeded, expired), Canceled, or Failed with our code as type and the result as details.
 * Source: design, section 6.
 */
export async function task(start: TaskStart): Promise<TaskResult> {
  refuseOtherEngine(start);
  const run = new TaskRun(start);
  run.onChange = () => showDetails(run);
  listen(run);
  const outcome = await reachOutcome(run);
  await joinHooks(run);
  const result = await finishTask(run, outcome);
  return endAs(run, result);
}

function refuseOtherEngine({ plan }: TaskStart): void {
  if (plan?.engine === ENGINE) return;
  throw ApplicationFailure.create({
    type: 'engine.unsupported',
    message: `This worker runs engine ${ENGINE}, the task was planned for ${plan?.engine ?? 'none'}`,
    nonRetryable: true,
  });
}

/** No handler waits for a step or an approval. Source: design, section 6. */
function listen(run: TaskRun): void {
  setHandler(defineQuery<TaskView>(QUERIES.task), () => viewOf(run), { description: 'How the task stands' });
  setHandler(defineSignal(SIGNALS.run), () => void (run.runRequested = true), { description: 'Run the created task' });
  setHandler(
    defineSignal<[Decision?]>(SIGNALS.approve),
    (decision) => void takeDecision(run, 'approve', asDecision(decision)),
    { description: 'Approve: {"approval_id": "...", "by": "your name", "comment": "..."}' },
  );
  setHandler(
    defineSignal<[Decision?]>(SIGNALS.deny),
    (decision) => void takeDecision(run, 'deny', asDecision(decision)),
    {
      description: 'Deny: {"approval_id": "...", "by": "your name", "comment": "..."}',
    },
  );
  setHandler(
    defineUpdate<DecisionOutcome, [{ verdict: 'approve' | 'deny'; decision: Decision }]>(UPDATES.decide),
    ({ verdict, decision }) => takeDecision(run, verdict, asDecision(decision)),
    {
      validator: (argument) => {
        if (argument?.verdict === 'approve' || argument?.verdict === 'deny') return;
        throw new TypeError(
          'A decision has the form {verdict: "approve" | "deny", decision: {approval_id, by, comment}}',
        );
      },
      description: 'Decide on an approval',
    },
  );
}

/** What people send by hand may be anything. */
function asDecision(value: unknown): Decision {
  if (value === null || typeof value !== 'object') return {};
  const { approval_id, by, comment } = value as Record<string, unknown>;
  return {
    ...(typeof approval_id === 'string' && { approval_id }),
    ...(typeof by === 'string' && { by }),
    ...(typeof comment === 'string' && { comment }),
  };
}

function viewOf(run: TaskRun): TaskView {
  const { plan, input } = run.start;
  const outcome = run.ending as Outcome | undefined;
  return {
    ...resultOf(run),
    error: outcome?.error ?? null,
    created_at: run.createdAt,
    input,
    summary: plan.ability.summary,
    progress: run.progress,
  };
}

/** Never throws: a mistake of ours ends the task as failed, after its clean-up. Source: design, section 6. */
async function reachOutcome(run: TaskRun): Promise<Outcome> {
  try {
    if (!(await waitForRun(run))) return { status: 'expired', output: null, error: expiry(run) };
    run.startedAt = new Date().toISOString();
    const halt = new Halt();
    await guardTask(run, halt);
    return await workAndCleanUp(run, { prefix: '', names: {}, halt, budget: run.budget });
  } catch (error) {
    return outcomeOf(error);
  }
}

function expiry(run: TaskRun) {
  const days = run.start.plan.limits.expires_ms / 86_400_000;
  return { code: 'task.expired', message: `Nobody ran the task within ${days} days` };
}

/**
 * A created task waits to be run; `ability run` starts it running.
 *
 * The timer is not cancelled when it is run: that would be one more event, and it ends with the task.
 */
async function waitForRun(run: TaskRun): Promise<boolean> {
  run.onChange();
  if (run.runRequested) return true;
  let expired = false;
  const { expires_ms: limit } = run.start.plan.limits;
  sleep(limit, { summary: 'expires unless it is run' }).then(
    () => (expired = true),
    () => {},
  );
  await condition(() => run.runRequested || expired);
  return run.runRequested;
}

/** The guards of a workflow as a whole, and the confirmations asked for at its creation. */
async function guardTask(run: TaskRun, halt: Halt): Promise<void> {
  const { plan, seal } = run.start;
  if (plan.ability.kind === 'operation') return;
  run.state = 'guarding';
  const created = seal.confirmations.map(({ hook_id, reason }) => `${reason} (hook ${hook_id})`);
  const reasons = [...(await askGuards(run, aroundTask(run))), ...created];
  if (reasons.length === 0) return;
  await awaitApproval(
    run,
    {
      path: 'run',
      title: `${plan.ability.id} in ${plan.environment.name}`,
      what: {
        ability: plan.ability.id,
        implementation: null,
        environment: plan.environment.name,
        effects: plan.ability.effects,
        input: run.start.input,
      },
      reasons,
      approvers: plan.environment.approvers,
      quorum: plan.environment.quorum,
      expiresMs: GUARD_APPROVAL_MS,
      comment: 'optional',
    },
    halt,
  );
}

function aroundTask(run: TaskRun): Hooked {
  return { path: '', operation: undefined, input: run.start.input };
}

async function workAndCleanUp(run: TaskRun, frame: Frame): Promise<Outcome> {
  const { plan } = run.start;
  run.state = 'running';
  let outcome = await work(run, frame).catch(outcomeOf);
  run.ending = outcome;
  run.state = 'finishing';
  run.onChange();
  if (plan.finally.length > 0) outcome = await cleanUp(run, frame, outcome);
  if (plan.ability.kind === 'workflow') await fireAfter(run, aroundTask(run), outcome);
  return outcome;
}

async function work(run: TaskRun, frame: Frame): Promise<Outcome> {
  const { plan } = run.start;
  try {
    if (plan.ability.kind === 'operation') return succeeded(await callAlone(run, frame));
    await runSteps(run, plan.steps, frame);
    return succeeded(plan.output === undefined ? null : evaluate(run, plan.output, frame));
  } catch (error) {
    if (error instanceof EndOfTask) return succeeded(error.output);
    throw error;
  }
}

/** A low-level ability is one call of itself. */
async function callAlone(run: TaskRun, frame: Frame): Promise<Json> {
  const { plan, input } = run.start;
  const path = 'run';
  const done = run.progress[path];
  if (done?.status === 'succeeded') return done.output ?? null;
  const operation = plan.operations[plan.ability.id] as PlanOperation;
  const { halt, budget } = frame;
  const call = { path, id: path, operation, input, retry: undefined, timeoutMs: undefined, halt, budget };
  try {
    const output = await callOperation(run, call);
    run.note(path, path, { status: 'succeeded', output });
    return output;
  } catch (error) {
    if (isStepFailure(error)) {
      error.problem.step ??= path;
      run.note(path, path, { status: stepStatusOf(error.problem.code), output: null, error: error.problem });
    } else run.note(path, path, { status: isCancellation(error) ? 'cancelled' : 'failed', output: null });
    throw error;
  }
}

function succeeded(output: Json): Outcome {
  return { status: 'succeeded', output, error: null };
}

/** A failing clean-up makes a succeeded task failed, and is a warning beside another failure. Source: answers, 50. */
async function cleanUp(run: TaskRun, frame: Frame, outcome: Outcome): Promise<Outcome> {
  try {
    const failure = await runCleanup(run, run.start.plan.finally, frame);
    run.cleanupRan = failure?.problem.code !== 'timeout.cleanup';
    if (!failure) return outcome;
    if (outcome.status === 'succeeded') return { status: 'failed', output: null, error: failure.problem };
    run.warnings.push(`Clean-up: ${failure.problem.code}: ${failure.problem.message}`);
    return outcome;
  } catch (error) {
    run.cleanupRan = false;
    return outcome.status === 'succeeded' ? outcomeOf(error) : outcome;
  }
}

function outcomeOf(thrown: unknown): Outcome {
  const error = asStepFailure(thrown);
  if (isStepFailure(error)) return { status: endStateOf(error.problem.code), output: null, error: error.problem };
  if (isCancellation(error)) return { status: 'cancelled', output: null, error: null };
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { status: 'failed', output: null, error: { code: 'internal.error', message } };
}

/** Ends that Temporal cannot tell apart are told by an attribute. Source: answers, 1. */
function endAs(run: TaskRun, result: TaskResult): TaskResult {
  const { status, error } = result;
  run.state = status;
  run.onChange();
  if (status === 'succeeded') return result;
  if (status === 'cancelled') throw new CancelledFailure('The task was cancelled', [result]);
  if (status !== 'failed') setState(run, status);
  if (status === 'expired') return result;
  const failure = ApplicationFailure.create({
    type: error?.code ?? 'internal.error',
    message: (error?.message ?? 'The task failed').slice(0, 2000),
    nonRetryable: true,
    details: [result],
  });
  failure.stack = '';
  throw failure;
}

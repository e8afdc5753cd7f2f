import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PayloadCodec } from '@temporalio/common';
import { type InjectedSinks, type NativeConnection, Worker } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import { createActivities } from '../activities/index.js';
import type { PlanSource } from '../activities/plan-source.js';
import { ACTIVITY_LIMITS, taskQueueOf } from '../contracts/names.js';
import type { Placement } from '../contracts/placement.js';
import type { BegunTask, EndedTask, RunSinks, SpanSinks } from '../contracts/run-sinks.js';
import type { TaskResult } from '../contracts/task.js';
import { SANDBOX_FLAG } from '../contracts/traces.js';
import { readTraceparent } from '../rules/traces/trace-context.js';
import { type TracedTask, writeHook, writeStep, writeTask } from '../tracing/task-spans.js';
import type { Tracer } from '../tracing/tracer.js';
import type { SharedDependencies } from './dependencies.js';
import { log } from './logger.js';

/** Built with the package, so that a worker polls in half the time. */
export const WORKFLOW_BUNDLE = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));

/** The queue that a worker serves, and its connection. */
export interface WorkerPlace {
  project: string;
  environment: string;
  placement: Placement;
  connection: NativeConnection;
  namespace: string;
  codec: PayloadCodec;
  /** Path of the bundled workflows; left out: those of this package. */
  workflowBundle?: string | undefined;
}

/** Creates the worker of one environment and placement. It polls once its `run` is called. */
export function createWorker(place: WorkerPlace, shared: SharedDependencies): Promise<Worker> {
  const { project, environment, placement, connection, namespace, codec, workflowBundle = WORKFLOW_BUNDLE } = place;
  return Worker.create({
    connection,
    namespace,
    taskQueue: taskQueueOf(project, environment, placement),
    workflowBundle: shared.tracer ? tracedBundle(workflowBundle) : { codePath: workflowBundle },
    activities: createActivities(shared.activities),
    dataConverter: { payloadCodecs: [codec] },
    sinks: { ...sinksOf(shared), ...(shared.tracer && spanSinks(shared.tracer)) },
    // A worker that was killed costs its tasks a second, not ten.
    stickyQueueScheduleToStartTimeout: '1s',
    maxHeartbeatThrottleInterval: ACTIVITY_LIMITS.heartbeat / 3,
    defaultHeartbeatThrottleInterval: ACTIVITY_LIMITS.heartbeat / 3,
    maxEagerActivityReservationsPerWorkflowTask: 10,
    shutdownGraceTime: '5s',
  });
}

/**
 * Receives the reports of workflows to this process, outside of their histories.
 *
 * Temporal's SDK waits for these calls before the commands of an activation go out, so a run is known before its first
 * activity begins, and a record is written before its task closes. A replayed run was begun by another worker, and its
 * first event has more facts; the activation in which a task closes is never a replay, until the server has it.
 */
function sinksOf({ activities: { plans, told }, ends, tracer }: SharedDependencies): InjectedSinks<RunSinks> {
  const end = async (info: WorkflowInfo, ended: EndedTask): Promise<void> => {
    await ends.write(info, ended);
    if (tracer) await traceEnd(tracer, plans, info, ended);
  };
  return {
    runs: {
      begun: { callDuringReplay: false, fn: (info, task) => noteRun(plans, info, task) },
      // A replay may be followed by the local activity that needs this report.
      told: { callDuringReplay: true, fn: ({ runId }, task) => void told.set(runId, task) },
      ended: { callDuringReplay: false, fn: end },
    },
  };
}

/** The type and the queue of a run that this worker executes are those it polls for. */
function noteRun(plans: PlanSource, info: WorkflowInfo, task: BegunTask | null): void {
  const { workflowId, runId, workflowType: type, taskQueue, parent } = info;
  const { continuedFromExecutionRunId, firstExecutionRunId } = info;
  plans.note(
    {
      workflowId,
      runId,
      type,
      taskQueue,
      ...(parent && { parent: { workflowId: parent.workflowId, runId: parent.runId } }),
      ...(continuedFromExecutionRunId !== undefined && { first: firstExecutionRunId }),
    },
    task,
  );
}

/** The bundle for a worker that writes traces: its workflows report their spans. The mark is set before any workflow is loaded. */
export function tracedBundle(path: string): { code: string } {
  return { code: `globalThis.${SANDBOX_FLAG} = true; ${readFileSync(path, 'utf8')}` };
}

/** Writes the spans that workflows report. A replayed workflow has reported them before. */
export function spanSinks(tracer: Tracer): InjectedSinks<SpanSinks> {
  return {
    traces: {
      step: { callDuringReplay: false, fn: (info, step) => writeStep(tracer, tracedTask(info, step.seal), step) },
      hook: { callDuringReplay: false, fn: (info, hook) => writeHook(tracer, tracedTask(info, hook.seal), hook) },
    },
  };
}

/** Writes the span of a task that closes beside its history; never throws. Others are written by their `finish`. */
export async function traceEnd(tracer: Tracer, plans: PlanSource, info: WorkflowInfo, ended: EndedTask): Promise<void> {
  const { workflowId, runId, taskQueue } = info;
  try {
    const asked = { workflowExecution: { workflowId, runId }, taskQueue };
    const { plan, session } = await plans.admit(ended.seal, asked);
    const facts = { plan, session, isCalled: false, createdAt: ended.created_at };
    writeTask(tracer, tracedTask(info, ended.seal), JSON.parse(ended.result) as TaskResult, facts);
  } catch (error) {
    log.warn({ task: workflowId, reason: String(error) }, 'the span of a task was not written');
  }
}

function tracedTask({ workflowId: task, memo }: WorkflowInfo, mark: string): TracedTask {
  return { task, mark, trace: readTraceparent(memo?.trace) };
}

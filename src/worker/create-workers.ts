import { fileURLToPath } from 'node:url';
import type { PayloadCodec } from '@temporalio/common';
import type { InjectedSinks, NativeConnection, Worker } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import { createActivities } from '../activities/index.js';
import type { PlanSource } from '../activities/plan-source.js';
import { ACTIVITY_LIMITS, taskQueueOf } from '../contracts/names.js';
import type { Placement } from '../contracts/placement.js';
import type { BegunTask, RunSinks } from '../contracts/run-sinks.js';
import type { SharedDependencies } from './dependencies.js';

/** Built with the package, so that a worker polls in half the time. */
export const WORKFLOW_BUNDLE = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));

/** Which queue a worker serves, and over what. */
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

/** Creates the worker of one environment and placement. It polls once its `run` is called. @param workers its class. */
export function createWorker(
  place: WorkerPlace,
  shared: SharedDependencies,
  workers: Pick<typeof Worker, 'create'>,
): Promise<Worker> {
  const { project, environment, placement, connection, namespace, codec, workflowBundle = WORKFLOW_BUNDLE } = place;
  return workers.create({
    connection,
    namespace,
    taskQueue: taskQueueOf(project, environment, placement),
    workflowBundle: { codePath: workflowBundle },
    activities: createActivities(shared.activities),
    dataConverter: { payloadCodecs: [codec] },
    sinks: sinksOf(shared),
    // A worker that was killed costs its tasks a second, not ten.
    stickyQueueScheduleToStartTimeout: '1s',
    maxHeartbeatThrottleInterval: ACTIVITY_LIMITS.heartbeat / 3,
    defaultHeartbeatThrottleInterval: ACTIVITY_LIMITS.heartbeat / 3,
    maxEagerActivityReservationsPerWorkflowTask: 10,
    shutdownGraceTime: '5s',
  });
}

/**
 * What workflows report to this process, outside of their histories.
 *
 * Temporal's SDK waits for these calls before the commands of an activation go out, so that a run is known before its
 * first activity begins, and a record is written before its task closes. A run that is replayed was begun by another
 * worker, and its first event tells more; the activation in which a task closes is none of a replay, until the server has it.
 */
function sinksOf({ activities: { plans, told }, ends }: SharedDependencies): InjectedSinks<RunSinks> {
  return {
    runs: {
      begun: { callDuringReplay: false, fn: (info, task) => noteRun(plans, info, task) },
      // What is replayed may be followed by the local activity that needs it.
      told: { callDuringReplay: true, fn: ({ runId }, task) => told.note(runId, task) },
      ended: { callDuringReplay: false, fn: (info, ended) => ends.write(info, ended) },
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

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { type InjectedSinks, type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { Admission } from '../activities/admission.js';
import { createActivities } from '../activities/index.js';
import {
  ACTIVITY_LIMITS,
  BUILD_FLAG,
  deploymentOf,
  ENCRYPTS_FLAG,
  type Placement,
  taskQueueOf,
} from '../contracts/names.js';
import type { BegunTask, EndedTask, LoggedEnd, RunSinks, SpanSinks } from '../contracts/run-sinks.js';
import type { TaskResult } from '../contracts/task.js';
import { SANDBOX_FLAG } from '../contracts/traces.js';
import { readTraceparent } from '../rules/traces/trace-context.js';
import type { Tracer } from '../tracing/open-tracer.js';
import { type TracedTask, writeHook, writeStep, writeTask } from '../tracing/task-spans.js';
import type { SharedDependencies } from './dependencies.js';
import { log } from './logger.js';
import type { SharedSandbox } from './sandbox-thread.js';
import type { WorkerCodec } from './worker-codec.js';

/** Built with the package, which halves the time until a worker polls. */
export const WORKFLOW_BUNDLE = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));

/** Encodes the messages of failures of calls. */
const FAILURE_CONVERTER = fileURLToPath(new URL('../../dist/encoding-failures.cjs', import.meta.url));

export interface WorkerPlace {
  project: string;
  environment: string;
  placement: Placement;
  connection: NativeConnection;
  namespace: string;
  codec: WorkerCodec;
  /** Path of the bundled workflows; left out: those of this package. */
  workflowBundle?: string | undefined;
  /** As {@link HostOptions.build}. */
  build?: string | undefined;
}

/**
 * The worker starts polling when its `run` is called.
 *
 * @param sandbox of the host, and how many workers it is for.
 */
export function createWorker(
  place: WorkerPlace,
  shared: SharedDependencies,
  { WorkerInIt, workers }: Pick<SharedSandbox, 'WorkerInIt'> & { workers: number },
): Promise<Worker> {
  const { project, environment, placement, workflowBundle = WORKFLOW_BUNDLE, build } = place;
  return WorkerInIt.create({
    ...forActivities(taskQueueOf(project, environment, placement), place, shared),
    workflowBundle: bundleFor(workflowBundle, [
      ...(shared.tracer ? [SANDBOX_FLAG] : []),
      ...(place.codec.encrypts ? [ENCRYPTS_FLAG] : []),
      ...(build === undefined ? [] : [BUILD_FLAG]),
    ]),
    sinks: { ...sinksOf(shared, environment), ...(shared.tracer && spanSinks(shared.tracer)) },
    // A killed worker costs its tasks one second instead of ten.
    stickyQueueScheduleToStartTimeout: '1s',
    maxEagerActivityReservationsPerWorkflowTask: 10,
    ...(build !== undefined && {
      workerDeploymentOptions: {
        useWorkerVersioning: true,
        version: { deploymentName: deploymentOf(project, environment), buildId: build },
        // Of tasks; sessions, locks and the like, which outlast builds, say otherwise themselves.
        defaultVersioningBehavior: 'PINNED',
      },
    }),
    ...(isRoomy && SLOTS),
    maxCachedWorkflows: Math.max(MIN_CACHED, Math.floor(CACHED / workers)),
  });
}

const HEAP_MIB = getHeapStatistics().heap_size_limit / 1024 ** 2;
/** How many workflows the SDK keeps in a sandbox with the memory of this process. Source: its `addDefaultWorkerOptions`. */
const CACHED = (Math.max(0, HEAP_MIB - 200) * 600) / 1024;
/** With less memory, the SDK's own numbers of slots stand, which grow with the heap. */
const isRoomy = HEAP_MIB > 1024;
/**
 * A preflight that reports to its session keeps the slot of its workflow task meanwhile, and the session needs one to
 * answer: the SDK's 40 are used up by 40 starts at once.
 */
const SLOTS = { maxConcurrentWorkflowTaskExecutions: 200, maxConcurrentLocalActivityExecutions: 300 };

/** What is executed at once has to fit. */
const MIN_CACHED = isRoomy ? SLOTS.maxConcurrentWorkflowTaskExecutions : 10;

type Served = Pick<WorkerPlace, 'connection' | 'namespace' | 'codec'>;

/** A worker for the calls that only this process can make. */
export function createHeldWorker(queue: string, served: Served, shared: SharedDependencies): Promise<Worker> {
  return Worker.create(forActivities(queue, served, shared));
}

function forActivities(
  taskQueue: string,
  { connection, namespace, codec }: Served,
  { activities }: SharedDependencies,
): WorkerOptions {
  return {
    connection,
    namespace,
    taskQueue,
    activities: createActivities(activities),
    dataConverter: { payloadCodecs: [codec], ...(codec.encrypts && { failureConverterPath: FAILURE_CONVERTER }) },
    maxHeartbeatThrottleInterval: ACTIVITY_LIMITS.heartbeat / 3,
    defaultHeartbeatThrottleInterval: ACTIVITY_LIMITS.heartbeat / 3,
    shutdownGraceTime: '5s',
  };
}

/**
 * Receives reports of workflows to this process, outside their histories. Temporal's SDK awaits these calls before
 * it sends the commands of an activation, so a run is known before its first activity begins, and a record is
 * written before its task closes. Replays report no beginning: another worker began that run, and its first event
 * has more facts. The workflow task in which a task closes is replayed only once the server has its completion.
 */
function sinksOf(shared: SharedDependencies, environment: string): InjectedSinks<RunSinks> {
  const { activities, ends, tracer } = shared;
  const { plans, reports } = activities;
  const end = async (info: WorkflowInfo, ended: EndedTask): Promise<void> => {
    await ends.write(info, ended);
    if (tracer) await traceEnd(tracer, plans, info, ended);
  };
  return {
    runs: {
      begun: { callDuringReplay: false, fn: (info, task) => noteRun(plans, info, task) },
      // During replay too: the local activity that needs this report may follow.
      told: { callDuringReplay: true, fn: ({ runId }, task) => void reports.set(runId, task) },
      ended: { callDuringReplay: false, fn: end },
      logged: { callDuringReplay: false, fn: logEnd },
      audited: { callDuringReplay: false, fn: shared.writeAudit(environment) },
    },
  };
}

function logEnd({ workflowId: key }: WorkflowInfo, { ability, ...end }: LoggedEnd): void {
  log.info({ key, ability, ...end }, end.step === undefined ? 'task ended' : 'call ended');
}

/** The worker executes the run, so the run has the worker's type and queue. */
function noteRun(plans: Admission, info: WorkflowInfo, task: BegunTask | null): void {
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

/** A bundle with flags that are set before any workflow is loaded. */
export function bundleFor(path: string, flags: readonly string[]): { code: string } | { codePath: string } {
  if (flags.length === 0) return { codePath: path };
  const set = flags.map((flag) => `globalThis.${flag} = true; `).join('');
  return { code: set + readFileSync(path, 'utf8') };
}

/** Writes the spans that workflows report; a replay does not report them again. */
function spanSinks(tracer: Tracer): InjectedSinks<SpanSinks> {
  return {
    traces: {
      step: { callDuringReplay: false, fn: (info, step) => writeStep(tracer, tracedTask(info, step.seal), step) },
      hook: { callDuringReplay: false, fn: (info, hook) => writeHook(tracer, tracedTask(info, hook.seal), hook) },
    },
  };
}

/** Writes the span of a task that ends without `finish`, which writes the others; never throws. */
async function traceEnd(tracer: Tracer, plans: Admission, info: WorkflowInfo, ended: EndedTask): Promise<void> {
  const { workflowId, runId, taskQueue } = info;
  try {
    const execution = { workflowExecution: { workflowId, runId }, taskQueue };
    const { plan, session } = await plans.admit(ended.seal, execution);
    const facts = { plan, session, isCalled: false, createdAt: ended.created_at };
    writeTask(tracer, tracedTask(info, ended.seal), JSON.parse(ended.result) as TaskResult, facts);
  } catch (error) {
    log.warn({ task: workflowId, reason: String(error) }, 'the span of a task was not written');
  }
}

function tracedTask({ workflowId: task, memo }: WorkflowInfo, mark: string): TracedTask {
  return { task, mark, trace: readTraceparent(memo?.trace) };
}

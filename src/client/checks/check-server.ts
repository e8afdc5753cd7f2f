import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { CheckResult } from '../../contracts/check.js';
import { ATTRIBUTES, taskQueueOf } from '../../contracts/names.js';
import { projectOf } from '../../rules/tasks/task-refusals.js';
import { clockAhead, clockWords } from '../../server/temporal/clock-ahead.js';
import type { Connection } from '../connection/connect.js';
import { hasWorker, placementsHere } from '../connection/find-workers.js';

const DAY_SECONDS = 86_400;
/** Minimum without a warning. */
const LEAST_RETENTION_DAYS = 7;
const INDEXED_TYPES: Record<string, number> = { Keyword: 2 };
const NORMAL_QUEUE = 1;

/** Checks the search attributes of tasks; with `fix`, adds the missing ones. */
export async function checkAttributes(connection: Connection, fix: boolean): Promise<CheckResult> {
  const name = 'attributes';
  const { namespace, temporal } = connection;
  const { operatorService } = temporal.connection;
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(ATTRIBUTES).filter(([attribute]) => !Object.hasOwn(customAttributes ?? {}, attribute));
  if (missing.length === 0) return { name, status: 'ok', message: 'The server has all search attributes' };
  const names = missing.map(([attribute]) => attribute).join(', ');
  if (!fix) {
    const commands = missing.map(([attribute, type]) => `--name ${attribute} --type ${type}`).join(' ');
    const advice = `ability doctor --fix, or: temporal operator search-attribute create ${commands}`;
    return { name, status: 'failed', message: `The server lacks the search attributes ${names}`, advice };
  }
  const searchAttributes = Object.fromEntries(
    missing.map(([attribute, type]) => [attribute, INDEXED_TYPES[type] ?? 2]),
  );
  await operatorService.addSearchAttributes({ namespace, searchAttributes });
  return { name, status: 'ok', message: `Added the search attributes ${names}` };
}

/** Whether the clock here agrees with the server's: guards with a clock, tokens and signatures of webhooks go by it. */
export async function checkClock({ temporal, namespace }: Connection): Promise<CheckResult> {
  const name = 'clock';
  const ahead = await clockAhead(temporal, namespace);
  if (ahead === undefined) return { name, status: 'warning', message: 'The server does not say what time it is' };
  const message = clockWords('The clock here', ahead);
  if (message === undefined) return { name, status: 'ok', message: 'The clock here agrees with that of the server' };
  return { name, status: 'warning', message, advice: 'Let NTP set the clocks of both machines.' };
}

export async function checkRetention(connection: Connection): Promise<CheckResult> {
  const name = 'retention';
  const { config } = await connection.temporal.workflowService.describeNamespace({ namespace: connection.namespace });
  const days = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / DAY_SECONDS;
  const kept = `Ended tasks are kept for ${Math.round(days * 10) / 10} days`;
  if (days >= LEAST_RETENTION_DAYS) return { name, status: 'ok', message: kept };
  const advice = `temporal operator namespace update --namespace ${connection.namespace} --retention 720h`;
  return { name, status: 'warning', message: `${kept}; after that only records have them`, advice };
}

/** Whether each environment has workers for all placements. */
export async function checkWorkers(connection: Connection, environments: readonly string[]): Promise<CheckResult> {
  const name = 'workers';
  const placements = placementsHere(connection);
  const places = environments.flatMap((environment) => placements.map((placement) => ({ environment, placement })));
  const served = await Promise.all(
    places.map(({ environment, placement }) => hasWorker(connection, environment, placement)),
  );
  const missing = places
    .filter((_, index) => !served[index])
    .map(({ environment, placement }) => taskQueueOf(connection.project, environment, placement));
  if (missing.length === 0) return { name, status: 'ok', message: `All ${places.length} queues have workers` };
  return {
    name,
    status: missing.length === places.length ? 'failed' : 'warning',
    message: `No worker serves ${missing.join(', ')}`,
    advice: `Start one for each: ability worker --env NAME --placement ${placements.join('|')}.`,
  };
}

/** By default, the dev server dispatches the tasks of a queue 20 times a second. */
const SLOW_DISPATCH_MS = 30;
/** The server dispatches a first burst without delay; only the probes after it count. */
const PROBES = 26;
const MEASURED = 9;
const PROBE_LIMIT_MS = 10_000;

/**
 * Measures the delay of workflow tasks on a queue of its own. A dev server started without our flags makes every
 * task wait for a 50 ms slot. Source: docs/performance.md.
 */
export async function checkDispatch(connection: Connection): Promise<CheckResult> {
  const name = 'dispatch';
  const times: number[] = [];
  for (let probe = 0; probe < PROBES; probe += 1) times.push(await timeDispatch(connection));
  const measured = times.slice(-MEASURED).sort((a, b) => a - b);
  const median = measured[Math.floor(MEASURED / 2)] ?? 0;
  const message = `A workflow task is handed out in ${median.toFixed(0)} ms`;
  if (median < SLOW_DISPATCH_MS) return { name, status: 'ok', message };
  return {
    name,
    status: 'warning',
    message: `${message}, so every step is slow`,
    advice:
      'Start the dev server with --dynamic-config-value history.transferProcessorMaxPollRPS=1000 (and the same for timerProcessor and visibilityProcessor).',
  };
}

async function timeDispatch({ temporal, namespace }: Connection): Promise<number> {
  const id = `doctor:${randomUUID()}`;
  const taskQueue = { name: id, kind: NORMAL_QUEUE };
  const handle = await temporal.workflow.start('ability:doctor', {
    workflowId: id,
    taskQueue: id,
    workflowExecutionTimeout: '30s',
    staticSummary: 'ability doctor: how long the server takes to hand out work',
  });
  const started = performance.now();
  try {
    await temporal.withDeadline(Date.now() + PROBE_LIMIT_MS, () =>
      temporal.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue, identity: id }),
    );
    return performance.now() - started;
  } finally {
    await leaveNothing(temporal, namespace, handle);
  }
}

/** Deletion ends the workflow; without the right to delete, it is ended, and stays for the retention time. */
async function leaveNothing(temporal: Client, namespace: string, handle: WorkflowHandle): Promise<void> {
  const workflowExecution = { workflowId: handle.workflowId };
  await temporal.workflowService
    .deleteWorkflowExecution({ namespace, workflowExecution })
    .catch(() => handle.terminate('ability doctor'));
}

/** The maximum number of open tasks to search. */
const MAX_LOOKED_AT = 100;

/**
 * Whether the own server has open tasks of other project names: after a renaming, no worker serves them.
 * @returns undefined if there are none, or if the server is shared with other projects.
 */
export async function checkFormerNames({ temporal, project, runtime }: Connection): Promise<CheckResult | undefined> {
  if (!runtime) return undefined;
  const names = new Map<string, number>();
  const query = `ExecutionStatus = "Running" AND AbilityProject != "${project}"`;
  let looked = 0;
  for await (const found of temporal.workflow.list({ query, pageSize: MAX_LOOKED_AT })) {
    const name = projectOf(found);
    if (name !== '' && name !== project) names.set(name, (names.get(name) ?? 0) + 1);
    looked += 1;
    if (looked === MAX_LOOKED_AT) break;
  }
  if (names.size === 0) return undefined;
  const counts = [...names].map(([name, count]) => `${count} of ${name}`).join(', ');
  return {
    name: 'renamed',
    status: 'warning',
    message: `Open tasks under a former name of this project are waiting, and no worker serves them: ${counts}`,
    advice: `Set \`project: ${[...names.keys()][0]}\` in ability.yaml until they have ended.`,
  };
}

import { hostname } from 'node:os';
import { type Client, QueryNotRegisteredError } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { Admission } from '../activities/admission.js';
import { lastDefinitions, placementsIn } from '../activities/project-definitions.js';
import { completeRecord } from '../activities/record/complete-record.js';
import { RecordFolder } from '../activities/record/record-folder.js';
import { sealInvalid } from '../activities/seal.js';
import { SecretSource } from '../activities/secrets.js';
import type { RunRef } from '../activities/task/runs.js';
import { QUERIES } from '../contracts/names.js';
import type { TaskReport } from '../contracts/run-sinks.js';
import type { TaskResult, TaskStart } from '../contracts/task.js';
import { digestOf } from '../rules/canonical.js';
import { sealMark } from '../rules/plans/plan-digest.js';
import { inputAfterEdits } from '../rules/tasks/shown-approvals.js';
import { recordsOrigin } from '../server/logs/records-origin.js';
import { CheckedChains } from '../server/payloads/checked-chains.js';
import type { ProjectPaths } from '../server/project-paths.js';
import type { Store } from '../server/store/store.js';
import { grpcErrorOf } from '../server/temporal/grpc-error.js';
import { readStart } from '../server/temporal/read-start.js';
import { sealKeysOf } from './seal-keys.js';
import { StoreShare } from './share/store-share.js';
import { readRun } from './temporal-access.js';

export interface HistorySource {
  temporal: Client;
  project: string;
  codec: PayloadCodec;
  paths: ProjectPaths;
  store: Store;
}

/**
 * Writes an ended task's record from its history, as its worker would, with the same checks. @throws AbilityError
 * `record.write_failed`; `seal.invalid`, `seal.unknown_key` for a possibly forged history; `store.not_shared`.
 */
export async function recordFromHistory(source: HistorySource, task: string, result: TaskResult): Promise<void> {
  const { temporal, codec, project, paths } = source;
  const { runId, taskQueue, startTime, raw } = await temporal.workflow.getHandle(task).describe();
  const run = { workflowId: task, runId };
  const plans = new Admission(
    project,
    sealKeysOf(paths, process.env),
    (wantedRun) => readRun(temporal, codec, wantedRun),
    new CheckedChains(source.store),
    placementsIn(lastDefinitions(paths.root)),
  );
  const start = await startOf(source, run);
  const admitted = await plans.admit(sealMark(start.seal), { workflowExecution: run, taskQueue });
  const { store } = source;
  const share = store.isShared ? new StoreShare(store, project, recordsOrigin(paths)) : undefined;
  // A reader's request runs no provider; what calls gave was masked by them.
  const secrets = (environment: string) => {
    const source = new SecretSource(paths.root, environment);
    return { valuesOf: (reference: string) => source.valuesOf(reference), recall: async () => {} };
  };
  const records = new RecordFolder(paths.records, share, secrets);
  const { created_at } = start;
  const input = inputAfterEdits(start.input, result);
  const ended = {
    task,
    run_id: raw.workflowExecutionInfo?.firstRunId || runId,
    admitted,
    result: { ...result, links: { temporal: null, page: null, record: records.pathOf(task) ?? null } },
    inputDigest: digestOf(input),
    input: () => input,
    report: await queryReport(source, run, created_at ?? startTime.toISOString()),
  };
  await completeRecord(ended, { records, host: hostname(), secrets });
}

/** A query that takes longer has no worker. */
const QUERY_MS = 5000;

/** Report of the workflow, which a worker replays for it; without a worker, only its creation time. */
async function queryReport(
  { temporal }: HistorySource,
  { workflowId, runId }: RunRef,
  created_at: string,
): Promise<TaskReport> {
  try {
    const handle = temporal.workflow.getHandle(workflowId, runId);
    return await temporal.withDeadline(Date.now() + QUERY_MS, () => handle.query<TaskReport>(QUERIES.report));
  } catch (error) {
    if (grpcErrorOf(error) || error instanceof QueryNotRegisteredError) return { created_at };
    throw error;
  }
}

async function startOf({ temporal, codec }: HistorySource, execution: RunRef): Promise<TaskStart> {
  const seen = await readStart(temporal, codec, execution);
  if (seen?.begun) return seen.begun;
  throw sealInvalid(`${execution.workflowId} did not pass preflight`);
}

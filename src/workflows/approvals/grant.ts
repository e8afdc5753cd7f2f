import '../no-stack-traces.js';
import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineUpdate,
  setHandler,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import type { EndedHoldersRequest } from '../../contracts/activities.js';
import type { GrantEnd, GrantUse, GrantView, SealedGrant } from '../../contracts/grants.js';
import { isJsonObject } from '../../contracts/json.js';
import { ACTIVITIES, GRANT_UPDATES, QUERIES } from '../../contracts/names.js';
import { localActivity } from '../calls/local-activities.js';
import { OF_ANY_BUILD } from '../of-any-build.js';
import { report } from '../reports/report-audit.js';
import { reportRun } from '../reports/report-run.js';

/** Between two looks whether the task of a grant has ended, the first and the longest. Milliseconds. */
const FIRST_LOOK_MS = 60_000;
const SLOWEST_LOOK_MS = 3_600_000;

/**
 * What one yes allows beyond its call: counts its uses, until they are used up, its time is over, it is revoked, or its
 * task has ended. A worker checks before each use who has sealed it, for what, and that this is the run that its task
 * has started. @throws ApplicationFailure `seal.invalid` if a task did not start it.
 */
export async function grant(argument: unknown): Promise<GrantView> {
  reportRun();
  const { start, view } = begin(argument);
  const isOver = (): boolean => view.status !== 'open' || Date.now() >= Date.parse(start.expires_at);
  const end = (status: GrantEnd): void => {
    if (view.status !== 'open') return;
    view.status = status;
    view.ended_at = new Date().toISOString();
  };
  const refuseOver = (): void => {
    if (!isOver()) return;
    throw ApplicationFailure.create({
      type: 'grant.ended',
      message: `The grant ${start.id} has ended`,
      nonRetryable: true,
    });
  };
  setHandler(defineQuery<GrantView>(QUERIES.grant), () => view, { description: 'What it allows, and its uses' });
  setHandler(
    defineUpdate<number, [GrantUse]>(GRANT_UPDATES.use),
    ({ task_key, approval_id, id }) => {
      view.used += 1;
      const at = new Date().toISOString();
      view.uses.push({ task_key: String(task_key), approval_id: String(approval_id), id: String(id), at });
      if (view.used >= start.up_to) end('used_up');
      return view.used;
    },
    { validator: (_: GrantUse) => refuseOver(), description: 'What workers count for a call' },
  );
  setHandler(
    defineUpdate<GrantView, [{ by?: unknown }]>(GRANT_UPDATES.revoke),
    (said) => {
      if (typeof said?.by === 'string') view.revoked_by = said.by;
      report({ kind: 'revoked', ability: view.ability, about: view.id, by: view.revoked_by, proof: 'claimed' });
      end('revoked');
      return view;
    },
    { validator: (_: { by?: unknown }) => refuseOver(), description: 'Allow no further call: {"by": "your name"}' },
  );
  for (let lookMs = FIRST_LOOK_MS; !isOver(); lookMs = Math.min(lookMs * 2, SLOWEST_LOOK_MS)) {
    const left = Math.max(1, Date.parse(start.expires_at) - Date.now());
    await condition(isOver, start.for === 'task' ? Math.min(left, lookMs) : left);
    if (!isOver() && (await hasEnded(start))) end('task_ended');
  }
  end('expired');
  return view;
}
setWorkflowOptions(OF_ANY_BUILD, grant);

function begin(argument: unknown): { start: SealedGrant; view: GrantView } {
  const { parent: starter, continuedFromExecutionRunId, cronSchedule, retryPolicy } = workflowInfo();
  const start = isJsonObject(argument) ? (argument as unknown as SealedGrant) : undefined;
  const isStarted = starter?.runId === start?.parent?.runId && starter?.workflowId === start?.parent?.workflowId;
  if (!start || !starter || !isStarted || continuedFromExecutionRunId || cronSchedule || retryPolicy) {
    const message = 'No task of Ability Runtime started this grant';
    throw ApplicationFailure.create({ type: 'seal.invalid', message, nonRetryable: true });
  }
  const { format, project, bound, run, parent, key_id, mac, ...shown } = start;
  return { start, view: { ...shown, status: 'open', used: 1, uses: [], ended_at: null } };
}

/** Without an answer it goes on: nothing of an ended task can use it. */
async function hasEnded({ for: whom, task, run }: SealedGrant): Promise<boolean> {
  if (whom === 'session') return false;
  const ask = localActivity<EndedHoldersRequest, EndedHoldersRequest['holders']>(ACTIVITIES.findEnded);
  return ask({ holders: [{ task, run }] }).then(
    (ended) => ended.length > 0,
    () => false,
  );
}

import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { CheckInputAnswer, CheckInputRequest } from '../../contracts/activities.js';
import type { Approval, Decision } from '../../contracts/approvals.js';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { ACTIVITIES, ACTIVITY_LIMITS } from '../../contracts/names.js';
import { canonicalJson } from '../../rules/canonical.js';
import { editableFields } from '../../rules/plans/editable.js';
import { applyEdit, type CheckedEdit, editOf, type Proof, whyIgnored } from '../../rules/tasks/decide-approval.js';
import { untilKeyed } from '../calls/local-activities.js';
import { askGuards, confirmation, type Reason } from '../hooks/ask-hooks.js';
import { isStepFailure, messageOf, readActivityFailure, StepFailure } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';
import type { InputCheck } from './approvals.js';
import { type ApprovalRequest, approvalIdOf } from './await-approval.js';
import { notifyOfApproval } from './notices.js';

/** The input that a decision changes, once it is known to count otherwise; undefined if it changes none. */
export async function checkEdit(
  run: TaskRun,
  approval: Approval,
  decision: Decision,
  proof: Proof | undefined,
): Promise<CheckedEdit | undefined> {
  const edit = editOf(approval, decision);
  const check = run.approvals.checks.get(approval);
  if (!edit || whyIgnored(approval, 'approve', decision, proof) !== undefined) return undefined;
  if (!check) return { why: 'what it asks for can no longer be changed' };
  const { path, what } = approval;
  const changed = { ...(isJsonObject(what.input) ? what.input : {}), ...edit };
  try {
    // A cancelled task still says what became of the decision.
    const input = await CancellationScope.nonCancellable(() => check(changed));
    return { input, fields: Object.keys(edit), id: approvalIdOf(run.task.id, path, { ...what, input }) };
  } catch (error) {
    return { why: `the changed input was refused: ${isStepFailure(error) ? error.problem.message : messageOf(error)}` };
  }
}

/**
 * Has a worker check an input by its schema. That of the task itself is checked by the creation hooks, too. @throws
 * StepFailure `input.invalid`, `guard.denied`, `hook.failed`; cancellation.
 */
export async function checkInput(run: TaskRun, request: Omit<CheckInputRequest, 'seal'>): Promise<CheckInputAnswer> {
  const activities = proxyActivities<Record<string, (request: CheckInputRequest) => Promise<CheckInputAnswer>>>({
    scheduleToStartTimeout: ACTIVITY_LIMITS.schedule_to_start,
    startToCloseTimeout: '6 minutes',
    heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
    retry: { maximumAttempts: 3 },
    summary: 'checks a changed input',
  });
  const check = activities[ACTIVITIES.checkInput] as (request: CheckInputRequest) => Promise<CheckInputAnswer>;
  try {
    return await untilKeyed(() => check({ ...run.task.context, ...request }));
  } catch (error) {
    const end = readActivityFailure(error);
    if (end.kind === 'problem') throw new StepFailure(end.problem);
    if (end.kind === 'other') throw error;
    throw new StepFailure({ code: 'worker.unavailable', message: `it was not checked in time (${end.type})` });
  }
}

/** @throws StepFailure if the changed input needs a confirmation that its deciders were not shown. */
export function refuseNewReasons(shown: readonly Reason[], reasons: readonly Reason[]): void {
  const unseen = reasons.filter(({ text }) => !shown.some((reason) => reason.text === text));
  if (unseen.length === 0) return;
  const message = `it would have to be confirmed for another reason: ${unseen.map(({ text }) => text).join(' ')}`;
  throw new StepFailure({ code: 'approval.ignored', message });
}

/** The task goes on with the input that was approved. What else is asked about that input is asked about the new one. */
export function noteEdits(run: TaskRun, { what, edited = [] }: Approval): void {
  const [last] = edited.slice(-1);
  if (!last) return;
  const before = canonicalJson(run.input.value);
  run.input.value = what.input as JsonObject;
  for (const { by, at, fields } of edited) {
    if (by !== 'unnamed') run.input.note({ by: { name: by.name, source: 'claimed' }, at, fields });
  }
  for (const open of run.approvals.open.filter((other) => canonicalJson(other.what.input) === before)) {
    const id = approvalIdOf(run.task.id, open.path, { ...open.what, input: what.input });
    applyEdit(open, { input: what.input, fields: last.fields, id }, last.by, last.at);
    notifyOfApproval(run, 'approval.requested', open);
  }
}

/** How the input of the task itself may be edited: not where its place in a queue may depend on it. @param shown why people are asked. */
export function editOfTask(run: TaskRun, shown: readonly Reason[]): ApprovalRequest['edit'] {
  const { ability, concurrency } = run.task.plan;
  const fields = concurrency ? undefined : editableFields(ability.input_schema, shown);
  if (!fields) return undefined;
  const check: InputCheck = async (changed) => {
    const { input, confirmations } = await checkInput(run, { operation: null, input: changed });
    const asked = await askGuards(run, { path: '', operation: undefined, input });
    // What the task was confirmed for as a whole still holds.
    const before = run.approvals.list.filter(({ path, status }) => path === 'run' && status === 'approved');
    const known = before.flatMap(({ reasons }) => reasons.map((text) => ({ text })));
    refuseNewReasons([...shown, ...known], [...asked, ...confirmations.map((one) => confirmation(one, []))]);
    return input;
  };
  return { fields, check };
}

import { uuid4 } from '@temporalio/workflow';
import type { Approval } from '../../contracts/approvals.js';
import type { JsonObject } from '../../contracts/json.js';
import type { PlanEnvironment, PlanOperation } from '../../contracts/plan.js';
import { callInput, GUARD_APPROVAL_MS } from '../../rules/calls/call-defaults.js';
import { canonicalJson } from '../../rules/canonical.js';
import { editableFields } from '../../rules/plans/editable.js';
import { UNDO_ASKS } from '../../rules/tasks/shown-approvals.js';
import type { InputCheck } from '../approvals/approvals.js';
import { type ApprovalRequest, awaitApproval, subjectOf } from '../approvals/await-approval.js';
import { checkInput, noteEdits, refuseNewReasons } from '../approvals/edit.js';
import { askGuards, confirmation, type Hooked, type Reason } from '../hooks/ask-hooks.js';
import { askWithinLimits } from '../hooks/raise-limit.js';
import { StepFailure } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';
import { type EnteredCall, endCall, entersCalls } from './enter-call.js';
import type { OperationCall } from './schedule-call.js';

/** A call with the input that its guards and approvers allowed, and with the defaults that they saw. */
export interface AllowedCall {
  call: OperationCall;
  hooked: Hooked;
}

/** Asks the guards of a call, and people where one of them says so. @throws StepFailure; cancellation; BranchStopped. */
export async function allowCall(run: TaskRun, call: OperationCall, entered?: EnteredCall): Promise<AllowedCall> {
  const { path, operation, listed } = call;
  if (listed?.denied) throw new StepFailure(listed.denied);
  const around = (input: JsonObject): Hooked => ({ path, operation, input, ...(entered && { callId: entered.id }) });
  const first = callInput(operation, call.input);
  const reasons = reasonsFor(run, { ...call, input: first }, await askWithinLimits(run, around(first), call));
  if (reasons.length === 0) return { call, hooked: around(first) };
  const guarded = guardedInput(run, call, first, reasons, async (input) => {
    if (entered) {
      // The session counts the call once, with the input that it is made with.
      await endCall(run, entered, 'denied');
      entered.id = uuid4();
    }
    return reasonsFor(run, { ...call, input }, await askGuards(run, around(input)));
  });
  const approval = await confirm(run, { ...call, input: first }, reasons, guarded.change);
  if (!approval.edited) return { call, hooked: around(first) };
  const input = approval.what.input as JsonObject;
  await guarded.allow(input);
  if (isWholeTask(run, call)) noteEdits(run, approval);
  return { call: { ...call, input }, hooked: around(input) };
}

/** Keeps to the input that the guards of a call allowed last. @param shown why people are asked. */
function guardedInput(
  run: TaskRun,
  call: OperationCall,
  first: JsonObject,
  shown: readonly Reason[],
  ask: (input: JsonObject) => Promise<Reason[]>,
): { allow(input: JsonObject): Promise<void>; change: InputCheck } {
  let now = first;
  let allowed: string | undefined = canonicalJson(now);
  /** @throws StepFailure if a guard denies it, or wants it confirmed for a reason that was not shown. */
  const allow = async (input: JsonObject): Promise<void> => {
    const text = canonicalJson(input);
    if (allowed === text) return;
    allowed = undefined;
    refuseNewReasons(shown, await ask(input));
    allowed = text;
  };
  /** Checks a change. If it is refused, the session knows the call as it was. @throws StepFailure. */
  const change: InputCheck = async (changed) => {
    const operation = isWholeTask(run, call) ? null : call.operation.key;
    const { input, confirmations } = await checkInput(run, { operation, input: changed });
    refuseNewReasons(
      shown,
      confirmations.map((one) => confirmation(one, [])),
    );
    try {
      await allow(input);
    } catch (error) {
      if (entersCalls(run.task)) await allow(now).catch(() => {});
      else allowed = canonicalJson(now);
      throw error;
    }
    now = input;
    return input;
  };
  return { allow, change };
}

/** Whether the task is nothing but this call, so that the input of the call is that of the task. */
function isWholeTask({ task: { plan, start } }: TaskRun, { about }: OperationCall): boolean {
  return plan.ability.kind === 'operation' && !about && !start.child;
}

/** Why an environment asks, in words. */
export function environmentAsks({ name }: PlanEnvironment, { effects }: PlanOperation): string {
  return `${name} asks for approval of ${effects} calls.`;
}

/** All reasons of a call, for one common approval. Source: docs/hooks.md#preabilitycreate. */
export function reasonsFor(run: TaskRun, call: OperationCall, fromGuards: readonly Reason[]): Reason[] {
  const { operation, takesBack, listed, input } = call;
  const { environment } = run.task.plan;
  if (takesBack && !takesBack.asks) return [];
  const reasons = [...(takesBack ? [{ text: UNDO_ASKS }] : []), ...fromGuards];
  // Exactly what people saw, in the list of all items.
  const isListed = listed !== undefined && canonicalJson(listed.input) === canonicalJson(input);
  if (environment.approve.includes(operation.effects) && !isListed) {
    reasons.push({ text: environmentAsks(environment, operation), edit: environment.edit });
  }
  if (isWholeTask(run, call)) {
    reasons.push(...run.task.start.seal.confirmations.map((one) => confirmation(one, operation.hooks.pre_create)));
  }
  return reasons;
}

async function confirm(
  run: TaskRun,
  call: OperationCall,
  reasons: readonly Reason[],
  check: InputCheck,
): Promise<Approval> {
  const { operation, path, id, takesBack, about } = call;
  // What takes a call back, or asks about one, belongs to that call; a place in a queue may depend on the task's input.
  const isFixed = takesBack ?? about ?? (isWholeTask(run, call) ? run.task.plan.concurrency : undefined);
  const fields = isFixed ? undefined : editableFields(operation.input_schema, reasons);
  run.steps.note(path, id, { status: 'waiting', call: operation.key });
  const request = { ...confirmationOf(run, call, reasons), edit: fields && { fields, check }, isGrantable: true };
  return await awaitApproval(run, request, call.branchStop);
}

/** What people are asked before a call, whose input has its defaults. */
export function confirmationOf(run: TaskRun, call: OperationCall, reasons: readonly Reason[]): ApprovalRequest {
  const { environment, limits } = run.task.plan;
  const { operation, path, id, input, undo, takesBack } = call;
  // The default time is not for people, who may be asleep.
  const asksAnew = takesBack !== undefined && !limits.cleanup_stated;
  return {
    path,
    step: id,
    title: `${operation.key} in ${environment.name}`,
    what: { ...subjectOf(run, input, operation), ...(undo && { undo: undo() }) },
    reasons,
    expiresMs: asksAnew ? GUARD_APPROVAL_MS : call.budget.capWait(GUARD_APPROVAL_MS),
  };
}

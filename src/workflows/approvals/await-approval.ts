import { CancellationScope, condition, sleep } from '@temporalio/workflow';
import type { Approval, ApprovalField, ApprovalSubject, CommentRule } from '../../contracts/approvals.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { PlanOperation } from '../../contracts/plan.js';
import type { Approvers, WhileOpen } from '../../contracts/plan-step.js';
import { GUARD_APPROVAL_MS } from '../../rules/calls/call-defaults.js';
import { digestOf } from '../../rules/canonical.js';
import { markdownLine, oneLine, startOf } from '../../rules/shown-text.js';
import { grantOf } from '../../rules/tasks/decision-form.js';
import type { Reason } from '../hooks/ask-hooks.js';
import { BranchStopped, isStepFailure, StepFailure } from '../steps/step-failure.js';
import type { BranchStop } from '../task/stop-branches.js';
import type { TaskRun } from '../task/task-run.js';
import type { InputCheck } from './approvals.js';
import { grantableFor, mayBeGranted, startGrant, useGrant } from './grants.js';
import { notifyOfApproval } from './notices.js';
import { refuseUnprovable } from './proofs.js';

/** Approvers, quorum and what happens while it is open are those of the environment where they are left out. */
export interface ApprovalRequest {
  /** Step path; `run` for the task itself. */
  path: string;
  /** Id of the step; left out for the task itself. */
  step?: string | undefined;
  title: string;
  what: ApprovalSubject;
  reasons: readonly Reason[];
  approvers?: Approvers | undefined;
  quorum?: number | undefined;
  /** Left out: {@link GUARD_APPROVAL_MS}. */
  expiresMs?: number;
  /** Left out: optional. */
  comment?: CommentRule;
  fields?: Record<string, ApprovalField> | undefined;
  while_open?: WhileOpen | undefined;
  /** The task is not due before: it is asked ahead, until then. ISO 8601. */
  due_at?: string;
  /** Fields of the input that a decision may change, and how the changed one is checked. */
  edit?: { fields: Record<string, JsonObject>; check: InputCheck } | undefined;
  /** Number of the items that it is for; left out: it is for one call, step or task. */
  items?: number;
  /** It is for one call, so that a grant can be made of it, or decide it. */
  isGrantable?: boolean;
}

/** What is asked of a call; without one, of the task itself. */
export function subjectOf({ task: { plan } }: TaskRun, input: Json, operation?: PlanOperation): ApprovalSubject {
  const { environment, ability } = plan;
  return {
    ability: operation?.key ?? ability.id,
    implementation: operation?.implementation.id ?? null,
    environment: environment.name,
    effects: (operation ?? ability).effects,
    input,
  };
}

const MAX_SUMMARY = 200;

/**
 * Raises an approval and waits until it is given. @throws StepFailure `approval.denied`,
 * `approval.changes_requested`, `approval.expired`, `feature.unsupported`; BranchStopped; cancellation.
 */
export async function awaitApproval(run: TaskRun, request: ApprovalRequest, branchStop: BranchStop): Promise<Approval> {
  const { life, approvals } = run;
  const raised = raise(run, request);
  const ahead = approvals.takeAhead(raised);
  if (ahead) return ahead;
  if (run.task.plan.environment.proof === 'required') await refuseUnprovable(run.task, approvals);
  const held = heldOver(run, raised);
  let known = approvals.granted;
  if (!held && mayBeGranted(run, raised) && (await isGranted(run, raised))) return raised;
  const approval = held ?? raised;
  if (request.edit) approvals.checks.set(approval, request.edit.check);
  if (approval === raised) {
    approvals.list.push(approval);
    notifyOfApproval(run, 'approval.requested', approval);
  }
  if (request.step !== undefined) run.steps.showLink(request.path, request.step);
  if (approvals.open.length === 1) life.publish('waiting_approval');
  const left = Date.parse(approval.expires_at) - Date.now();
  // The Temporal UI renders it as Markdown.
  const summary = startOf(`waiting for people: ${markdownLine(approval.title)}`, MAX_SUMMARY);
  // The timer stays when people have decided: its cancellation would be an event of its own.
  void CancellationScope.nonCancellable(() => sleep(Math.max(1, left), { summary })).then(() => {
    if (approval.status !== 'open') return;
    approval.status = 'expired';
    run.audit.decided('decision', approval, { result: 'expired' });
  });
  watchOver(run, approval, request.while_open ?? run.task.plan.environment.while_open ?? {});
  try {
    while (approval.status === 'open') {
      await branchStop.wait(() => condition(() => approval.status !== 'open' || approvals.granted !== known));
      known = approvals.granted;
      if (approval.status === 'open') await isGranted(run, approval);
    }
  } catch (error) {
    const isCarriedOn = error instanceof BranchStopped && life.rollingOver;
    if (approval.status === 'open' && !isCarriedOn) {
      approval.status = 'cancelled';
      run.audit.decided('decision', approval, { result: 'cancelled' });
      notifyOfApproval(run, 'approval.cancelled', approval);
    }
    throw error;
  } finally {
    approvals.checks.delete(approval);
    if (approvals.open.length === 0) life.publish(life.ending ? 'finishing' : 'running');
  }
  notifyOfApproval(run, 'approval.decided', approval);
  refuseNotApproved(approval);
  const grant = approval.grants && grantOf(approval);
  if (grant) await startGrant(run, approval, grant);
  return approval;
}

/**
 * Asks people by how much to raise a limit, which is of that type. @returns how much, and a name of this decision that is
 * unique in the task; undefined if they deny it or no one decides. @throws cancellation; BranchStopped.
 */
export async function askToRaise(
  run: TaskRun,
  request: ApprovalRequest,
  type: ApprovalField['type'],
  branchStop: BranchStop,
): Promise<{ by: number; decision: string } | undefined> {
  try {
    const fields = { by: { type, title: 'Raise it by' } };
    const { id, raised_at, decisions } = await awaitApproval(run, { ...request, fields }, branchStop);
    // Where several have to agree, the least that one of them allows.
    const by = Math.max(0, Math.min(...decisions.map(({ fields }) => Number(fields?.by ?? 0))));
    return { by, decision: `${id} ${raised_at}` };
  } catch (error) {
    const isNo = isStepFailure(error) && /^approval\.(denied|expired|changes_requested)$/.test(error.problem.code);
    if (isNo) return undefined;
    throw error;
  }
}

/** Names the step, and what is asked by a digest. Source: docs/approvals.md. */
export function approvalIdOf(task: string, path: string, what: ApprovalSubject): string {
  return `${path.slice(path.lastIndexOf('/') + 1)}-${digestOf({ task, path, what }).slice(0, 12)}`;
}

/** Whether a grant has decided it. An approval that no one was asked for is kept as well. */
async function isGranted(run: TaskRun, approval: Approval): Promise<boolean> {
  const { id } = approval;
  const granted = approval.grants && (await useGrant(run, approval));
  // Meanwhile people may have decided, or changed what it asks.
  if (!granted || approval.status !== 'open' || approval.id !== id) return false;
  approval.granted = granted;
  approval.status = 'approved';
  if (!run.approvals.list.includes(approval)) run.approvals.list.push(approval);
  run.audit.decided('decision', approval, { result: `granted by ${granted.by}, ${granted.use} of ${granted.of}` });
  return true;
}

/** Reminds of it, and asks others as well, while no one decides. What an earlier run of the task has done is not repeated. */
function watchOver(run: TaskRun, approval: Approval, { remind_ms = [], escalate }: WhileOpen): void {
  const leftTo = (ms: number): number => Date.parse(approval.raised_at) + ms - Date.now();
  const after = (left: number, summary: string, act: () => void): void =>
    void CancellationScope.nonCancellable(() => sleep(left, { summary })).then(() => {
      if (approval.status === 'open' && !run.life.rollingOver) act();
    });
  for (const ms of remind_ms.filter((each) => leftTo(each) > 0)) {
    const remind = (): void => notifyOfApproval(run, 'approval.reminded', approval, `:${ms}`);
    after(leftTo(ms), 'reminds of what waits for people', remind);
  }
  if (!escalate || approval.escalated_at !== undefined) return;
  after(Math.max(1, leftTo(escalate.after_ms)), `asks ${oneLine(escalate.to.listed.join(', '))} as well`, () => {
    approval.escalated_at = new Date().toISOString();
    const { approvers, people, groups } = approval;
    // Where anyone may decide, they already could.
    if (approvers.length > 0) {
      approval.approvers = [...new Set([...approvers, ...escalate.to.listed])];
      approval.people = [...new Set([...people, ...escalate.to.people])];
      approval.groups = [...new Set([...groups, ...escalate.to.groups])];
    }
    notifyOfApproval(run, 'approval.escalated', approval);
    run.life.publish('waiting_approval');
  });
}

/** The same approval from an earlier run of the task; people may have decided on it meanwhile. */
function heldOver({ approvals, steps }: TaskRun, raised: Approval): Approval | undefined {
  const held = approvals.list.findLast(
    ({ id, path, edited: [first] = [] }) => (first?.from.id ?? id) === raised.id && path === raised.path,
  );
  return held && steps.takeWaiting(raised.path) ? held : undefined;
}

/** The id identifies the shown text, which is one line at every door. Source: docs/approvals.md#deciding. */
function raise(run: TaskRun, request: ApprovalRequest): Approval {
  const { task, input } = run;
  const { environment } = task.plan;
  const { path, what, title, reasons, fields, edit, due_at, items, comment = 'optional' } = request;
  const { approvers = environment.approvers, quorum = environment.quorum, expiresMs = GUARD_APPROVAL_MS } = request;
  const grants = request.isGrantable ? grantableFor(run) : undefined;
  const now = Date.now();
  return {
    id: approvalIdOf(task.id, path, what),
    path,
    title: oneLine(title),
    what,
    reasons: reasons.map(({ text }) => oneLine(text)),
    approvers: approvers.listed,
    people: approvers.people,
    groups: approvers.groups,
    quorum,
    self_approval: environment.self_approval,
    ...(environment.proof === 'required' && { proof: 'required' as const }),
    comment,
    ...(fields && { fields }),
    ...(items !== undefined && { items }),
    ...(grants && { grants }),
    ...(edit && { edit: edit.fields }),
    requested_by: task.start.user,
    ...(input.changedBy.length > 0 && { changed_by: input.changedBy }),
    raised_at: new Date(now).toISOString(),
    expires_at: due_at ?? new Date(now + expiresMs).toISOString(),
    ...(due_at !== undefined && { due_at }),
    status: 'open',
    decisions: [],
    ignored: [],
  };
}

function refuseNotApproved({ status, title, decisions, expires_at, id }: Approval): void {
  if (status === 'approved') return;
  const details = { approval_id: id };
  if (status !== 'changes_requested' && status !== 'denied') {
    const message = `There was no decision on "${title}" by ${expires_at}`;
    throw new StepFailure({ code: 'approval.expired', message, details });
  }
  const verdict = status === 'denied' ? 'deny' : 'request_changes';
  const { by = 'unnamed', comment = '' } = decisions.find(({ decision }) => decision === verdict) ?? {};
  const name = by === 'unnamed' ? null : by.name;
  const who = name === null ? 'Someone' : oneLine(name);
  if (status === 'denied') {
    const why = comment ? `: ${oneLine(comment)}` : '';
    throw new StepFailure({ code: 'approval.denied', message: `${who} denied "${title}"${why}`, details });
  }
  throw new StepFailure({
    code: 'approval.changes_requested',
    message: `${who} asks for changes before "${title}": ${oneLine(comment)}`,
    details: { ...details, by: name, comment },
    suggestion: 'Make the changes and run the ability again; the unchanged request is refused.',
  });
}

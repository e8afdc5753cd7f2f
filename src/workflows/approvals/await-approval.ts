import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { condition, upsertSearchAttributes } from '@temporalio/workflow';
import type {
  Approval,
  ApprovalField,
  ApprovalSubject,
  CommentRule,
  Decision,
  DecisionOutcome,
  Verdict,
} from '../../contracts/approvals.js';
import type { Approvers } from '../../contracts/plan.js';
import type { TaskState } from '../../contracts/states.js';
import { digestOf } from '../../rules/canonical.js';
import { decideApproval, type Proof } from '../../rules/decide-approval.js';
import { markdownLine, oneLine, startOf } from '../../rules/shown-text.js';
import { Halted, StepFailure } from '../steps/step-failure.js';
import type { Halt } from '../task/halt.js';
import type { TaskRun } from '../task/task-run.js';
import { notifyOfApproval } from './notices.js';
import { refuseUnprovable } from './refuse-unprovable.js';

/** What an approval is raised with. */
export interface ApprovalRequest {
  /** Step path; `run` for the task itself. */
  path: string;
  /** Id of the step; left out for the task itself. */
  step?: string;
  title: string;
  what: ApprovalSubject;
  reasons: string[];
  approvers: Approvers;
  quorum: number;
  expiresMs: number;
  comment: CommentRule;
  fields?: Record<string, ApprovalField>;
}

const MOST_OF_A_SUMMARY = 200;
const STATUS = defineSearchAttributeKey('AbilityStatus', SearchAttributeType.KEYWORD);

/**
 * Raises an approval and waits for people.
 *
 * @returns the approval once it is given.
 * @throws StepFailure `approval.denied`, `approval.changes_requested`, `approval.expired`, `feature.unsupported`; Halted;
 * cancellation.
 */
export async function awaitApproval(run: TaskRun, request: ApprovalRequest, halt: Halt): Promise<Approval> {
  if (run.plan.environment.proof === 'required') await refuseUnprovable(run);
  const asked = open(run, request);
  const approval = heldOver(run, asked) ?? asked;
  if (approval === asked) {
    run.approvals.push(approval);
    notifyOfApproval(run, 'approval.requested', approval);
  }
  if (request.step !== undefined) run.showLink(request.path, request.step);
  enterWaiting(run);
  const left = Date.parse(approval.expires_at) - Date.now();
  // The Temporal UI reads it as Markdown.
  const summary = startOf(`waiting for people: ${markdownLine(approval.title)}`, MOST_OF_A_SUMMARY);
  try {
    const decided = await halt.wait(() => condition(() => approval.status !== 'open', Math.max(1, left), { summary }));
    if (!decided) approval.status = 'expired';
  } catch (error) {
    const goesOn = error instanceof Halted && run.rollingOver;
    if (approval.status === 'open' && !goesOn) approval.status = 'cancelled';
    throw error;
  } finally {
    leaveWaiting(run);
  }
  notifyOfApproval(run, 'approval.decided', approval);
  refuseNo(approval);
  return approval;
}

/** Applies a decision that arrived by signal or update. @param proof left out: it brought none. */
export function takeDecision(run: TaskRun, verdict: Verdict, decision: Decision, proof?: Proof): DecisionOutcome {
  const outcome = decideApproval(run.approvals, verdict, decision, new Date().toISOString(), proof);
  if (!outcome.counted && outcome.approval_id === null) {
    run.warnings.push(`A decision (${verdict}) was ignored: ${outcome.reason}`);
  }
  return outcome;
}

/** The same approval as an earlier run of the task raised it, which people may have decided on since. */
function heldOver(run: TaskRun, asked: Approval): Approval | undefined {
  const held = run.approvals.findLast(({ id, path }) => id === asked.id && path === asked.path);
  return held && run.takeWaiting(asked.path) ? held : undefined;
}

/** The id names what was shown; what is said about it is one line at every door. Source: docs/approvals.md#deciding. */
function open(run: TaskRun, request: ApprovalRequest): Approval {
  const { path, what, title, reasons, approvers, quorum, comment, fields, expiresMs } = request;
  const { environment } = run.plan;
  const digest = digestOf({ task: run.task, path, what });
  const now = Date.now();
  return {
    id: `${path.slice(path.lastIndexOf('/') + 1)}-${digest.slice(0, 12)}`,
    path,
    title: oneLine(title),
    what,
    reasons: reasons.map(oneLine),
    approvers: approvers.listed,
    people: approvers.people,
    quorum,
    self_approval: environment.self_approval,
    ...(environment.proof === 'required' && { proof: 'required' as const }),
    comment,
    ...(fields && { fields }),
    requested_by: run.start.user,
    ...(run.changedBy.length > 0 && { changed_by: run.changedBy }),
    raised_at: new Date(now).toISOString(),
    expires_at: new Date(now + expiresMs).toISOString(),
    status: 'open',
    decisions: [],
    ignored: [],
  };
}

function refuseNo({ status, title, decisions, expires_at, id }: Approval): void {
  if (status === 'approved') return;
  const details = { approval_id: id };
  if (status === 'changes_requested') {
    const { by, comment = '' } = decisions.find(({ decision }) => decision === 'request_changes') ?? {};
    const who = by === undefined || by === 'unnamed' ? 'Somebody' : oneLine(by.name);
    throw new StepFailure({
      code: 'approval.changes_requested',
      message: `${who} asks for changes before "${title}": ${oneLine(comment)}`,
      details: { ...details, by: by === undefined || by === 'unnamed' ? null : by.name, comment },
      suggestion: 'Make the changes and run the ability again: what was asked for now is refused.',
    });
  }
  if (status === 'denied') {
    const no = decisions.find(({ decision }) => decision === 'deny');
    const who = no === undefined || no.by === 'unnamed' ? 'Somebody' : oneLine(no.by.name);
    const why = no?.comment ? `: ${oneLine(no.comment)}` : '';
    throw new StepFailure({ code: 'approval.denied', message: `${who} denied "${title}"${why}`, details });
  }
  const message = `There was no decision on "${title}" until ${expires_at}`;
  throw new StepFailure({ code: 'approval.expired', message, details });
}

function openOnes(run: TaskRun): number {
  return run.approvals.filter(({ status }) => status === 'open').length;
}

function enterWaiting(run: TaskRun): void {
  if (openOnes(run) === 1) setState(run, 'waiting_approval');
}

function leaveWaiting(run: TaskRun): void {
  if (openOnes(run) === 0) setState(run, run.ending ? 'finishing' : 'running');
}

/** Sets a state that lists must tell apart. Each one is an event. Source: docs/architecture.md#what-lives-where-in-temporal. */
export function setState(run: TaskRun, state: TaskState): void {
  run.state = state;
  upsertSearchAttributes([{ key: STATUS, value: state }]);
}

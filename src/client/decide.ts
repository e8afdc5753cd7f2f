import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { Approval, Decision, DecisionOutcome } from '../contracts/approvals.js';
import { UPDATES } from '../contracts/names.js';
import { AbilityError } from '../contracts/problem.js';
import type { Session } from './connect.js';
import { asking, isUnknownWorkflow, taskNotFound } from './temporal-errors.js';
import { viewTask } from './view-task.js';

/** The approvals of a task that wait for people. @throws AbilityError `task.not_found`. */
export async function openApprovals(session: Session, id: string): Promise<Approval[]> {
  const { result } = await viewTask(session, id);
  return result.approvals.filter(({ status }) => status === 'open');
}

/**
 * Sends a decision and learns whether it counted.
 *
 * @throws AbilityError `task.not_found`, `task.closed`, `approval.ignored`.
 */
export async function decide(
  session: Session,
  id: string,
  verdict: 'approve' | 'deny',
  decision: Decision,
): Promise<Extract<DecisionOutcome, { counted: true }>> {
  const first = await send(session, id, verdict, decision);
  const outcome = first.counted ? first : ((await sendToCalled(session, id, verdict, decision)) ?? first);
  if (outcome.counted) return outcome;
  throw new AbilityError({
    code: 'approval.ignored',
    message: `The decision did not count: ${outcome.reason}`,
    suggestion: 'Run `ability approvals` to see who may decide on what.',
  });
}

/** The approval may be that of a task which this one has called. */
async function sendToCalled(
  session: Session,
  id: string,
  verdict: 'approve' | 'deny',
  decision: Decision,
): Promise<DecisionOutcome | undefined> {
  const open = await openApprovals(session, id);
  const wanted = decision.approval_id ? open.filter((approval) => approval.id === decision.approval_id) : open;
  const [only] = wanted;
  if (wanted.length !== 1 || only?.task === undefined) return undefined;
  return send(session, only.task, verdict, { ...decision, approval_id: only.id });
}

async function send(
  session: Session,
  id: string,
  verdict: 'approve' | 'deny',
  decision: Decision,
): Promise<DecisionOutcome> {
  return asking(session, async () => {
    try {
      return await session.temporal.workflow
        .getHandle(id)
        .executeUpdate<DecisionOutcome, [object]>(UPDATES.decide, { args: [{ verdict, decision }] });
    } catch (error) {
      if (isUnknownWorkflow(error)) throw await whyUnknown(session, id, error);
      if (error instanceof WorkflowUpdateFailedError) throw await whyUnknown(session, id, error);
      throw error;
    }
  });
}

/** An update fails alike for a key that is unknown and for a task that has ended. */
async function whyUnknown(session: Session, id: string, cause: unknown): Promise<AbilityError> {
  const seen = await viewTask(session, id).catch(() => undefined);
  if (!seen) return taskNotFound(id, cause);
  return new AbilityError(
    {
      code: 'task.closed',
      message: `${id} has ended (${seen.result.status}), so there is nothing to decide`,
    },
    { cause },
  );
}

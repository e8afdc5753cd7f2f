import { randomUUID } from 'node:crypto';
import { WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import type {
  Approval,
  Decision,
  DecisionOutcome,
  DecisionProof,
  ProvedDecision,
  Verdict,
} from '../../contracts/approvals.js';
import { UPDATES } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import { COMMENT_MISSING } from '../../rules/tasks/decide-approval.js';
import { provableUser, proveDecision, readProofKey } from '../../server/keys/proof-key.js';
import { proveWithToken } from '../../server/keys/tokens/token-proof.js';
import type { Connection } from '../connection/connect.js';
import { refuseUnserved } from '../connection/find-workers.js';
import { keepingRuntime } from '../connection/keep-runtime.js';
import { asking, isUnknownWorkflow, taskNotFound } from '../connection/temporal-errors.js';
import { openOwn } from '../view/open-task.js';
import { unlessDeleted } from '../view/read-deletion.js';
import { viewOwnTask, viewTask } from '../view/view-task.js';

/** Workers answer in milliseconds; after a crash, another one takes over within ten seconds. */
const DECIDE_MS = 15_000;

/** Approvals that may be decided from here. @throws AbilityError `task.not_found`, `task.other_project`. */
export async function openApprovals(connection: Connection, id: string): Promise<Approval[]> {
  const { result } = await viewOwnTask(connection, id);
  return result.approvals.filter(({ status }) => status === 'open');
}

/**
 * @throws AbilityError `usage.invalid` for a denial with fields, `approval.ignored` if the decision did not count,
 * `task.not_found`, `task.closed`, `task.other_project`; `placement.no_worker`, `worker.unavailable`.
 */
export async function decide(
  connection: Connection,
  id: string,
  verdict: Verdict,
  decision: Decision,
): Promise<Extract<DecisionOutcome, { counted: true }>> {
  refuseFilledNo(verdict, decision);
  const first = await send(connection, id, verdict, decision);
  const outcome = first.counted ? first : ((await sendToCalled(connection, id, verdict, decision)) ?? first);
  if (outcome.counted) return outcome;
  throw new AbilityError({
    code: 'approval.ignored',
    message: `The decision did not count: ${outcome.reason}`,
    suggestion: adviceOn(outcome.reason),
  });
}

function adviceOn(reason: string): string {
  if (Object.values<string>(COMMENT_MISSING).includes(reason)) return 'Say why, with `--comment TEXT`.';
  if (/^(it needs|there is no|the) field /.test(reason)) {
    return 'Fill in the fields with `--set NAME=VALUE`; `ability approvals KEY` lists them.';
  }
  return 'Run `ability approvals` to see who may decide on what.';
}

/** Refuses fields of a denial, which nothing would read or check. */
function refuseFilledNo(verdict: Verdict, { fields = {} }: Decision): void {
  const names = Object.keys(fields);
  if (verdict === 'approve' || names.length === 0) return;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `A denial cannot fill in fields, but ${names.join(', ')} came with it`,
    suggestion: 'Leave them out; say why in the comment.',
  });
}

/** Sends the decision to the called task that the approval belongs to. */
async function sendToCalled(
  connection: Connection,
  id: string,
  verdict: Verdict,
  decision: Decision,
): Promise<DecisionOutcome | undefined> {
  const open = await openApprovals(connection, id);
  const wanted = decision.approval_id ? open.filter((approval) => approval.id === decision.approval_id) : open;
  const [only] = wanted;
  if (wanted.length !== 1 || only?.task === undefined) return undefined;
  return send(connection, only.task, verdict, { ...decision, approval_id: only.id });
}

async function send(
  connection: Connection,
  id: string,
  verdict: Verdict,
  decision: Decision,
): Promise<DecisionOutcome> {
  return asking(connection, async () => {
    const args: [object] = [{ verdict, decision }];
    // The fixed id makes a repetition after a restart of the runtime the same decision.
    const updateId = randomUUID();
    let taskQueue: string | undefined;
    try {
      return await keepingRuntime(connection, async () => {
        const task = await openOwn(connection, id);
        if (!task) throw await whyUnknown(connection, id, undefined);
        taskQueue = task.description.taskQueue;
        return connection.temporal.withDeadline(Date.now() + DECIDE_MS, () =>
          task.execution.executeUpdate<DecisionOutcome, [object]>(UPDATES.decide, { args, updateId }),
        );
      });
    } catch (error) {
      if (isUnknownWorkflow(error)) throw await whyUnknown(connection, id, error);
      if (error instanceof WorkflowUpdateFailedError) throw await whyUnknown(connection, id, error);
      if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError && taskQueue !== undefined)
        throw await whyUnanswered(connection, id, taskQueue, error);
      throw error;
    }
  });
}

/** Not reported as a timeout: a worker that starts later may still take up the decision. */
async function whyUnanswered(
  connection: Connection,
  id: string,
  taskQueue: string,
  cause: unknown,
): Promise<AbilityError> {
  await refuseUnserved(connection, taskQueue);
  const message = `No worker took up the decision on ${id} within ${DECIDE_MS / 1000} s`;
  const suggestion = `Run \`ability task show ${id}\` to see whether it counted after all, and \`ability doctor\` to check the worker.`;
  return new AbilityError({ code: 'worker.unavailable', message, suggestion }, { cause });
}

/** Tells an unknown key from an ended task; the update fails the same way for both. */
async function whyUnknown(connection: Connection, id: string, cause: unknown): Promise<AbilityError> {
  const seen = await viewTask(connection, id).catch(unlessDeleted);
  if (!seen) return taskNotFound(id, cause);
  const message = `${id} has ended (${seen.result.status}), so there is nothing to decide`;
  return new AbilityError({ code: 'task.closed', message }, { cause });
}

/**
 * Adds the proof that an approval requires. A token proves its person, whom the worker looks up. Without one, only
 * the operating-system user who owns the project's own runtime can be proved. Source: docs/approvals.md#proof.
 * @throws AbilityError `approval.unproved`, `door.unauthenticated` for an invalid token.
 */
export function withProof(
  connection: Connection,
  approval: Approval,
  verdict: Verdict,
  decision: Decision,
  token?: string,
): Decision {
  if (approval.proof !== 'required') return decision;
  const { by = '', comment = null, fields = null } = decision;
  if (!connection.isOwnRuntime) throw unproved(`${connection.address} is not the project's own runtime`);
  const { id: approval_id, raised_at } = approval;
  const about: ProvedDecision = { approval_id, raised_at, verdict, by, comment, fields };
  const proof = token === undefined ? proofOfOwner(connection, about) : proofOfToken(token, about);
  return { ...decision, approval_id, proof };
}

function proofOfOwner({ paths }: Connection, about: ProvedDecision): DecisionProof {
  const user = provableUser();
  if (about.by !== user) throw unproved(`only ${user} can be proved here, and not ${about.by || 'an unnamed person'}`);
  return proveDecision(readProofKey(paths.proofKey), about);
}

function proofOfToken(token: string, about: ProvedDecision): DecisionProof {
  const proof = proveWithToken(token, about);
  if (proof) return proof;
  throw new AbilityError({
    code: 'door.unauthenticated',
    message: 'The text that was passed as a token is not a token',
    suggestion: 'Pass the whole line that `ability token create` printed.',
  });
}

function unproved(why: string): AbilityError {
  return new AbilityError({
    code: 'approval.unproved',
    message: `The approval asks for proof of who decides, and ${why}`,
    suggestion:
      "Decide as the user who owns the project's own runtime, on its machine and without `--as`; or with a token in ABILITY_TOKEN.",
  });
}

import { randomUUID } from 'node:crypto';
import { QueryNotRegisteredError } from '@temporalio/client';
import type { Approval, Decision, DecisionOutcome, Verdict } from '../../contracts/approvals.js';
import { QUERIES, SIGNALS } from '../../contracts/names.js';
import { AbilityError, usageError } from '../../contracts/problem.js';
import { COMMENT_MISSING } from '../../rules/tasks/decision-form.js';
import { sleep } from '../../server/start-timer.js';
import { grpcErrorOf } from '../../server/temporal/grpc-error.js';
import type { Connection } from '../connection/connect.js';
import { refuseUnserved } from '../connection/find-workers.js';
import { keepingRuntime } from '../connection/keep-runtime.js';
import { asking, isUnknownWorkflow, taskNotFound } from '../connection/temporal-errors.js';
import { type OwnTask, openOwn, unlessDeleted } from '../view/open-task.js';
import { viewOwnTask, viewTask } from '../view/view-task.js';

/** Workers answer in milliseconds; after a crash, another one takes over within ten seconds. */
const DECIDE_MS = 15_000;
/** Between two questions for the outcome, which is there at once unless a proof is checked. Milliseconds. */
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;

/** Approvals that may be decided from here. @throws AbilityError `task.not_found`, `task.other_project`. */
export async function openApprovals(connection: Connection, id: string): Promise<Approval[]> {
  const { result } = await viewOwnTask(connection, id);
  return result.approvals.filter(({ status }) => status === 'open');
}

/**
 * @throws AbilityError `usage.invalid` for a denial with fields; `approval.ignored`, or `grant.refused` or `expression.*`
 * for what it would grant, if the decision did not count;
 * `task.not_found`, `task.closed`, `task.other_project`; `worker.unavailable`: it is kept until a worker takes it up.
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
  const { code = 'approval.ignored', reason } = outcome;
  const message = `The decision did not count: ${reason}`;
  const suggestion = code === 'approval.ignored' ? adviceOn(reason) : GRANT_ADVICE;
  throw new AbilityError({ code, message, suggestion });
}

const GRANT_ADVICE = 'Decide without a grant, or see docs/approvals.md: "One yes for what is alike".';

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
  throw usageError(
    `A denial cannot fill in fields, but ${names.join(', ')} came with it`,
    'Leave them out; say why in the comment.',
  );
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

/** Sends it as a signal, which Temporal keeps until a worker takes it up, and asks for its outcome. */
async function send(
  connection: Connection,
  key: string,
  verdict: Verdict,
  decision: Decision,
): Promise<DecisionOutcome> {
  const id = randomUUID();
  const asksForChanges = verdict === 'request_changes';
  const signal = verdict === 'approve' ? SIGNALS.approve : SIGNALS.deny;
  const sent: Decision = { ...decision, id, ...(asksForChanges && { request_changes: true }) };
  return asking(connection, async () => {
    try {
      // Its id makes a repetition after a restart of the runtime the same decision.
      return await keepingRuntime(connection, async () => {
        const task = await openOwn(connection, key);
        if (!task) throw await whyUnknown(connection, key, undefined);
        await task.execution.signal(signal, sent);
        return (await outcomeOf(connection, task, id)) ?? (await whyUnanswered(connection, key, task));
      });
    } catch (error) {
      if (isUnknownWorkflow(error)) throw await whyUnknown(connection, key, error);
      throw error;
    }
  });
}

/** Undefined without an answer in time. */
async function outcomeOf(
  { temporal }: Connection,
  { execution }: OwnTask,
  id: string,
): Promise<DecisionOutcome | undefined> {
  const deadline = Date.now() + DECIDE_MS;
  for (let pause = FIRST_PAUSE_MS; Date.now() < deadline; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    const ask = (): Promise<DecisionOutcome | null> => execution.query(QUERIES.decision, id);
    const outcome = await temporal.withDeadline(deadline, ask).catch((error: unknown) => {
      // Its preflight goes on, or no worker answers.
      if (isUnknownWorkflow(error) || !(error instanceof QueryNotRegisteredError || grpcErrorOf(error))) throw error;
      return null;
    });
    if (outcome) return outcome;
    await sleep(pause);
  }
  return undefined;
}

/** A worker that starts later still takes up the decision. @throws AbilityError always. */
async function whyUnanswered(connection: Connection, key: string, { description, run }: OwnTask): Promise<never> {
  const { status } = await run.describe();
  if (status.name !== 'RUNNING') throw await whyUnknown(connection, key, undefined);
  const cause = await refuseUnserved(connection, description.taskQueue).catch((error: unknown) => error);
  throw new AbilityError(
    {
      code: 'worker.unavailable',
      message: `No worker took up the decision on ${key} within ${DECIDE_MS / 1000} s; it is kept, and counts once one does`,
      suggestion: `Run \`ability doctor\` to check the worker; \`ability task show ${key}\` then shows whether it counted.`,
    },
    { cause },
  );
}

/** Tells an unknown key from an ended task; the signal fails the same way for both. */
async function whyUnknown(connection: Connection, id: string, cause: unknown): Promise<AbilityError> {
  const seen = await viewTask(connection, id).catch(unlessDeleted);
  if (!seen) return taskNotFound(id, cause);
  const message = `${id} has ended (${seen.result.status}), so there is nothing to decide`;
  return new AbilityError({ code: 'task.closed', message }, { cause });
}

import type { Approval, Decision, DecisionOutcome, Verdict } from '../../contracts/approvals.js';
import type { Person } from '../../contracts/callers.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TurnContext } from '../../contracts/session.js';
import type { ShownApproval } from '../approvals/read-approvals.js';
import type { NewSession, SeenSession } from '../sessions/sessions.js';
import { type HttpConnection, refuseGiven } from './http-connection.js';
import { answerAs, pathOf, requesterHeaders, viewTask } from './tasks.js';

export async function openApprovals(connection: HttpConnection, id: string): Promise<Approval[]> {
  const { result } = await viewTask(connection, id);
  return result.approvals.filter(({ status }) => status === 'open');
}

/** As `readApprovals`, with known secrets masked. */
export async function readApprovals({ http }: HttpConnection, key: string): Promise<ShownApproval[]> {
  const { body } = await http.ask('GET', `${pathOf(key)}/approvals`);
  return answerAs<(ShownApproval & { last_approved?: unknown })[]>(body).map(({ last_approved: _, ...shown }) => shown);
}

/** As `listApprovals`, with known secrets masked. */
export async function listApprovals({ http }: HttpConnection, environment?: string): Promise<ShownApproval[]> {
  const { body } = await http.ask('GET', '/v1/approvals', { query: { environment } });
  return answerAs<ShownApproval[]>(body);
}

/** As `decide`. The token identifies the decider, and is also the proof. */
export async function decide(
  connection: HttpConnection,
  id: string,
  verdict: Verdict,
  decision: Decision,
): Promise<Extract<DecisionOutcome, { counted: true }>> {
  refuseGiven('a decision', decision, ['proof']);
  const { by, comment, fields } = decision;
  const approval = decision.approval_id ?? (await onlyOpen(connection, id));
  const answer = decision.request_changes ? 'request_changes' : verdict;
  const { body } = await connection.http.ask('POST', `${pathOf(id)}/approvals/${encodeURIComponent(approval)}`, {
    body: { decision: answer, ...(comment !== undefined && { comment }), ...(fields && { fields }) },
    headers: by === undefined ? {} : requesterHeaders({ name: by }),
  });
  const { task_key: _, ...outcome } = answerAs<Extract<DecisionOutcome, { counted: true }> & { task_key: string }>(
    body,
  );
  return outcome;
}

async function onlyOpen(connection: HttpConnection, id: string): Promise<string> {
  const [only, ...others] = await openApprovals(connection, id);
  if (only && others.length === 0) return only.id;
  throw new AbilityError({
    code: 'approval.ignored',
    message: `The decision did not count: ${id} has ${only ? others.length + 1 : 'no'} open approvals`,
    suggestion: only ? 'Name one of them in `approval_id`.' : 'Look at what the task waits for.',
  });
}

export async function startSession(
  { http }: HttpConnection,
  { id, environment, scope, idleMs, user }: NewSession,
): Promise<{ session_id: string; attached: boolean }> {
  refuseGiven('user', user, ['agent']);
  const { body } = await http.ask('POST', '/v1/sessions', {
    body: {
      ...(id !== undefined && { id }),
      environment,
      scope,
      ...(idleMs !== undefined && { idle: `${idleMs}ms` }),
    },
    headers: requesterHeaders(user),
  });
  const { session_id, attached } = answerAs<{ session_id: string; attached: boolean }>(body);
  return { session_id, attached };
}

export async function promptSession(
  { http }: HttpConnection,
  session: string,
  prompt: string,
  user: Person,
): Promise<TurnContext> {
  refuseGiven('user', user, ['agent']);
  const { body } = await http.ask('POST', `${sessionPath(session)}/prompts`, {
    body: { prompt },
    headers: requesterHeaders(user),
  });
  return answerAs<TurnContext>(body);
}

export async function showSession({ http }: HttpConnection, session: string): Promise<SeenSession> {
  return answerAs<SeenSession>((await http.ask('GET', sessionPath(session))).body);
}

export async function stopSession({ http }: HttpConnection, session: string): Promise<SeenSession> {
  return answerAs<SeenSession>((await http.ask('POST', `${sessionPath(session)}/stop`)).body);
}

function sessionPath(session: string): string {
  return `/v1/sessions/${encodeURIComponent(session)}`;
}

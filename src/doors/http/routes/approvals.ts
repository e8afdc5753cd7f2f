import {
  decide,
  findLastApproved,
  keepingRuntime,
  listApprovals,
  readApprovals,
  type ShownApproval,
  withProof,
} from '../../../client/index.js';
import type { Decision } from '../../../contracts/approvals.js';
import type { JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import { masking } from '../../cli/output/mask-secrets.js';
import {
  approvalParams,
  approvalsAnswer,
  decidedAnswer,
  decisionBody,
  environmentQuery,
  keyParams,
} from '../formats.js';
import type { HttpDoor } from '../http-door.js';
import { defineRoute, type Route } from '../route.js';

export const approvalRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/approvals',
    summary: 'What waits for a decision.',
    right: 'read',
    query: environmentQuery,
    answers: { 200: { means: 'The open approvals, with known secrets masked.', schema: approvalsAnswer } },
    handle: ({ door, query: { environment } }) =>
      door.ask(async (connection) => {
        const open = await keepingRuntime(connection, () => listApprovals(connection, environment));
        return { status: 200, body: await masked(door, open) };
      }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/tasks/{key}/approvals',
    summary: 'What one task waits for, with what differs from the last approval of its kind.',
    right: 'read',
    params: keyParams,
    answers: { 200: { means: 'The open approvals of the task, with known secrets masked.', schema: approvalsAnswer } },
    handle: ({ door, params: { key } }) =>
      door.ask(async (connection) => {
        const open = await keepingRuntime(connection, () => readApprovals(connection, key));
        const shown = open.map(async (approval) => {
          return { ...approval, last_approved: await findLastApproved(connection, approval) };
        });
        return { status: 200, body: await masked(door, await Promise.all(shown)) };
      }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/tasks/{key}/approvals/{approval}',
    summary: 'Decide on what was shown; where the environment requires proof, the token provides it.',
    right: 'approve',
    params: approvalParams,
    body: decisionBody,
    answers: { 200: { means: 'The decision counted.', schema: decidedAnswer } },
    handle: ({ door, caller, params: { key, approval: id }, body: { decision: verdict, comment, fields } }) =>
      door.ask(async (connection) => {
        const open = await keepingRuntime(connection, () => readApprovals(connection, key));
        const approval = open.find((one) => one.id === id);
        if (!approval) throw notOpen(key, id);
        const decision: Decision = {
          by: caller.person.name,
          approval_id: id,
          ...(comment !== undefined && { comment }),
          ...(fields && { fields: fields as JsonObject }),
        };
        if (approval.proof === 'required' && caller.token === undefined) throw unproved();
        const proved = withProof(connection, approval, verdict, decision, caller.token);
        const outcome = await decide(connection, approval.task ?? key, verdict, proved);
        return { status: 200, body: { task_key: key, ...outcome } };
      }),
  }),
];

async function masked<T extends ShownApproval>({ env, registry }: HttpDoor, shown: readonly T[]): Promise<T[]> {
  const mask = await masking({ env }, registry());
  return shown.map((approval) => mask(approval, approval.what.environment));
}

function notOpen(key: string, id: string): AbilityError {
  return new AbilityError({
    code: 'approval.not_found',
    message: `${key} has no open approval ${id}`,
    suggestion: `See what is open: GET /v1/tasks/${encodeURIComponent(key)}/approvals.`,
  });
}

/** Otherwise the owner's key would sign for any name that the proxy gives. */
function unproved(): AbilityError {
  return new AbilityError({
    code: 'approval.unproved',
    message: 'The approval asks for proof of who decides, and the statement of a proxy is no proof',
    suggestion: 'Decide with a token of your own: `authorization: Bearer TOKEN`.',
  });
}

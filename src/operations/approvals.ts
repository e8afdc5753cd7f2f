import { z } from 'zod';
import {
  type Connection,
  findLastApproved,
  keepingRuntime,
  listApprovals as list,
  readApprovals as read,
  type ShownApproval,
  decide as send,
  withProof,
} from '../client/index.js';
import type { Decision } from '../contracts/approvals.js';
import type { JsonObject } from '../contracts/json.js';
import { AbilityError } from '../contracts/problem.js';
import { maskerFor } from '../planning/secrets/credentials.js';
import type { Masker } from '../planning/secrets/masking/masker.js';
import { isAllowed } from '../rules/rights.js';
import { MAX_CONDITION, MAX_GRANT_MS, MAX_USES } from '../rules/tasks/decision-form.js';
import { defined } from '../text/defined.js';
import { approvalNotFound, approval as decidedOn, task } from './concerns.js';
import * as fields from './fields.js';
import { answer, type OpenProject, operation } from './operation.js';

const approvals = z.array(
  z.looseObject({ id: z.string(), task_key: z.string(), title: z.string(), what_digest: z.string() }),
);

export const listApprovals = operation({
  summary: 'What waits for a decision.',
  right: 'read',
  at: 'GET /v1/approvals',
  input: z.strictObject({
    environment: fields.environment.optional(),
    limit: z
      .int()
      .min(1)
      .max(999)
      .optional()
      .describe('Read at most so many waiting tasks, the newest (default: all).'),
  }),
  answers: answer('The open approvals, with known secrets masked.', approvals),
  run: (project, { rights }, { environment, limit }, signal) =>
    project.ask(async (connection) => {
      const which = { environment, limit, within: rights.read };
      return masked(project, await keepingRuntime(connection, () => list(connection, which, signal)));
    }),
  concerns: {
    each: (approvals, may) =>
      approvals.filter(({ task_ability: ability, what: { environment } }) => may({ ability, environment })),
  },
});

export const readApprovals = operation({
  summary: 'What one task waits for, with what differs from the last approval of its kind.',
  right: 'read',
  concerns: task,
  at: 'GET /v1/tasks/{key}/approvals',
  input: z.strictObject({ key: fields.key }),
  answers: answer('The open approvals of the task, with known secrets masked.', approvals),
  run: (project, { rights }, { key }) =>
    project.ask(async (connection) => {
      const open = await keepingRuntime(connection, () => read(connection, key));
      const shown = open.map(async (one) => {
        // That of a called task was approved in another one, which its caller's reader may not see.
        const isReadable = isAllowed(rights, 'read', { ability: one.task_ability, environment: one.what.environment });
        return { ...one, last_approved: isReadable ? await findLastApproved(connection, one) : null };
      });
      return masked(project, await Promise.all(shown));
    }),
});

export const decide = operation({
  summary: 'Decide on what was shown; where the environment requires proof, the token or the sign-in provides it.',
  right: 'approve',
  concerns: decidedOn,
  at: 'POST /v1/tasks/{key}/approvals/{approval}',
  input: z.strictObject({
    key: fields.key,
    approval: z.string().min(1).max(300),
    decision: z.enum(['approve', 'deny', 'request_changes']),
    comment: z.string().max(10_000).optional().describe('Why; for request_changes, what has to change.'),
    fields: z
      .record(z.string(), fields.json)
      .optional()
      .describe('What the approval asks the decider to fill in, and what it lets them change in the input.'),
    grant: z
      .strictObject({
        for: z.enum(['task', 'session']).describe('Calls of the root task and all that it calls, or of its session.'),
        up_to: z.int().min(2).max(MAX_USES).describe('How many calls, this one included.'),
        if: z.string().max(MAX_CONDITION).optional().describe('CEL over `input` that further calls meet.'),
        for_ms: z.int().min(1).max(MAX_GRANT_MS).optional().describe('How long it holds (default: a day).'),
      })
      .optional()
      .describe('With approve: further calls that are alike need no decision.'),
    denied_items: z
      .array(z.int().min(1))
      .max(1000)
      .optional()
      .describe('With approve, of an approval of several items: the numbers of those that are denied, from 1.'),
  }),
  answers: answer(
    'The decision counted.',
    z.looseObject({
      task_key: z.string(),
      counted: z.literal(true),
      approval_id: z.string(),
      status: z.string(),
      missing: z.int(),
    }),
  ),
  run: (project, { person, proof }, { key, approval: id, decision: verdict, comment, fields: filled, ...more }) =>
    project.ask(async (connection) => {
      const approval = await findOpen(connection, key, id);
      const decision: Decision = {
        by: person.name,
        approval_id: id,
        ...(comment !== undefined && { comment }),
        ...(filled && { fields: filled as JsonObject }),
        ...defined(more),
      };
      if (approval.proof === 'required' && proof === null) throw unproved();
      const proved = proof ? withProof(connection, approval, verdict, decision, proof) : decision;
      return { task_key: key, ...(await send(connection, approval.task ?? key, verdict, proved)) };
    }),
});

/** @throws AbilityError `approval.not_found`. */
export async function findOpen(connection: Connection, key: string, id: string): Promise<ShownApproval> {
  const open = await keepingRuntime(connection, () => read(connection, key));
  const found = open.find((one) => one.id === id);
  if (found) return found;
  throw approvalNotFound(key, id);
}

/** Known secrets are masked, as far as this process can read them. */
function masked<T extends ShownApproval>(project: OpenProject, shown: readonly T[]): T[] {
  const registry = project.registry();
  const maskers = new Map<string, Masker>();
  return shown.map((approval) => {
    const { environment } = approval.what;
    const masker = maskers.get(environment) ?? maskerFor(registry, environment, project.env);
    maskers.set(environment, masker);
    return masker.maskDeep(approval) as T;
  });
}

/** Otherwise the owner's key would sign for any name that the proxy gives. */
function unproved(): AbilityError {
  return new AbilityError({
    code: 'approval.unproved',
    message: 'The approval asks for proof of who decides, and the statement of a proxy is no proof',
    suggestion: 'Sign in, or decide with a token of your own: `authorization: Bearer TOKEN`.',
  });
}

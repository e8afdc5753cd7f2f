import type { GrantView } from '../../../contracts/grants.js';
import { refuseAgents } from '../../../operations/read-caller.js';
import { oneLine } from '../../../rules/shown-text.js';
import { formatMoment, formatUntil } from '../output/format-time.js';
import type { GrantFlags } from '../program/approvals.js';
import { type Context, printAnswer, printList } from '../program/context.js';
import { withProject } from '../program/project-client.js';

/** `ability grants list`: what people have granted, and its uses. */
export async function list(context: Context, _: [], { all = false }: GrantFlags['list']): Promise<void> {
  const grants = await withProject(context, (project) => project.call('listGrants', { all }));
  printList(context, grants, 'Nothing is granted.', () => grants.map((grant) => renderGrant(grant)).join('\n\n'));
}

/** `ability grants revoke ID`: no further call. @throws AbilityError `grant.not_found`, `grant.ended`, `approval.by_agent`. */
export async function revoke(context: Context, [id]: [string]): Promise<void> {
  refuseAgents(context);
  const grant = await withProject(context, (project) => project.call('revokeGrant', { id }));
  printAnswer(context, grant, () => renderGrant(grant));
}

function renderGrant(grant: GrantView): string {
  const { id, ability, environment, status, used, up_to, for: whom, task, session, by, revoked_by } = grant;
  const names = by.map((one) => (one === 'unnamed' ? 'an unnamed person' : `${one.name} (${one.source})`));
  const end = grant.ended_at === null ? '' : ` ${formatMoment(grant.ended_at)}`;
  return [
    `grant ${id}: ${ability} in ${environment}, ${used} of ${up_to} calls`,
    `  for: the ${whom} ${oneLine((whom === 'task' ? task : session) ?? '')}`,
    ...grant.if.map((condition) => `  if: ${oneLine(condition)}`),
    `  by: ${oneLine(names.join(', '))}, with ${oneLine(grant.task_key)} ${grant.approval_id}`,
    status === 'open'
      ? `  open until ${formatUntil(grant.expires_at)}`
      : `  ${status.replace('_', ' ')}${end}${revoked_by === undefined ? '' : ` by ${oneLine(revoked_by)}`}`,
  ].join('\n');
}

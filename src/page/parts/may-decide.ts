import type { Approval } from '../../contracts/approvals.js';
import type { OutputOf } from '../../operations/over-http/call-door.js';
import { personKey } from '../../rules/tasks/persons.js';
import { mayDo, me } from '../state.js';
import { t } from '../texts/text.js';

/** An approval that waits, as the door lists it. */
export type Waiting = Awaited<OutputOf<'listApprovals'>>[number];

/** Why the person may not decide; undefined: they may. The worker decides; this only shows what it will say. */
export function mayDecide(approval: Approval): string | undefined {
  const name = me.value?.person ?? '';
  const isMe = (other: string): boolean => personKey(other) === personKey(name);
  const { approvers, people, groups, self_approval, requested_by, changed_by = [], decisions, quorum } = approval;
  if (!mayDo('approve')) return t('approval.may-not.right');
  const isInGroup = me.value?.groups.some((group) => groups.includes(group));
  if (approvers.length > 0 && !people.includes(name) && !isInGroup) {
    return t('approval.may-not.people', { approvers: approvers.join(', ') });
  }
  if (!self_approval && [requested_by.name, ...changed_by].some(isMe)) return t('approval.may-not.self');
  if (decisions.some(({ by }) => by !== 'unnamed' && isMe(by.name))) {
    return t('approval.may-not.done', { count: quorum - decisions.length });
  }
  return undefined;
}

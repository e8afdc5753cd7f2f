import type { PlanEnvironment } from '../../contracts/plan.js';
import type { ApprovalPreview, HookPreview } from '../../contracts/preview.js';
import { GUARD_APPROVAL_MS } from '../../rules/call-limits.js';
import { formatDuration } from '../../rules/duration.js';

/** The approval before a call or a task; null where nobody asks for one. */
export function previewGuardApproval(
  title: string,
  reasons: readonly string[],
  hooks: readonly HookPreview[],
  environment: PlanEnvironment,
): ApprovalPreview | null {
  // A no comes before any question.
  if (hooks.some(({ decision }) => decision === 'deny')) return null;
  const asking = hooks.filter(({ decision }) => decision === 'need_user_confirm').map(reasonOf);
  const open = hooks.filter(mayConfirm).map((hook) => `perhaps: ${reasonOf(hook)}`);
  const certain = [...asking, ...reasons];
  if (certain.length === 0 && open.length === 0) return null;
  return {
    title,
    asked: certain.length > 0 ? 'yes' : 'maybe',
    reasons: [...certain, ...open],
    ...decidersOf(environment),
    expires: formatDuration(GUARD_APPROVAL_MS),
    comment: 'optional',
    fields: {},
  };
}

/** Who decides where nothing else is written. */
export function decidersOf({ approvers, quorum, self_approval }: PlanEnvironment) {
  return { approvers: approvers.listed, people: approvers.people, quorum, self_approval };
}

function reasonOf({ id, reason }: HookPreview): string {
  return `${reason ?? 'A hook asks for confirmation.'} (hook ${id})`;
}

function mayConfirm({ handler, decision, depends_on, phase }: HookPreview): boolean {
  return handler === 'expression' && decision === null && depends_on.length > 0 && phase !== 'PostAbilityCall';
}

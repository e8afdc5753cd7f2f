import type { ExitCode } from '../../../../contracts/exit-codes.js';
import { usageError } from '../../../../contracts/problem.js';
import type { ApprovalFlags } from '../../program/approvals.js';
import type { Context } from '../../program/context.js';
import { runDecision } from './decide.js';
import { approveLike } from './decide-like.js';

/** `ability approve KEY`, `ability approve --like APPROVAL`. @throws AbilityError `usage.invalid`. */
export function approve(
  context: Context,
  [key]: [string | undefined],
  flags: ApprovalFlags['approve'],
): Promise<ExitCode> {
  const { like, approval, set } = flags;
  if (like === undefined) {
    if (key === undefined) throw usageError('`approve` decides for a task', 'Name it: ability approve KEY.');
    return runDecision(context, key, 'approve', flags);
  }
  const others = [key, approval, ...set].filter((word) => word !== undefined);
  if (others.length > 0) {
    throw usageError('--like finds by itself what it decides, and fills in nothing', `Leave out ${others.join(', ')}.`);
  }
  return approveLike(context, like, flags);
}

/**
 * `ability deny KEY`, with `--request-changes` a denial that says what to change. @throws AbilityError `usage.invalid`.
 */
export function deny(context: Context, [key]: [string], flags: ApprovalFlags['deny']): Promise<ExitCode> {
  if (!flags.requestChanges) return runDecision(context, key, 'deny', flags);
  if (!flags.comment?.trim()) {
    throw usageError('--request-changes needs a comment that says what to change', 'Add it with `--comment TEXT`.');
  }
  return runDecision(context, key, 'request_changes', flags);
}

import type { ExitCode } from '../../../../contracts/exit-codes.js';
import { usageError } from '../../../../contracts/problem.js';
import type { ApprovalFlags } from '../../program/approvals.js';
import type { Context } from '../../program/context.js';
import { runDecision } from './decide.js';

/** `ability deny KEY`, with `--request-changes` a denial that says what to change. @throws AbilityError `usage.invalid`. */
export function run(context: Context, [key]: [string], flags: ApprovalFlags['deny']): Promise<ExitCode> {
  if (!flags.requestChanges) return runDecision(context, key, 'deny', flags);
  if (!flags.comment?.trim()) {
    throw usageError('--request-changes needs a comment that says what to change', 'Say it with `--comment TEXT`.');
  }
  return runDecision(context, key, 'request_changes', flags);
}

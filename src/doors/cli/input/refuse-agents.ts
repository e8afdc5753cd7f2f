import { AbilityError } from '../../../contracts/problem.js';
import type { Context } from '../program/context.js';
import { readCaller } from './read-caller.js';

/**
 * Agents never decide. Who types a command is a claim, so that this keeps out those that are honest; `proof: required` and
 * `ability guard` do more. Source: docs/approvals.md.
 *
 * @throws AbilityError `approval.by_agent`.
 */
export function refuseAgents({ env }: Context): void {
  if (readCaller(env) !== 'agent') return;
  throw new AbilityError({
    code: 'approval.by_agent',
    message: 'This command was typed by an agent, and agents decide no approval',
    suggestion: 'Ask a person to type it in a terminal of their own.',
  });
}

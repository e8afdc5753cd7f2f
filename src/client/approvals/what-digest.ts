import type { Approval } from '../../contracts/approvals.js';
import { digestOf } from '../../rules/canonical.js';

/**
 * Names what an approval is about, whichever task asks and at whichever step: ability, implementation, environment, effects
 * and input. 64 hex digits.
 */
export function whatDigestOf({ what }: Pick<Approval, 'what'>): string {
  const { ability, implementation, environment, effects, input } = what;
  return digestOf({ ability, implementation, environment, effects, input });
}

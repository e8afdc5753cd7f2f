import type { FocusContext } from '../../contracts/routing.js';
import { actOf } from './asks-for.js';
import { isConsent } from './consent.js';

/**
 * Whether a yes or no answers a later question than what is pending: since that was put, the person asked for something else, and was
 * asked something in reply. Source: R-003-23, R-003-29.
 */
export function answersLater(text: string, { pending, lane }: FocusContext): boolean {
  if (!pending || isConsent(text) === undefined) return false;
  const since = Date.parse(pending.since);
  const later = lane.window.slice(0, -1).filter(({ at }) => Date.parse(at) > since);
  const other = later.findIndex((message) => message.role === 'user' && actOf(message.text) === 'asks');
  return other >= 0 && later.slice(other).some(({ role, text: said }) => role === 'assistant' && /\?\W*$/.test(said));
}

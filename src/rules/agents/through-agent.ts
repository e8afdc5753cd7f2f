import type { Person } from '../../contracts/callers.js';

/** For an approver. @param show makes the agent's name, which its client chose, safe to display. */
export function throughAgent({ agent }: Person, show: (text: string) => string): string {
  return agent === undefined ? '' : `, through ${show(agent)}`;
}

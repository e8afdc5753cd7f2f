import type { Person } from '../../contracts/people.js';

/**
 * What follows the name of who asked for something, where an agent asked in their name: whoever decides must know.
 *
 * @param show makes the name of the agent fit to stand where it is shown; it is what its client says.
 */
export function throughAgent({ agent }: Person, show: (text: string) => string): string {
  return agent === undefined ? '' : `, through ${show(agent)}`;
}

import { isWhole, timesIn } from '../fixtures/extent.js';

/** How much of the attack suite runs: `npm run test:attacks` runs all of it, `npm test` a short version. */
export const WHOLE = isWhole('ATTACKS');

/** How often an attack is repeated. */
export function times(short: number, whole: number): number {
  return timesIn('ATTACKS', short, whole);
}

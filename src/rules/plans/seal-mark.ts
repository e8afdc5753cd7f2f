import type { Seal } from '../../contracts/seal.js';
import { digestOf } from '../canonical.js';

/**
 * Enough of a seal to tell it from every other one of the same task: the seal over the same plan, input and person has
 * the same mark, and no other has. 16 hex digits.
 */
export function sealMark(seal: Seal): string {
  return digestOf(seal).slice(0, 16);
}

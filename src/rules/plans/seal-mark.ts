import type { Seal } from '../../contracts/seal.js';
import { digestOf } from '../canonical.js';

/**
 * Distinguishes a seal from every other one of the same task: equal only for the same plan, input and person. 16 hex
 * digits.
 */
export function sealMark(seal: Seal): string {
  return digestOf(seal).slice(0, 16);
}

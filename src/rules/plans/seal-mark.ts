import type { Seal } from '../../contracts/seal.js';
import { digestOf } from '../canonical.js';

/** 16 hex digits, equal only for seals of the same plan, input and person. */
export function sealMark(seal: Seal): string {
  return digestOf(seal).slice(0, 16);
}

import { createHash } from 'node:crypto';
import type { PinnedFile } from '../../../src/contracts/plan.js';

/** A file of a plan, as it was when the plan was made. */
export function pinnedFile(path: string, content: string): PinnedFile {
  return { path, digest: createHash('sha256').update(content).digest('hex') };
}

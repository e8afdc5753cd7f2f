import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { PlanScript } from '../../contracts/plan.js';
import { CallFailure } from '../call-failure.js';

/** What was shown is what runs. @throws CallFailure `script.changed`. Source: design, section 2. */
export async function refuseChanged({ path, digest }: PlanScript, root: string): Promise<void> {
  const bytes = await readFile(resolve(root, path)).catch(() => undefined);
  if (bytes && createHash('sha256').update(bytes).digest('hex') === digest) return;
  throw new CallFailure({
    code: 'script.changed',
    message: `${path} was ${bytes ? 'edited' : 'removed'} after the task was created`,
    suggestion: 'Put it back, or create another task.',
  });
}

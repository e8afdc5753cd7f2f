import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { ProjectPaths } from '../project-paths.js';

/** Identifies this machine's folder of records: eight hexadecimal digits, as in the names of shared logs. */
export function recordsOrigin({ records }: Pick<ProjectPaths, 'records'>): string {
  return createHash('sha256').update(`${hostname()}\0${records}`).digest('hex').slice(0, 8);
}

import { FILE_LIMITS } from '../contracts/files.js';
import { parseBytes } from '../text/byte-size.js';
import type { Project } from './formats/project.js';

/** Maximum size of a file of a task, in bytes. */
export function maxFileOf({ policy }: Pick<Project, 'policy'>): number {
  const stated = policy.max_file === undefined ? undefined : parseBytes(policy.max_file);
  return stated ?? FILE_LIMITS.file_bytes;
}

import { loadRegistry } from '../../definitions/load-registry.js';
import { parseDuration } from '../../rules/duration.js';

/** Where nobody says otherwise: `policy.keep_files`. */
const KEEP_FILES = '30d';

/** How long files are kept after the end of their task, in milliseconds. @param root of the project, whose policy says it. */
export function keepTime(root: string): number {
  return parseDuration(loadRegistry(root).project.policy.keep_files ?? KEEP_FILES);
}

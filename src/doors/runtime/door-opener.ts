import type { RuntimeFile } from '../../contracts/runtime.js';
import type { RuntimeDoor } from '../../worker/runtime.js';

/**
 * Opens the door of a project's runtime. The modules behind it are loaded for its first visitor: an unused runtime pays for a socket alone.
 *
 * @param env of the runtime: where the door looks for credentials when it plans.
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

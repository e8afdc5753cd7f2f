import type { RuntimeFile } from '../../contracts/runtime.js';
import type { RuntimeDoor } from '../../worker/runtime.js';

/** Loads the door's modules on first use. @param env of the runtime, for credentials in plans. */
export function doorOpener(
  root: string,
  env: NodeJS.ProcessEnv = process.env,
): (runtime: RuntimeFile) => Promise<RuntimeDoor> {
  return async (runtime) => {
    const { openRuntimeDoor } = await import('./open-runtime-door.js');
    return openRuntimeDoor({ root, env, runtime });
  };
}

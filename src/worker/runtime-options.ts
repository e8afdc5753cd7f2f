import type { RuntimeFile } from '../contracts/runtime.js';

/** How a runtime is run. */
export interface RuntimeOptions {
  root: string;
  /** Path of the Temporal CLI. */
  binary: string;
  /** Runs until stopped, instead of ending when it is no longer needed. */
  foreground: boolean;
  /** The environment from which secrets, keys and limits come; left out: that of this process. */
  env?: NodeJS.ProcessEnv;
  /** Opens the door through which commands and programs reach the runtime itself; left out: it has none. */
  openDoor?: (runtime: RuntimeFile) => Promise<RuntimeDoor>;
}

/** The door of a runtime. */
export interface RuntimeDoor {
  /** Absolute path of its socket; undefined where none could be made. */
  socket: string | undefined;
  close(): Promise<void>;
}

import type { RuntimeFile } from '../contracts/runtime.js';

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

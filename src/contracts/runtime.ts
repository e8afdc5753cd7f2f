/** State of a project's own runtime, kept in `.system/runtime.json`. Source: docs/operations.md#the-runtime-of-a-project. */
export interface RuntimeFile {
  format: 1;
  /** Version of this package. */
  version: string;
  state: 'starting' | 'up' | 'stopping' | 'failed';
  pid: number;
  /** Start time of the process as the system reports it, so that a reused pid is not mistaken for it. */
  started: string;
  /** Where the process runs: the name of its host, the boot, its PID and network namespaces. */
  host?: string;
  boot?: string;
  pids?: string;
  net?: string;
  server: { pid: number; started: string; binary: string; version: string } | null;
  address: string;
  ui: string;
  /** Where its door listens, a Unix socket; left out where it could not, and by an older version. */
  socket?: string;
  namespace: string;
  store: string;
  registry_digest: string | null;
  /** The name of the project that its workers serve, once it is up; an older version does not say. */
  project?: string;
  log: string;
  /** Records of ended tasks that could not be written since it started; left out where none is missing. */
  records_missing?: number;
  /** Records and logs that could not be written to a shared store since it started; left out where none is missing. */
  shared_missing?: number;
  /** Where a server may still have the database open that cannot be seen from here. */
  unseen_server?: string;
  /** Why it failed, when it did. */
  error?: { code: string; message: string; suggestion?: string };
}

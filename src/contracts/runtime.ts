/** State of a project's own runtime, kept in `.system/runtime.json`. */
export interface RuntimeFile {
  format: 1;
  /** Version of this package. */
  version: string;
  state: 'starting' | 'up' | 'stopping' | 'failed';
  pid: number;
  /** Start time of the process as the system reports it, so that a reused pid is not mistaken for it. */
  started: string;
  /** Where the process runs: the name of its host, the boot, its PID and network namespaces. */
  host: string;
  boot: string;
  pids: string;
  net: string;
  server: { pid: number; started: string; binary: string; version: string } | null;
  address: string;
  ui: string;
  /** Unix socket of its door; omitted if it could not listen. */
  socket?: string;
  namespace: string;
  store: string;
  registry_digest: string | null;
  /** The project that its workers serve; omitted until it is up. */
  project?: string;
  log: string;
  /** Number of unwritten records of tasks that ended since its start; omitted if zero. */
  records_missing?: number;
  /** Number of records and logs not written to a shared store since its start; omitted if zero. */
  shared_missing?: number;
  /** Where a server that is invisible from here may still have the database open. */
  unseen_server?: string;
  error?: { code: string; message: string; suggestion?: string };
}

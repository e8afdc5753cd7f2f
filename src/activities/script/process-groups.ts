/** The processes of one call: what was started for it, and all that these start. */
export interface StartedProcesses {
  /** Goes into the environment of the process, and by it what left its group is found. */
  readonly variables: Readonly<Record<string, string>>;
  /** @param pid undefined where it could not be started. @param leads whether it leads a process group of its own. */
  started(pid: number | undefined, leads: boolean): void;
  /** Remembers those that can be found now by their parents, before these end. */
  look(): Promise<void>;
  /** Sends a signal to all of them that can be found; none once their end has begun. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /**
   * Kills all of them that can be found, until none is.
   *
   * @param limitMs gives up then. @returns how many are left.
   */
  end(limitMs: number): Promise<number>;
}

/** Knows the processes of calls while they live, so that a worker that is killed leaves none behind for good. */
export interface ProcessGroups {
  begin(): StartedProcesses;
  /** Resolves when it is the caller's turn to start a process: to start many at once would hold up all other calls. */
  turn(): Promise<void>;
}

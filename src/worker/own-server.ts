import type { ChildProcess } from 'node:child_process';
import type { Client } from '@temporalio/client';
import type { RuntimeFile } from '../contracts/runtime.js';
import type { LockHolder } from '../server/processes/lock.js';
import { markOf, sharesLoopback, signalProcess, stopProcess } from '../server/processes/processes.js';
import { isWrittenBy } from '../server/runtime/runtime-file.js';
import { answers } from '../server/runtime/unseen-runtime.js';
import { type ServerOptions, spawnServer, stopOrphans } from '../server/temporal/temporal-server.js';
import { watchServer } from '../server/temporal/watch-server.js';
import { log } from './logger.js';
import { stillServed } from './runtime-options.js';

/** A server with much to write takes seconds to shut down. */
const STOP_MS = 10_000;

export interface ServerOwner {
  /** Whether the database may be opened; a resumed runtime may not know yet that another took over. */
  mayStart(): boolean;
  /** Whether to restart a server that ended. */
  isUp(): boolean;
  onStart(server: NonNullable<RuntimeFile['server']>): void;
  /** Called when restarts keep failing. */
  onGivenUp(): void;
}

/** A runtime's Temporal server: a child process that is restarted when it dies, and ends with the runtime. */
export class OwnServer {
  private child: ChildProcess | undefined;
  private stopGuard: () => void = () => {};
  private isOver = false;
  private readonly restarts = new Restarts();

  /** @param version of the binary, as the runtime's file says it. */
  constructor(
    private readonly options: ServerOptions & { database: string },
    private readonly version: string,
    private readonly owner: ServerOwner,
  ) {}

  /** Whether the process has ended or never started. */
  get hasExited(): boolean {
    const { child } = this;
    return !child || child.exitCode !== null || child.signalCode !== null;
  }

  start(): void {
    if (this.isOver || !this.owner.mayStart()) return;
    const { binary, database } = this.options;
    const child = spawnServer(this.options);
    this.child = child;
    this.stopGuard();
    if (child.pid !== undefined) this.stopGuard = watchServer(child.pid, database);
    this.restarts.started();
    child.once('error', (error) => log.error(`the server could not be started: ${error.message}`));
    child.once('exit', () => {
      this.ended(child).catch((error: unknown) => {
        log.error(`the server could not be started again: ${String(error)}`);
        this.owner.onGivenUp();
      });
    });
    const mark = child.pid === undefined ? undefined : markOf(child.pid);
    if (mark) this.owner.onStart({ ...mark, binary, version: this.version });
  }

  /** Kills it at once, since another process may now open the database. Prevents a restart. */
  kill(): void {
    this.isOver = true;
    if (this.child?.pid !== undefined && !this.hasExited) signalProcess(this.child.pid, 'SIGKILL');
  }

  /** Stops it, with SIGTERM first. Prevents a restart. */
  async stop(): Promise<void> {
    this.isOver = true;
    const mark = this.child?.pid === undefined ? undefined : markOf(this.child.pid);
    if (mark) await stopProcess(mark, STOP_MS);
    this.stopGuard();
  }

  /** Restarts the server if the runtime is up; its tasks are on disk. */
  private async ended(child: ChildProcess): Promise<void> {
    if (this.isOver || this.child !== child || !this.owner.isUp()) return;
    const pauseMs = this.restarts.ended();
    if (pauseMs === undefined) {
      log.error('the server ends again and again');
      this.owner.onGivenUp();
      return;
    }
    log.warn('the server ended and is started again');
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (this.owner.isUp()) this.start();
  }
}

/** After this many ends in a row, each soon after its start, another start would not help. */
const MAX = 5;
/** A server that ran this long was healthy, so its end resets the count. Milliseconds. */
const WELL_MS = 3000;
const FIRST_PAUSE_MS = 100;

/** Decides about restarts: always after a kill, but not for a server that cannot run. */
export class Restarts {
  private startedAt = 0;
  private soon = 0;

  /** @param now milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  started(): void {
    this.startedAt = this.now();
  }

  /** @returns milliseconds until the restart; undefined: no restart. */
  ended(): number | undefined {
    this.soon = this.now() - this.startedAt < WELL_MS ? this.soon + 1 : 1;
    return this.soon > MAX ? undefined : FIRST_PAUSE_MS * this.soon;
  }
}

/** */
const DAYS = 30;

/** Logs of runs are kept as long as histories of tasks. Milliseconds. */
export const RETENTION_MS = DAYS * 24 * 60 * 60_000;

/** Keeps ended tasks of the project's own server for 30 days; the dev server keeps one. */
export async function extendRetention(client: Client, namespace: string): Promise<void> {
  const seconds = DAYS * 24 * 60 * 60;
  const { config } = await client.workflowService.describeNamespace({ namespace });
  if (Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) >= seconds) return;
  await client.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: seconds as never, nanos: 0 } },
  });
}

/** A resumed lock holder checks its lock within a second. */
const SETTLE_MS = 2000;
/** How long to wait until the guard of a dead runtime has stopped its server. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 200;

/**
 * Address of an unseen runtime's server that may still have the database open: noted by a runtime that failed
 * because of it, or that of the holder whose lock was taken over.
 */
export function earlierServer(earlier: RuntimeFile | undefined, takenFrom: LockHolder | undefined): string | undefined {
  if (!earlier || !sharesLoopback(earlier)) return undefined;
  if (earlier.unseen_server !== undefined) return earlier.unseen_server;
  return takenFrom && isWrittenBy(earlier, takenFrom) ? earlier.address : undefined;
}

/** Waits for an unseen runtime's server to end. @throws AbilityError `runtime.failed` if it keeps running. */
export async function untilEarlierEnded(
  server: string | undefined,
  takenFrom: LockHolder | undefined,
  database: string,
  isLeaving: () => boolean,
): Promise<void> {
  if (takenFrom) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  if (server === undefined) return;
  await stopOrphans(database);
  const deadline = performance.now() + PATIENCE_MS;
  while (!isLeaving() && (await answers(server))) {
    if (performance.now() > deadline) throw stillServed(server);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

import type { ChildProcess } from 'node:child_process';
import type { RuntimeFile } from '../contracts/runtime.js';
import { markOf, signalProcess, stopProcess } from '../server/processes/processes.js';
import { type ServerOptions, spawnServer } from '../server/temporal/temporal-server.js';
import { watchServer } from '../server/temporal/watch-server.js';
import { log } from './logger.js';

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

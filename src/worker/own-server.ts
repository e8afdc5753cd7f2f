import type { ChildProcess } from 'node:child_process';
import type { RuntimeFile } from '../contracts/runtime.js';
import { markOf, signalProcess, stopProcess } from '../server/processes/processes.js';
import { guardServer } from '../server/temporal/guard-server.js';
import { type ServerOptions, spawnServer } from '../server/temporal/temporal-server.js';
import { log } from './logger.js';

/** A server with much to write takes seconds to shut down. */
const STOP_MS = 10_000;

/** What the server of a runtime needs from its owner. */
export interface ServerOwner {
  /** Whether the database may be opened: a runtime that was stopped or asleep may not have noticed yet that another one took over. */
  mayStart(): boolean;
  /** Whether a server that ended is started again. */
  isUp(): boolean;
  /** Called with the process it is, each time it is started. */
  onStart(server: NonNullable<RuntimeFile['server']>): void;
  /** Called when it cannot be kept running. */
  onGivenUp(): void;
}

/** The Temporal server of a project's runtime: a child that is started again when it dies, and that does not outlive it. */
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
  get isGone(): boolean {
    const { child } = this;
    return !child || child.exitCode !== null || child.signalCode !== null;
  }

  /** Starts it, with its guard. */
  start(): void {
    if (this.isOver || !this.owner.mayStart()) return;
    const { binary, database } = this.options;
    const child = spawnServer(this.options);
    this.child = child;
    this.stopGuard();
    if (child.pid !== undefined) this.stopGuard = guardServer(child.pid, database);
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

  /** Ends it at once: another one may open the database now. It is not started again. */
  kill(): void {
    this.isOver = true;
    if (this.child?.pid !== undefined && !this.isGone) signalProcess(this.child.pid, 'SIGKILL');
  }

  /** Ends it, politely first. It is not started again. */
  async stop(): Promise<void> {
    this.isOver = true;
    const mark = this.child?.pid === undefined ? undefined : markOf(this.child.pid);
    if (mark) await stopProcess(mark, STOP_MS);
    this.stopGuard();
  }

  /** One that dies under a running runtime is started again; its tasks are on disk. */
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
/** A server that has lived this long was healthy; its end does not count against the next one. Milliseconds. */
const WELL_MS = 3000;
const FIRST_PAUSE_MS = 100;

/** Decides whether a server that ended is started again: however often one is killed, but not one that cannot live. */
export class Restarts {
  private startedAt = 0;
  private soon = 0;

  /** @param now milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The server was started. */
  started(): void {
    this.startedAt = this.now();
  }

  /** The server ended. @returns how long to wait before it is started again, in milliseconds; undefined: do not. */
  ended(): number | undefined {
    this.soon = this.now() - this.startedAt < WELL_MS ? this.soon + 1 : 1;
    return this.soon > MAX ? undefined : FIRST_PAUSE_MS * this.soon;
  }
}

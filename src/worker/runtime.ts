import { existsSync, rmSync } from 'node:fs';
import { describeProject, type ProjectDescription } from '../activities/project-definitions.js';
import type { SealKeys } from '../activities/seal.js';
import { AbilityError } from '../contracts/problem.js';
import type { RuntimeFile } from '../contracts/runtime.js';
import { endsWithin } from '../rules/any-abort-signal.js';
import { versionOf } from '../server/binary/find-temporal.js';
import { describeHolder, type HeldLock, isHeld, type LockHolder, takeLock } from '../server/processes/lock.js';
import { type ProjectPaths, pathsOf } from '../server/project-paths.js';
import { idleLimit } from '../server/runtime/keep-touching.js';
import { readRuntimeFile, writeRuntimeFile } from '../server/runtime/runtime-file.js';
import { freePort, LOOPBACK, portOf } from '../server/temporal/ports.js';
import { stopOrphans } from '../server/temporal/temporal-server.js';
import { connectHost } from './connect-host.js';
import { allPlaces, type WorkerHost } from './host-workers.js';
import { isExecuting, sinceLastCommand } from './idle-watch.js';
import { log } from './logger.js';
import { earlierServer, extendRetention, OwnServer, untilEarlierEnded } from './own-server.js';
import { asFailure, newRuntimeFile, type RuntimeDoor, type RuntimeOptions } from './runtime-options.js';
import { KeyFolder, sealKeysOf } from './seal-keys.js';

export type { RuntimeDoor, RuntimeOptions } from './runtime-options.js';

const WATCH_MS = 500;
const FOLLOW_MS = 3000;
/** After losing its lock, a runtime has this long to end its workers; its server is killed at once. */
const FENCED_MS = 10_000;
const NAMESPACE = 'default';

/**
 * A project's own Temporal: its server, and a worker for every environment and placement, in one process. No code
 * opens the database without the lock taken here.
 */
export class ProjectRuntime {
  private readonly paths: ProjectPaths;
  private readonly env: NodeJS.ProcessEnv;
  private readonly project: () => ProjectDescription;
  private readonly started = Date.now();
  private file: RuntimeFile | undefined;
  private server: OwnServer | undefined;
  private host: WorkerHost | undefined;
  private door: RuntimeDoor | undefined;
  private leaving = false;
  /** Another process has the lock and everything it guards. */
  private fenced = false;
  private resolveEnd: () => void = () => {};
  private readonly end: Promise<void>;

  private constructor(
    private readonly options: RuntimeOptions,
    private readonly lock: HeldLock,
  ) {
    this.paths = pathsOf(options.root);
    this.env = options.env ?? process.env;
    this.project = describeProject(options.root);
    this.end = new Promise((resolve) => {
      this.resolveEnd = resolve;
    });
    lock.onLost((reason) => this.fence(reason));
  }

  /** Takes the project's runtime lock. @returns the runtime, not started yet, or the process that has the lock. */
  static take(options: RuntimeOptions): ProjectRuntime | { holder: LockHolder } {
    const lock = takeLock(pathsOf(options.root).runtimeLock);
    return isHeld(lock) ? new ProjectRuntime(options, lock) : lock;
  }

  /** Content of `runtime.json`. */
  get announcement(): RuntimeFile {
    if (!this.file) throw new Error('the runtime is not up');
    return this.file;
  }

  get isLeaving(): boolean {
    return this.leaving;
  }

  /**
   * Starts the server and the workers. If stopped meanwhile, aborts the start, and {@link untilEnd} resolves at
   * once. @throws AbilityError; the file then has the reason, and nothing is left running.
   */
  async start(): Promise<void> {
    try {
      await this.bringUp();
    } catch (error) {
      // An aborted start has not failed.
      if (this.leaving) return;
      const failure = asFailure(error, this.paths.runtimeFile);
      const problem = failure.toProblem();
      log.error({ problem }, 'the runtime did not start');
      await this.takeDown();
      this.announce({ state: 'failed', error: problem });
      this.lock.release();
      throw failure;
    }
  }

  /** Resolves once the runtime was stopped, or is no longer needed, and everything has ended. */
  async untilEnd(): Promise<void> {
    const watch = setInterval(() => void this.watch(), WATCH_MS);
    const follow = setInterval(() => void this.followRegistry(), FOLLOW_MS);
    const broken = this.host?.broken.catch((error: unknown) => log.error(String(error)));
    await Promise.race([this.end, ...(broken ? [broken] : [])]);
    clearInterval(watch);
    clearInterval(follow);
    this.leaving = true;
    this.announce({ state: 'stopping' });
    const down = this.takeDown();
    if (this.fenced) {
      await endsWithin(FENCED_MS, down);
      return;
    }
    await down;
    if (this.lock.isOwn()) rmSync(this.paths.stayFile, { force: true });
    this.lock.release();
  }

  /** Another runtime may open the database now: kills the server first, then ends without writing. */
  private fence(reason: string): void {
    this.fenced = true;
    this.server?.kill();
    log.error({ reason }, 'the runtime has lost its lock and leaves');
    this.leave();
  }

  leave(): void {
    this.leaving = true;
    this.resolveEnd();
  }

  /** Requests the end of the runtime if it is idle, so that another version can take its place. */
  async leaveIfIdle(): Promise<void> {
    if (!(await this.hasWork())) this.leave();
  }

  private async bringUp(): Promise<void> {
    const earlier = readRuntimeFile(this.paths);
    await this.refuseTwice(earlier);
    if (this.leaving) return;
    // A server that still runs would occupy its ports.
    const orphans = await stopOrphans(this.paths.database);
    if (orphans > 0) log.warn({ orphans }, 'stopped a server whose runtime was gone');
    const [port, uiPort] = [await freePort(portOf(earlier?.address)), await freePort(portOf(earlier?.ui))];
    const [address, ui] = [`${LOOPBACK}:${port}`, `http://${LOOPBACK}:${uiPort}`];
    this.file = newRuntimeFile(this.paths, { address, ui, namespace: NAMESPACE }, this.env);
    writeRuntimeFile(this.paths, this.file);
    const { name, environments, placements, digest } = this.project();
    const keys = this.sealKeys();
    const version = await versionOf(this.options.binary);
    if (this.leaving) return;
    this.startServer(version ?? 'unknown');
    this.host = await this.connect(keys, name);
    if (!this.host || this.leaving) return;
    await extendRetention(this.host.access.client, NAMESPACE);
    await this.host.serve(allPlaces(environments, placements));
    if (this.leaving) return;
    const up = { state: 'up', registry_digest: digest, project: name } as const;
    this.door = await this.openDoor(up);
    if (this.leaving) return;
    this.write({ ...up, ...(this.door?.socket !== undefined && { socket: this.door.socket }) });
    // In the foreground the command itself reports it.
    log[this.options.foreground ? 'debug' : 'info'](
      { address: this.file.address, ui: this.file.ui },
      'the runtime is up',
    );
  }

  /** Callers without the door query the server, so a failure is only logged. */
  private async openDoor(up: Partial<RuntimeFile>): Promise<RuntimeDoor | undefined> {
    try {
      return await this.options.openDoor?.({ ...this.announcement, ...up });
    } catch (error) {
      log.warn(`the runtime has no door of its own: ${String(error)}`);
      return undefined;
    }
  }

  /** Given keys, as for remote workers, else its own. Source: docs/operations.md#rotating-seal-keys. */
  private sealKeys(): SealKeys {
    const keys = sealKeysOf(this.paths, this.env);
    if (keys instanceof KeyFolder) keys.createFirst();
    return keys;
  }

  /** Prevents a second server on the database of a runtime on another host or namespace. */
  private async refuseTwice(earlier: RuntimeFile | undefined): Promise<void> {
    const { takenFrom } = this.lock;
    if (takenFrom) log.warn(`took over from ${describeHolder(takenFrom)}, which gave no sign of life`);
    const server = earlierServer(earlier, takenFrom);
    if (earlier && server) this.file = { ...newRuntimeFile(this.paths, earlier, this.env), unseen_server: server };
    await untilEarlierEnded(server, takenFrom, this.paths.database, () => this.leaving);
  }

  private startServer(version: string): void {
    const { address, ui } = this.announcement;
    const options = {
      binary: this.options.binary,
      port: portOf(address) as number,
      uiPort: portOf(ui) as number,
      database: this.paths.database,
      log: this.paths.serverLog,
    };
    this.server = new OwnServer(options, version, {
      mayStart: () => this.lock.isOwn(),
      isUp: () => !this.leaving && this.file?.state === 'up',
      onStart: (server) => this.announce({ server }),
      onGivenUp: () => this.leave(),
    });
    this.server.start();
  }

  private connect(keys: SealKeys, project: string): Promise<WorkerHost | undefined> {
    const { paths, env, announcement } = this;
    return connectHost(
      { paths, env, project, keys, namespace: NAMESPACE, announcement },
      { isLeaving: () => this.leaving, hasExited: () => !this.server || this.server.hasExited },
    );
  }

  private async watch(): Promise<void> {
    if (this.options.foreground || this.leaving || existsSync(this.paths.stayFile)) return;
    if (sinceLastCommand(this.paths, this.started) < idleLimit(this.env)) return;
    if (!(await this.hasWork()) && sinceLastCommand(this.paths, this.started) >= idleLimit(this.env)) this.leave();
  }

  private announceMissing(): void {
    const { recordsMissing = 0, sharedMissing = 0 } = this.host ?? {};
    const { records_missing = 0, shared_missing = 0 } = this.file ?? {};
    if (this.leaving) return;
    if (recordsMissing !== records_missing) this.announce({ records_missing: recordsMissing });
    if (sharedMissing !== shared_missing) this.announce({ shared_missing: sharedMissing });
  }

  /** Starts workers for environments and placements added to `ability.yaml`, without a restart. */
  private async followRegistry(): Promise<void> {
    this.announceMissing();
    try {
      const { environments, placements, digest } = this.project();
      await this.host?.serve(allPlaces(environments, placements));
      // After leaving, the file may belong to another runtime.
      if (!this.leaving && digest !== this.file?.registry_digest) this.announce({ registry_digest: digest });
    } catch (error) {
      if (!(error instanceof AbilityError)) log.error(String(error));
    }
  }

  private async hasWork(): Promise<boolean> {
    const { host } = this;
    if (!host || host.executing > 0) return true;
    try {
      return await isExecuting(host.access.client, this.announcement.project ?? this.project().name);
    } catch {
      return true;
    }
  }

  private async takeDown(): Promise<void> {
    this.leaving = true;
    await this.door?.close().catch((error: unknown) => log.error(`the door did not close well: ${String(error)}`));
    await this.host?.stop().catch((error: unknown) => log.error(`the workers did not stop well: ${String(error)}`));
    await this.server?.stop();
  }

  /** A failed write must not end the runtime. */
  private announce(change: Partial<RuntimeFile>): void {
    try {
      this.write(change);
    } catch (error) {
      log.error(`runtime.json could not be written: ${String(error)}`);
    }
  }

  private write(change: Partial<RuntimeFile>): void {
    if (!this.file || this.fenced) return;
    this.file = { ...this.file, ...change };
    writeRuntimeFile(this.paths, this.file);
  }
}

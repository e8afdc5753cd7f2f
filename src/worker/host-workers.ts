import type { Client } from '@temporalio/client';
import {
  makeTelemetryFilterString,
  NativeConnection,
  type NativeConnectionOptions,
  Runtime,
  type TelemetryOptions,
  type Worker,
} from '@temporalio/worker';
import { ulid } from 'ulid';
import { closeAgents } from '../activities/connections/guarded-connections.js';
import type { ActivityDependencies } from '../activities/dependencies.js';
import { proveGuards } from '../activities/hooks/claude-code/check-guards.js';
import type { SealKeys } from '../activities/seal.js';
import { heldQueueOf, type Placement } from '../contracts/names.js';
import { AbilityError, reasonOf } from '../contracts/problem.js';
import { packageVersion } from '../server/installation.js';
import type { ownProofs } from '../server/keys/check-proof.js';
import { SpillingCodec } from '../server/payloads/payload-codec.js';
import { payloadKeysOf } from '../server/payloads/payload-keys.js';
import type { ProjectPaths } from '../server/project-paths.js';
import type { Collected } from '../server/store/collect-files.js';
import { openStore } from '../server/store/open-store.js';
import { clockAhead, clockWords } from '../server/temporal/clock-ahead.js';
import { openTracer } from '../tracing/open-tracer.js';
import { createHeldWorker, createWorker } from './create-workers.js';
import { buildDependencies, type SharedDependencies } from './dependencies.js';
import { dropBelowLevel, log, WorkerLogger } from './logger.js';
import { EndRecords } from './record-beside-history.js';
import { shareSandbox } from './sandbox-thread.js';
import { accessTemporal, type TemporalAccess } from './temporal-access.js';
import { WorkerCodec } from './worker-codec.js';

/** Options of a process that hosts workers. */
export interface HostOptions {
  paths: ProjectPaths;
  project: string;
  connectionOptions: NativeConnectionOptions;
  namespace: string;
  store: string;
  keys: SealKeys;
  /** Source of secrets and passed variables; omitted: the environment of this process. */
  env?: NodeJS.ProcessEnv;
  /** Address of the Temporal UI; omitted: TEMPORAL_UI_ADDRESS. */
  ui?: string;
  /** Set in the project's own runtime, see `ProveDependencies`; left out: no decision can be proved. */
  /** Left out: it is no worker of the project's own runtime. */
  ownProofs?: ReturnType<typeof ownProofs> | undefined;
  /** Address for Prometheus metrics, such as `127.0.0.1:9464`; omitted: none are served. */
  metrics?: string;
  /** Path of the bundled workflows; omitted: those of this package. */
  workflowBundle?: string;
  /** Its id in the worker deployment of each environment; omitted: the workers have no version. */
  build?: string | undefined;
  /** Replaces the activities' dependencies, for test cases with mocked calls. */
  adapt?: (dependencies: ActivityDependencies) => ActivityDependencies;
}

/** One environment and placement. */
export interface Place {
  environment: string;
  placement: Placement;
}

/** @throws AbilityError `door.not_listening` if metrics cannot be served at the address. */
function install(telemetryOptions: TelemetryOptions, metrics: string | undefined): void {
  try {
    Runtime.install({ logger: new WorkerLogger(), shutdownSignals: [], telemetryOptions });
  } catch (error) {
    if (metrics === undefined) throw error;
    const reason = reasonOf(error);
    const message = `The worker cannot serve its metrics at ${metrics}: ${reason}`;
    const suggestion = 'Choose another address for --metrics.';
    throw new AbilityError({ code: 'door.not_listening', message, suggestion }, { cause: error });
  }
}

/** The SDK's metrics in Prometheus style: counters end with `_total`, durations are in seconds. */
function metricsAt(bindAddress: string | undefined): Pick<TelemetryOptions, 'metrics'> {
  if (bindAddress === undefined) return {};
  const names = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
  return { metrics: { prometheus: { bindAddress, ...names } } };
}

/** Maximum wait for the answer of Temporal. */
const HEALTH_MS = 3000;

let installed = false;

/** The workers of one process; they share a connection and other resources. */
export class WorkerHost {
  private readonly running = new Map<string, { worker: Worker; ended: Promise<void> }>();
  private failure: Promise<never>;
  private fail: (error: unknown) => void = () => {};
  /** Serializes starts, so that no place gets two workers. */
  private serving: Promise<void> = Promise.resolve();
  private stopped: Promise<void> | undefined;
  /** Guards of other tools are tested once per environment. */
  private readonly proofs = new Map<string, Promise<void>>();
  private readonly leaving = new AbortController();
  /** Of this process: another one never has its sessions. */
  private readonly id = ulid();
  private readonly sandbox = shareSandbox();

  private constructor(
    private readonly options: HostOptions,
    private readonly connection: NativeConnection,
    readonly access: TemporalAccess,
    private readonly codec: WorkerCodec,
    private readonly shared: SharedDependencies,
  ) {
    this.failure = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.failure.catch(() => {});
  }

  /** Connects to Temporal. @throws errors of the connection, also if the server has no such namespace. */
  static async connect(options: HostOptions): Promise<WorkerHost> {
    if (!installed) {
      const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
      const telemetryOptions = { logging: { forward: {}, filter }, ...metricsAt(options.metrics) };
      install(telemetryOptions, options.metrics);
      dropBelowLevel(Runtime.instance().logger);
      installed = true;
    }
    const keys = payloadKeysOf(options.env ?? process.env);
    const store = openStore(options.store, keys, options.paths);
    const connection = await NativeConnection.connect(options.connectionOptions);
    const codec = new WorkerCodec(new SpillingCodec(store, keys));
    const access = accessTemporal(connection, options.namespace, codec);
    await checkNamespace(access.client, connection);
    const tracer = await openTracer((facts, message) => log.warn(facts, message), packageVersion());
    const built = buildDependencies(options.project, options.paths, store, options.keys, access, options.env, tracer);
    const { ownProofs: proofs } = options;
    built.activities.isOwnRuntime = proofs !== undefined;
    const { lastDefinitions: last } = built.activities;
    if (proofs) built.activities.proofs = () => proofs(last()?.project.doors ?? {});
    built.activities.ui = options.ui ?? built.activities.ui;
    const shared = options.adapt ? adapted(built, options.adapt) : built;
    shared.collector.start();
    shared.misses.start();
    if (!options.adapt) shared.sender.start();
    const host = new WorkerHost(options, connection, access, codec, shared);
    shared.activities.hold = (queue) => host.hold(heldQueueOf(queue, host.id));
    return host;
  }

  /** Starts missing workers, none after {@link stop}. @throws the first error; the other workers run. */
  serve(places: readonly Place[]): Promise<void> {
    const started = this.serving.then(() => this.startMissing(places));
    this.serving = started.catch(() => {});
    return started;
  }

  private async startMissing(places: readonly Place[]): Promise<void> {
    if (this.stopped) return;
    const missing = places.filter((place) => !this.running.has(keyOf(place)));
    const workers = this.running.size + missing.length;
    const outcomes = await Promise.allSettled(missing.map((place) => this.startWorker(place, workers)));
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  private async startWorker(place: Place, workers: number): Promise<void> {
    const { project, namespace, workflowBundle, build } = this.options;
    const where = {
      ...place,
      project,
      namespace,
      connection: this.connection,
      codec: this.codec,
      workflowBundle,
      build,
    };
    this.start(keyOf(place), await createWorker(where, this.shared, { ...this.sandbox, workers }));
    this.prove(place.environment);
  }

  private start(key: string, worker: Worker): void {
    const ended = worker.run().catch((error: unknown) => {
      log.error({ error: String(error) }, `the worker of ${key} ended`);
      this.fail(error);
    });
    this.running.set(key, { worker, ended });
  }

  /** Serves the calls of tasks whose MCP sessions are in this process, from the first such task on. */
  private hold(queue: string): Promise<string> {
    const held = this.serving.then(async () => {
      if (this.stopped) throw new Error('The worker stops');
      const { connection, codec, options, shared } = this;
      const served = { connection, codec, namespace: options.namespace };
      if (!this.running.has(queue)) this.start(queue, await createHeldWorker(queue, served, shared));
      return queue;
    });
    this.serving = held.then(
      () => {},
      () => {},
    );
    return held;
  }

  /** A warning if the clock here differs from the server's. */
  async compareClocks(): Promise<void> {
    const ahead = await clockAhead(this.access.client, this.options.namespace).catch(() => undefined);
    const words = clockWords('The clock here', ahead);
    if (words !== undefined) log.warn({ ahead_ms: ahead }, `${words}; let NTP set both`);
  }

  /** Polling does not wait for the proof: an earlier call proves the guards that it meets itself. */
  private prove(environment: string): void {
    if (this.proofs.has(environment)) return;
    const { root } = this.options.paths;
    const proof = proveGuards(root, environment, this.shared.proven, this.leaving.signal).then(
      (failed) => {
        for (const { hook, fault } of failed) {
          log.error({ hook, environment, fault }, 'a guard failed, and refuses every call that it guards');
        }
      },
      (error: unknown) => {
        log.warn({ environment, reason: String(error) }, 'the guards of other tools could not be proved');
      },
    );
    this.proofs.set(environment, proof);
  }

  /** Rejects if a worker ends without a request to stop. */
  get broken(): Promise<never> {
    return this.failure;
  }

  /** Whether all workers poll, and Temporal answers. */
  async isHealthy(): Promise<boolean> {
    const workers = [...this.running.values()];
    if (workers.length === 0 || workers.some(({ worker }) => worker.getState() !== 'RUNNING')) return false;
    const { client } = this.access;
    await client.withDeadline(Date.now() + HEALTH_MS, () => client.workflowService.getSystemInfo({}));
    return true;
  }

  /** Number of running calls and open sessions of tasks. */
  get executing(): number {
    const { open } = this.shared.sessions;
    return [...this.running.values()].reduce((sum, { worker }) => sum + worker.getStatus().numInFlightActivities, open);
  }

  /** Records of ended tasks that could not be written since this host began. */
  get recordsMissing(): number {
    return this.shared.ends.missing;
  }

  /** Removes unneeded files at once; otherwise it happens daily. */
  collectFiles(now?: Date): Promise<Collected> {
    return this.shared.collector.collect(now);
  }

  /** Records and logs that could not be written to a shared store since this host began. */
  get sharedMissing(): number {
    return this.shared.share?.missing ?? 0;
  }

  /** Lets uninterruptible work finish, then closes everything; repeated calls have no further effect. */
  stop(): Promise<void> {
    this.stopped ??= this.close();
    return this.stopped;
  }

  private async close(): Promise<void> {
    await this.serving;
    this.leaving.abort();
    await Promise.all(this.proofs.values());
    for (const { worker } of this.running.values()) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
    await this.sandbox.end();
    await this.shared.close();
    await closeAgents();
    await this.connection.close();
  }
}

/** Creating a worker that the server refuses would leave threads that keep the process alive. */
async function checkNamespace({ workflowService, options }: Client, connection: NativeConnection): Promise<void> {
  try {
    await workflowService.describeNamespace({ namespace: options.namespace });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function adapted(built: SharedDependencies, adapt: NonNullable<HostOptions['adapt']>): SharedDependencies {
  const activities = adapt(built.activities);
  return { ...built, activities, ends: new EndRecords(activities) };
}

/** All environments of a project, in all its placements. */
export function allPlaces(environments: readonly string[], placements: readonly Placement[]): Place[] {
  return environments.flatMap((environment) => placements.map((placement) => ({ environment, placement })));
}

function keyOf({ environment, placement }: Place): string {
  return `${environment}-${placement}`;
}

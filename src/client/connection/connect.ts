import {
  Client,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  Connection as TemporalConnection,
} from '@temporalio/client';
import { AbilityError } from '../../contracts/problem.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import type { TaskMemo } from '../../contracts/task.js';
import type { Progress } from '../../server/binary/find-temporal.js';
import { SpillingCodec } from '../../server/payloads/payload-codec.js';
import { type ProjectPaths, pathsOf } from '../../server/project-paths.js';
import { ensureRuntime, unlessAborted } from '../../server/runtime/ensure-runtime.js';
import { keepTouching } from '../../server/runtime/keep-touching.js';
import { isLiving } from '../../server/runtime/runtime-file.js';
import { openStore } from '../../server/store/open-store.js';
import type { Store } from '../../server/store/store.js';
import type { ConnectionFlags } from '../../server/temporal/connection-settings.js';
import { chooseServer } from '../../server/temporal/connection-settings.js';
import type { DoorLink, HttpConnectOptions } from '../over-http/door-link.js';
import { ConnectionCalls, type RetryOptions } from './connection-calls.js';

/** A connection to the Temporal of one project. */
export interface Connection {
  temporal: Client;
  /** The door of the project, where the connection is one to a door; then it has nothing of Temporal. */
  http?: DoorLink;
  project: string;
  namespace: string;
  address: string;
  /** Address of the Temporal UI, where it is known. */
  ui: string | null;
  paths: ProjectPaths;
  store: Store;
  codec: SpillingCodec;
  /** Whether the Temporal is the project's own runtime, whose files are on this machine. */
  isOwnRuntime: boolean;
  /** Whether this call started the runtime. */
  started: boolean;
  /** Called when a task of another project is read. */
  onOther?: ((key: string, project: string) => void) | undefined;
  /** The runtime, if it is the project's own; waiting calls restart it after it has stopped. */
  runtime?: RuntimeFile | undefined;
  /** While the runtime is started again: all who wait, wait for the same. */
  reviving?: Promise<void> | undefined;
  /** Until when a preflight is asked as a workflow, on the clock of `performance.now()`. */
  preflightIsWorkflowUntil?: number | undefined;
  /** Queues on which a worker was seen, with the moment until which that counts; the same clock. */
  served?: Map<string, number>;
  /**
   * What is known of tasks that this connection created, by their keys: of those that run at once, so that nothing of it
   * changes, under keys that no other caller makes.
   */
  created?: Map<string, TaskMemo>;
  /** Called with progress messages. */
  progress?: Progress;
  /** The environment of the caller; a runtime that is started again starts with it. */
  env?: NodeJS.ProcessEnv;
  /** The flags with which a command names the server, where it is a remote one. */
  serverFlags?: string;
  /** Connections, the newest last: older ones may still have calls that end. */
  connections?: TemporalConnection[];
  close(): Promise<void>;
}

/** Which project, and which Temporal. */
export interface ConnectOptions extends ConnectionFlags {
  /** Absolute path of the project. */
  root: string;
  project: string;
  /** Called with progress messages while the server is fetched and started, also later, during a wait. */
  progress?: Progress;
  /** Called when a task of another project is read, whose results name that project, too. */
  onOther?: Connection['onOther'];
  /** Ends the connecting, with its reason. */
  signal?: AbortSignal;
  /** The environment that names servers, programs and folders; left out: that of this process. */
  env?: NodeJS.ProcessEnv;
}

const CONNECT_MS = 5000;
/** The runtime reported that it is up; if it answers slowly, the machine is busy. */
const OWN_CONNECT_MS = 30_000;
/** A server on this machine is tried at short intervals, and for as long as its runtime may take to start it again. */
const OWN_RETRY_MS = 500;
const OWN_ATTEMPTS = 60;
const UNAVAILABLE = 14;

/**
 * Connects to a project: over HTTP where the address of a door is given and no project, else to its Temporal: a remote one where one was
 * named, or its own runtime, started on demand.
 *
 * Until it is closed a connection keeps the project's own runtime from leaving; it does not keep its process alive.
 *
 * @throws AbilityError `temporal.unavailable`, `runtime.*`, `temporal.binary_missing`, `config.invalid` for `ABILITY_STORE`; of a door,
 * `usage.invalid`, `door.unreachable`, `door.unauthenticated`.
 */
export async function connect(options: ConnectOptions | HttpConnectOptions): Promise<Connection> {
  if (!('root' in options)) return (await import('../over-http/http-connection.js')).connectToDoor(options);
  const paths = pathsOf(options.root);
  const { env = process.env } = options;
  const remote = await chooseServer(options, env);
  if (remote) {
    const { connectionOptions, address, namespace } = remote;
    const store = openStore(env.ABILITY_STORE ?? paths.store, paths);
    const dialed = await dial(connectionOptions as never, address, CONNECT_MS, options.signal);
    const ui = env.TEMPORAL_UI_ADDRESS ?? null;
    const connection = connectionOf(options, dialed, {
      address,
      namespace,
      store,
      ui,
      isOwnRuntime: false,
      started: false,
    });
    return { ...connection, serverFlags: flagsOf(options, address, namespace) };
  }
  // From the beginning: a slow machine may be longer at the start than its runtime stays without anybody.
  const stopTouching = keepTouching(paths, env);
  try {
    return await connectToOwn(options, paths, stopTouching);
  } catch (error) {
    stopTouching();
    throw error;
  }
}

async function connectToOwn(
  options: ConnectOptions,
  paths: ProjectPaths,
  stopTouching: () => void,
): Promise<Connection> {
  const { progress = () => {}, signal, env } = options;
  const { runtime, started } = await ensureRuntime(paths, progress, signal, env, options.project);
  const store = openStore(runtime.store, paths);
  const dialed = await dialOwn(paths, runtime, signal);
  const connection = connectionOf(options, dialed, { ...runtime, store, isOwnRuntime: true, started });
  const { close } = connection;
  connection.runtime = runtime;
  connection.close = async () => {
    stopTouching();
    await close();
  };
  return connection;
}

/**
 * Connects from within the project's own runtime. Such a connection does not keep the runtime from leaving: who uses it does, see
 * `keepTouching`.
 *
 * @param runtime as it announces itself.
 */
export async function connectWithin(options: ConnectOptions, runtime: RuntimeFile): Promise<Connection> {
  const paths = pathsOf(options.root);
  const store = openStore(runtime.store, paths);
  const dialed = await dialOwn(paths, runtime, options.signal);
  return {
    ...connectionOf(options, dialed, { ...runtime, store, isOwnRuntime: true, started: false }),
    runtime,
  };
}

/** Connects to the runtime that has taken the place of the one there was. */
export async function reconnect(connection: Connection, runtime: RuntimeFile, signal?: AbortSignal): Promise<void> {
  const { address, namespace, ui } = runtime;
  const dialed = await dialOwn(connection.paths, runtime, signal);
  connection.connections?.push(dialed);
  connection.temporal = new Client({
    connection: dialed,
    namespace,
    dataConverter: { payloadCodecs: [connection.codec] },
  });
  Object.assign(connection, { runtime, address, namespace, ui, preflightIsWorkflowUntil: undefined });
  connection.served?.clear();
}

/** How a command names the server that was chosen. */
function flagsOf(
  { env = process.env, profile = env.TEMPORAL_PROFILE }: ConnectOptions,
  address: string,
  namespace: string,
): string {
  const inNamespace = namespace === 'default' ? '' : ` --namespace ${namespace}`;
  return profile ? `--profile ${profile}${inNamespace}` : `--address ${address}${inNamespace}`;
}

/** Calls over the connection wait while the runtime restarts its server, but not after the runtime itself has stopped. */
function dialOwn(
  paths: ProjectPaths,
  runtime: RuntimeFile,
  signal: AbortSignal | undefined,
): Promise<TemporalConnection> {
  const usual = defaultGrpcRetryOptions();
  const retry: RetryOptions = {
    delayFunction: (attempt, status) =>
      Math.min(usual.delayFunction(attempt, status), status.code === UNAVAILABLE ? OWN_RETRY_MS : Infinity),
    retryableDecider: (attempt, status) =>
      status.code === UNAVAILABLE
        ? attempt < OWN_ATTEMPTS && isLiving(paths, runtime)
        : usual.retryableDecider(attempt, status),
  };
  const { address } = runtime;
  return dial({ address }, address, OWN_CONNECT_MS, signal, retry);
}

async function dial(
  options: Parameters<typeof TemporalConnection.connect>[0],
  address: string,
  connectTimeout: number,
  signal?: AbortSignal,
  retry = defaultGrpcRetryOptions(),
): Promise<TemporalConnection> {
  const calls = new ConnectionCalls(retry);
  const dialing = TemporalConnection.connect({ ...options, interceptors: [calls.interceptor], connectTimeout });
  try {
    return calls.attach(await unlessAborted(dialing, signal));
  } catch (error) {
    if (!signal?.aborted) throw unavailable(address, error);
    dialing.then((late) => late.close()).catch(() => {});
    throw signal.reason;
  }
}

function connectionOf(
  { project, root, progress, onOther, env }: ConnectOptions,
  connection: TemporalConnection,
  where: Pick<Connection, 'address' | 'namespace' | 'ui' | 'isOwnRuntime' | 'started'> & { store: Store },
): Connection {
  const paths = pathsOf(root);
  const { address, namespace, ui, isOwnRuntime, started, store } = where;
  const codec = new SpillingCodec(store);
  const dataConverter = { payloadCodecs: [codec] };
  const connections = [connection];
  return {
    temporal: new Client({ connection, namespace, dataConverter }),
    connections,
    served: new Map(),
    created: new Map(),
    ...(progress && { progress }),
    ...(env && { env }),
    project,
    address,
    namespace,
    ui,
    isOwnRuntime,
    started,
    onOther,
    paths,
    store,
    codec,
    async close() {
      await Promise.all(connections.map((each) => each.close()));
    },
  };
}

/** The error for a Temporal that does not answer. */
export function unavailable(address: string, cause: unknown): AbilityError {
  const reason = reasonOf(cause);
  const message = `Temporal at ${address} does not answer: ${reason}`;
  const suggestion = 'Check the address (TEMPORAL_ADDRESS, --address, the profile), or run `ability doctor`.';
  return new AbilityError({ code: 'temporal.unavailable', message, suggestion }, { cause });
}

function reasonOf(error: unknown): string {
  if (isGrpcServiceError(error)) return error.details || error.message;
  const cause = error instanceof Error ? error.cause : undefined;
  if (isGrpcServiceError(cause)) return cause.details || cause.message;
  return error instanceof Error ? error.message : String(error);
}

import {
  Client,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  Connection as TemporalConnection,
} from '@temporalio/client';
import { AbilityError } from '../../contracts/problem.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import type { TaskMemo } from '../../contracts/task.js';
import type { DefinitionsReader } from '../../planning/resolve/own-definitions.js';
import type { TaskPlaces } from '../../rules/tasks/task-link.js';
import { unlessAborted } from '../../rules/unless-aborted.js';
import type { Progress } from '../../server/binary/find-temporal.js';
import { pageAddress } from '../../server/page-address.js';
import { SpillingCodec } from '../../server/payloads/payload-codec.js';
import { payloadKeysOf } from '../../server/payloads/payload-keys.js';
import { type ProjectPaths, pathsOf } from '../../server/project-paths.js';
import { ensureRuntime } from '../../server/runtime/ensure-runtime.js';
import { keepTouching } from '../../server/runtime/keep-touching.js';
import { isLiving } from '../../server/runtime/runtime-file.js';
import { openStore } from '../../server/store/open-store.js';
import type { Store } from '../../server/store/store.js';
import type { ConnectionFlags } from '../../server/temporal/connection-settings.js';
import { chooseServer } from '../../server/temporal/connection-settings.js';
import { defined } from '../../text/defined.js';
import { ConnectionCalls, type RetryOptions } from './connection-calls.js';

/** A connection to one project. */
export interface Connection extends TaskPlaces {
  temporal: Client;
  project: string;
  namespace: string;
  address: string;
  paths: ProjectPaths;
  store: Store;
  codec: SpillingCodec;
  /** Whether the project's own runtime on this machine runs Temporal. */
  isOwnRuntime: boolean;
  /** Whether `connect` started the runtime. */
  started: boolean;
  /** Called when a task of another project is read. */
  onOther?: ((key: string, project: string) => void) | undefined;
  /** The project's own runtime; calls that wait restart it if it stops. */
  runtime?: RuntimeFile | undefined;
  /** The restart in progress, which all waiting calls share. */
  reviving?: Promise<void> | undefined;
  /** Queue to the end of its status as served. Milliseconds of `performance.now()`. */
  served?: Map<string, number>;
  /** What the definitions here say of an ability; undefined: unknown here. Absent: there are none here. */
  definitions?: DefinitionsReader | undefined;
  /** Memos, by key, of tasks that this connection made and ran at once, with keys that no other caller makes. */
  created?: Map<string, TaskMemo>;
  progress?: Progress;
  /** The caller's environment; also that of a restarted runtime. */
  env?: NodeJS.ProcessEnv;
  /** The flags that select a remote server in a command. */
  serverFlags?: string;
  /** The newest last; calls may still be running on older ones. */
  connections?: TemporalConnection[];
  close(): Promise<void>;
}

/** The project, and how to reach its Temporal. */
export interface ConnectOptions extends ConnectionFlags {
  /** Absolute path of the project. */
  root: string;
  project: string;
  /** Called with messages while the server is downloaded, started or restarted. */
  progress?: Progress;
  /** Called when a task of another project is read. */
  onOther?: Connection['onOther'];
  definitions?: DefinitionsReader | undefined;
  /** Aborts connecting, with its reason. */
  signal?: AbortSignal;
  /** Variables that name servers, programs and folders; absent: those of this process. */
  env?: NodeJS.ProcessEnv;
}

const CONNECT_MS = 5000;
/** The runtime reported that it is up; if it answers slowly, the machine is busy. */
const OWN_CONNECT_MS = 30_000;
/** A local server is retried at short intervals, as long as its runtime may need to restart it. */
const OWN_RETRY_MS = 500;
const OWN_ATTEMPTS = 60;
const UNAVAILABLE = 14;

/**
 * To a named remote Temporal, or the own runtime, started on demand. An open connection keeps that runtime up, but not its own process alive.
 * @throws AbilityError `temporal.unavailable`, `runtime.*`, `temporal.binary_missing`, `config.invalid` for
 * `ABILITY_STORE`.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const paths = pathsOf(options.root);
  const { env = process.env } = options;
  const remote = await chooseServer(options, env);
  if (remote) {
    const { connectionOptions, address, namespace } = remote;
    const store = openStore(env.ABILITY_STORE ?? paths.store, payloadKeysOf(env), paths);
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
    const { profile = env.TEMPORAL_PROFILE } = options;
    const where = profile ? `--profile ${profile}` : `--address ${address}`;
    return { ...connection, serverFlags: namespace === 'default' ? where : `${where} --namespace ${namespace}` };
  }
  // From the start: on a slow machine, connecting may take longer than an unused runtime stays up.
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
  const store = openStore(runtime.store, payloadKeysOf(env ?? process.env), paths);
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

/** Connects from within the project's own runtime, without keeping it up: users do that by `keepTouching`. */
export async function connectWithin(options: ConnectOptions, runtime: RuntimeFile): Promise<Connection> {
  const paths = pathsOf(options.root);
  const store = openStore(runtime.store, payloadKeysOf(options.env ?? process.env), paths);
  const dialed = await dialOwn(paths, runtime, options.signal);
  return {
    ...connectionOf(options, dialed, { ...runtime, store, isOwnRuntime: true, started: false }),
    runtime,
  };
}

/** Connects to the restarted runtime. */
export async function reconnect(connection: Connection, runtime: RuntimeFile, signal?: AbortSignal): Promise<void> {
  const { address, namespace, ui } = runtime;
  const dialed = await dialOwn(connection.paths, runtime, signal);
  connection.connections?.push(dialed);
  connection.temporal = new Client({
    connection: dialed,
    namespace,
    dataConverter: { payloadCodecs: [connection.codec] },
  });
  Object.assign(connection, { runtime, address, namespace, ui });
  connection.served?.clear();
}

/** Calls are retried while the runtime restarts its server, but fail once the runtime itself has stopped. */
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
  { project, root, progress, onOther, env, definitions }: ConnectOptions,
  connection: TemporalConnection,
  where: Pick<Connection, 'address' | 'namespace' | 'ui' | 'isOwnRuntime' | 'started'> & { store: Store },
): Connection {
  const paths = pathsOf(root);
  const { address, namespace, ui, isOwnRuntime, started, store } = where;
  const codec = new SpillingCodec(store, payloadKeysOf(env ?? process.env));
  const dataConverter = { payloadCodecs: [codec] };
  const connections = [connection];
  return {
    temporal: new Client({ connection, namespace, dataConverter }),
    connections,
    served: new Map(),
    created: new Map(),
    ...defined({ progress, env, definitions }),
    project,
    address,
    namespace,
    ui,
    page: pageAddress(env ?? process.env),
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

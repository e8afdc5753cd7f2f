import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import { AbilityError } from '../contracts/problem.js';
import type { Progress } from '../server/binary/install-temporal.js';
import type { ConnectionFlags } from '../server/connection-settings.js';
import { chooseServer } from '../server/connection-settings.js';
import { ensureRuntime } from '../server/ensure-runtime.js';
import { SpillingCodec } from '../server/payload-codec.js';
import { PayloadStore } from '../server/payload-store.js';
import { type ProjectPaths, pathsOf } from '../server/project-paths.js';

/** A connection to the Temporal of one project. */
export interface Session {
  temporal: Client;
  project: string;
  namespace: string;
  address: string;
  /** Address of the Temporal UI, where it is known. */
  ui: string | null;
  paths: ProjectPaths;
  store: PayloadStore;
  codec: SpillingCodec;
  /** Whether the Temporal is the project's own runtime, whose files are on this machine. */
  isOwnRuntime: boolean;
  /** Whether this call started the runtime. */
  started: boolean;
  /** Told when a task of another project is read. */
  onOther?: ((key: string, project: string) => void) | undefined;
  close(): Promise<void>;
}

/** Which project, and which Temporal. */
export interface ConnectOptions extends ConnectionFlags {
  /** Absolute path of the project. */
  root: string;
  project: string;
  /** Told what is being done while the server is fetched and started. */
  progress?: Progress;
  /** Told when a task of another project is read, whose results name that project, too. */
  onOther?: Session['onOther'];
}

const CONNECT_MS = 5000;
/** The runtime said that it is up; where it is slow to answer, the machine is busy. */
const OWN_CONNECT_MS = 30_000;

/**
 * Connects to the Temporal of a project: a remote one where one was named, else its own runtime, started on demand.
 *
 * @throws AbilityError `temporal.unavailable`, `runtime.*`, `temporal.binary_missing`.
 */
export async function connect(options: ConnectOptions): Promise<Session> {
  const paths = pathsOf(options.root);
  const remote = await chooseServer(options);
  if (remote) {
    const { connectionOptions, address, namespace } = remote;
    const connection = await dial(connectionOptions as never, address, CONNECT_MS);
    const store = process.env.ABILITY_STORE ?? paths.store;
    const ui = process.env.TEMPORAL_UI_ADDRESS ?? null;
    return sessionOf(options, connection, { address, namespace, store, ui, isOwnRuntime: false, started: false });
  }
  const { runtime, started } = await ensureRuntime(paths, options.progress ?? (() => {}));
  const connection = await dial({ address: runtime.address }, runtime.address, OWN_CONNECT_MS);
  return sessionOf(options, connection, { ...runtime, isOwnRuntime: true, started });
}

async function dial(
  options: Parameters<typeof Connection.connect>[0],
  address: string,
  connectTimeout: number,
): Promise<Connection> {
  try {
    return await Connection.connect({ ...options, connectTimeout });
  } catch (error) {
    throw unavailable(address, error);
  }
}

function sessionOf(
  { project, root, onOther }: ConnectOptions,
  connection: Connection,
  where: Pick<Session, 'address' | 'namespace' | 'ui' | 'isOwnRuntime' | 'started'> & { store: string },
): Session {
  const store = new PayloadStore(where.store);
  const codec = new SpillingCodec(store);
  const dataConverter = { payloadCodecs: [codec] };
  const { address, namespace, ui, isOwnRuntime, started } = where;
  return {
    temporal: new Client({ connection, namespace, dataConverter }),
    project,
    address,
    namespace,
    ui,
    isOwnRuntime,
    started,
    onOther,
    paths: pathsOf(root),
    store,
    codec,
    close: () => connection.close(),
  };
}

/** The error for a Temporal that does not answer. */
export function unavailable(address: string, cause: unknown): AbilityError {
  const reason = reasonOf(cause);
  return new AbilityError(
    {
      code: 'temporal.unavailable',
      message: `Temporal at ${address} does not answer: ${reason}`,
      suggestion: 'Check the address (TEMPORAL_ADDRESS, --address, the profile), or run `ability doctor`.',
    },
    { cause },
  );
}

function reasonOf(error: unknown): string {
  if (isGrpcServiceError(error)) return error.details || error.message;
  const cause = error instanceof Error ? error.cause : undefined;
  if (isGrpcServiceError(cause)) return cause.details || cause.message;
  return error instanceof Error ? error.message : String(error);
}

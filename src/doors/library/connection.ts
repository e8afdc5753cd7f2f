import type { ConnectOptions, Connection as InnerConnection } from '../../client/index.js';
import { AbilityError } from '../../contracts/problem.js';
import { findProjectRoot } from '../../definitions/find-project.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import { ownDefinitions } from '../../planning/resolve/own-definitions.js';
import { didYouMean } from '../../text/nearest.js';

/** A connection to a project, for the other functions; its further fields are internal. */
export interface Connection {
  /** Name of the project. Over HTTP, reading it fails with `feature.unsupported`: doors do not reveal it. */
  readonly project: string;
  /** Namespace in Temporal. Over HTTP, reading it fails as for `project`. */
  readonly namespace: string;
  /** `HOST:PORT` of Temporal, or the address of the door. */
  readonly address: string;
  /** Address of the Temporal UI; null where it is not known. */
  readonly ui: string | null;
  /** Whether Temporal is the project's own runtime on this machine. */
  readonly isOwnRuntime: boolean;
  /** Whether connecting started that runtime. */
  readonly started: boolean;
  /** Ends the connection; tasks continue. */
  close(): Promise<void>;
}

/** The project and its Temporal. Options and their defaults match flags and variables of the command line. */
export interface ProjectOptions extends Partial<Omit<ConnectOptions, 'project' | 'definitions'>> {
  /** A folder with an `ability.yaml`; left out: the nearest one from the working directory upwards. */
  root?: string;
}

/** The door of a project, instead of its Temporal. */
export interface DoorOptions {
  /** `http://HOST:PORT`, `https://HOST:PORT` or `unix:/PATH`. */
  address: string;
  /** A token of the project; left out: none. */
  token?: string;
  /** Aborts connecting, with its reason. */
  signal?: AbortSignal;
}

/** Where a connection was opened, as the source of defaults. */
export interface Origin {
  /** Undefined over HTTP. */
  loader: RegistryLoader | undefined;
  env: NodeJS.ProcessEnv;
}

const origins = new WeakMap<object, Origin>();
const DOOR = /^(?:https?:\/\/|unix:)/;
const OF_PROJECT = ['root', 'address', 'namespace', 'profile', 'progress', 'onOther', 'signal', 'env'];
const OF_DOOR = ['address', 'token', 'signal'];

/**
 * Connects to a project, starting its runtime if there is none; with a door's address and no `root`, over HTTP.
 * Keeps the project's own runtime up until closed, but not its own process alive.
 * @throws AbilityError `project.not_found`, `definition.*` for a broken `ability.yaml`, `temporal.unavailable`,
 * `runtime.*`, `temporal.binary_missing`, `usage.invalid`; of a door `door.unreachable`, `door.unauthenticated`.
 */
export async function connect(options: ProjectOptions | DoorOptions = {}): Promise<Connection> {
  const { connect: open } = await import('../../client/index.js');
  if (isDoor(options)) {
    refuseUnknown(options, OF_DOOR, 'a connection to a door');
    return keep(await open(options), { loader: undefined, env: process.env });
  }
  refuseUnknown(options, OF_PROJECT, 'a connection');
  const { env = process.env } = options;
  const loader = new RegistryLoader(findProjectRoot(process.cwd(), options.root), env);
  const { project } = loader.load().project;
  return keep(
    await open({ ...options, root: loader.root, project, definitions: ownDefinitions(() => loader.load()) }),
    { loader, env },
  );
}

function isDoor(options: ProjectOptions | DoorOptions): options is DoorOptions {
  return !('root' in options && options.root !== undefined) && DOOR.test(options.address ?? '');
}

function keep(connection: InnerConnection, origin: Origin): Connection {
  origins.set(connection, origin);
  return connection;
}

/**
 * The origin of a connection. @throws AbilityError `usage.invalid` for an object that {@link connect} did not return.
 */
export function originOf(connection: Connection): Origin {
  const origin = origins.get(connection);
  if (origin) return origin;
  throw new AbilityError({
    code: 'usage.invalid',
    message: 'This is not a connection',
    suggestion: 'Pass what `connect()` resolves to; it is a promise until it is awaited.',
  });
}

/** Refuses options that would be ignored silently. @throws AbilityError `usage.invalid`. */
export function refuseUnknown(options: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${what[0]?.toUpperCase()}${what.slice(1)} has no option ${unknown}`,
    suggestion: didYouMean(unknown, known) ?? `It has: ${known.join(', ')}.`,
  });
}

/** A client function for callers, over the connection that {@link connect} returns. */
export type Reached<F> = F extends (connection: InnerConnection, ...rest: infer A) => infer R
  ? (connection: Connection, ...rest: A) => R
  : never;

/** Wraps a function of the client; refuses a connection that {@link connect} did not return. */
export function reached<A extends unknown[], R>(
  act: (connection: InnerConnection, ...rest: A) => R,
): (connection: Connection, ...rest: A) => R {
  return (connection, ...rest) => {
    originOf(connection);
    return act(connection as InnerConnection, ...rest);
  };
}

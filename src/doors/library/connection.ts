import type { ConnectOptions, Connection as InnerConnection } from '../../client/index.js';
import { AbilityError } from '../../contracts/problem.js';
import { findProjectRoot } from '../../definitions/find-project.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import { didYouMean } from '../../text/nearest.js';

/** A connection to a project, for the other functions; its further fields are internal. */
export interface Connection {
  /** Name of the project. Over HTTP reading it is refused with `feature.unsupported`: a door does not say it. */
  readonly project: string;
  /** Namespace in Temporal; over HTTP as `project`. */
  readonly namespace: string;
  /** Of Temporal, `HOST:PORT`, or of the door. */
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

/** Which project, and through which Temporal. Each is as the flag or variable of the command line is, and left out as there. */
export interface ProjectOptions extends Partial<Omit<ConnectOptions, 'project'>> {
  /** A folder with an `ability.yaml`; left out: the nearest one from the working directory upwards. */
  root?: string;
}

/** The door of a project, instead of its Temporal. */
export interface DoorOptions {
  /** `http://HOST:PORT`, `https://HOST:PORT` or `unix:/PATH`. */
  address: string;
  /** A token of the project; left out: none. */
  token?: string;
  /** Ends the connecting, with its reason. */
  signal?: AbortSignal;
}

/** What is known of a connection that was made here: the source of defaults. */
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
 * Connects to a project, and starts its runtime if it has none. With the address of a door and no `root` it goes over HTTP.
 *
 * Until it is closed a connection keeps the project's own runtime up; it does not keep its own process alive.
 *
 * @throws AbilityError `project.not_found`, `definition.*` for a broken `ability.yaml`, `temporal.unavailable`, `runtime.*`,
 * `temporal.binary_missing`, `usage.invalid`; of a door `door.unreachable`, `door.unauthenticated`.
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
  return keep(await open({ ...options, root: loader.root, project }), { loader, env });
}

function isDoor(options: ProjectOptions | DoorOptions): options is DoorOptions {
  return !('root' in options && options.root !== undefined) && DOOR.test(options.address ?? '');
}

function keep(connection: InnerConnection, origin: Origin): Connection {
  origins.set(connection, origin);
  return connection;
}

/** The origin of a connection. @throws AbilityError `usage.invalid` for an object that {@link connect} did not return. */
export function originOf(connection: Connection): Origin {
  const origin = origins.get(connection);
  if (origin) return origin;
  throw new AbilityError({
    code: 'usage.invalid',
    message: 'This is not a connection',
    suggestion: 'Pass what `connect()` resolves to; it is a promise until it is awaited.',
  });
}

/** An option that nothing reads would be ignored silently. @throws AbilityError `usage.invalid`. */
export function refuseUnknown(options: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${what[0]?.toUpperCase()}${what.slice(1)} has no option ${unknown}`,
    suggestion: didYouMean(unknown, known) ?? `It has: ${known.join(', ')}.`,
  });
}

/** A function of the client as callers see it: over the connection that {@link connect} gives. */
export type Reached<F> = F extends (connection: InnerConnection, ...rest: infer A) => infer R
  ? (connection: Connection, ...rest: A) => R
  : never;

/** The same function; a connection that {@link connect} did not give is refused before anything is done. */
export function reached<A extends unknown[], R>(
  act: (connection: InnerConnection, ...rest: A) => R,
): (connection: Connection, ...rest: A) => R {
  return (connection, ...rest) => {
    originOf(connection);
    return act(connection as InnerConnection, ...rest);
  };
}

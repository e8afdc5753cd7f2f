import type { ConnectOptions, Connection as Inner } from '../../client/index.js';
import { AbilityError, usageError } from '../../contracts/problem.js';
import { findProjectRoot } from '../../definitions/find-project.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import { callDoor } from '../../operations/over-http/call-door.js';
import { DoorLink } from '../../operations/over-http/door-link.js';
import { ownDefinitions } from '../../planning/resolve/own-definitions.js';
import { didYouMean } from '../../text/nearest.js';

/** A connection to a project, for the other functions. */
export interface Connection {
  /** Name of the project; null over HTTP, as doors do not reveal it. */
  readonly project: string | null;
  /** `HOST:PORT` of Temporal, or the address of the door. */
  readonly address: string;
  /** Address of the Temporal UI; null where it is not known. */
  readonly ui: string | null;
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

/** What stands behind a connection. */
export type Origin =
  | { link: DoorLink }
  | { link?: undefined; inner: Inner; loader: RegistryLoader; env: NodeJS.ProcessEnv };

const origins = new WeakMap<object, Origin>();
const DOOR = /^(?:\w+:\/\/|unix:)/;
const OF_PROJECT = ['root', 'address', 'namespace', 'profile', 'progress', 'onOther', 'signal', 'env'];
const OF_DOOR = ['address', 'token', 'signal'];

/**
 * Connects to a project, starting its runtime if there is none; with a door's address and no `root`, over HTTP.
 * Keeps the project's own runtime up until closed, but not its own process alive.
 * @throws AbilityError `project.not_found`, `definition.*` for a broken `ability.yaml`, `temporal.unavailable`,
 * `runtime.*`, `temporal.binary_missing`, `usage.invalid`; of a door `door.unreachable`, `door.unauthenticated`.
 */
export async function connect(options: ProjectOptions | DoorOptions = {}): Promise<Connection> {
  if (isDoor(options)) return connectToDoor(options);
  refuseUnknown(options, OF_PROJECT, 'a connection');
  const { env = process.env } = options;
  const loader = new RegistryLoader(findProjectRoot(process.cwd(), options.root), env);
  const { project } = loader.load().project;
  const { connect: open } = await import('../../client/index.js');
  const definitions = ownDefinitions(() => loader.load());
  const inner = await open({ ...options, root: loader.root, project, definitions });
  const { address, ui } = inner;
  return keep({ project, address, ui, close: () => inner.close() }, { inner, loader, env });
}

function isDoor(options: ProjectOptions | DoorOptions): options is DoorOptions {
  return !('root' in options && options.root !== undefined) && DOOR.test(options.address ?? '');
}

async function connectToDoor(options: DoorOptions): Promise<Connection> {
  refuseUnknown(options, OF_DOOR, 'a connection to a door');
  const { address, token, signal } = options;
  const link = new DoorLink({ address, token });
  try {
    // Reports missing access now and not with the first task.
    await callDoor(link, 'listTasks', { limit: 1 }, {}, signal);
  } catch (error) {
    link.close();
    throw error;
  }
  return keep({ project: null, address, ui: null, close: async () => link.close() }, { link });
}

function keep(connection: Connection, origin: Origin): Connection {
  origins.set(connection, origin);
  return connection;
}

/** The origin of a connection. @throws AbilityError `usage.invalid` for an object that {@link connect} did not return. */
export function originOf(connection: Connection): Origin {
  const origin = origins.get(connection);
  if (origin) return origin;
  throw usageError(
    'This is not a connection',
    'Pass what `connect()` resolves to; it is a promise until it is awaited.',
  );
}

/** Refuses options that would be ignored silently. @throws AbilityError `usage.invalid`. */
export function refuseUnknown(options: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw usageError(
    `${what[0]?.toUpperCase()}${what.slice(1)} has no option ${unknown}`,
    didYouMean(unknown, known) ?? `It has: ${known.join(', ')}.`,
  );
}

/** @throws AbilityError `feature.unsupported` if an option is set that only works in reach of Temporal. */
export function refuseOverHttp(given: object, names: readonly string[]): void {
  const refused = names.filter((name) => (given as Record<string, unknown>)[name] !== undefined);
  if (refused.length === 0) return;
  throw new AbilityError({
    code: 'feature.unsupported',
    message: `A door accepts no ${refused.join(', ')}`,
    suggestion: 'Leave it out, or connect with `root` where Temporal is in reach.',
  });
}

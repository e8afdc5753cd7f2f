import { AbilityError } from '../../contracts/problem.js';
import type { Connection } from '../connection/connect.js';
import { DoorLink, type HttpConnectOptions } from './door-link.js';

export type HttpConnection = Connection & { http: DoorLink };

/** Fields that are unavailable over HTTP; reading one fails. */
const ELSEWHERE = ['temporal', 'project', 'namespace', 'paths', 'store', 'codec'] as const;

/** @throws AbilityError `usage.invalid` for an invalid address, `door.unreachable`, `door.unauthenticated`. */
export async function connectToDoor({ address, token, signal }: HttpConnectOptions): Promise<HttpConnection> {
  const http = new DoorLink({ address, token });
  try {
    // Reports missing access now and not with the first task.
    await http.ask('GET', '/v1/tasks', { query: { limit: '1' }, signal });
  } catch (error) {
    http.close();
    throw error;
  }
  const connection = {
    http,
    address,
    ui: null,
    isOwnRuntime: false,
    started: false,
    close: async () => http.close(),
  };
  for (const name of ELSEWHERE) {
    Object.defineProperty(connection, name, {
      get() {
        throw unsupported(`the ${name} of a connection to Temporal`);
      },
    });
  }
  return connection as HttpConnection;
}

export function isOverHttp(connection: Connection): connection is HttpConnection {
  return connection.http !== undefined;
}

function unsupported(what: string): AbilityError {
  return new AbilityError({
    code: 'feature.unsupported',
    message: `The door has no route for ${what}`,
    suggestion:
      'docs/http.md lists what works over HTTP; where Temporal is in reach, connect with `root` and `project`.',
  });
}

/** @throws AbilityError `feature.unsupported` if an option is set that the door does not support. */
export function refuseGiven(what: string, given: object, names: readonly string[]): void {
  const refused = names.filter((name) => (given as Record<string, unknown>)[name] !== undefined);
  if (refused.length === 0) return;
  throw new AbilityError({
    code: 'feature.unsupported',
    message: `Over HTTP ${what} does not accept ${refused.join(', ')}`,
    suggestion: 'Leave it out, or connect with `root` and `project` where Temporal is in reach.',
  });
}

/** Combines the implementations for Temporal and HTTP into one function. */
export function reaching<A extends unknown[], R>(
  byTemporal: (connection: Connection, ...args: A) => R,
  overHttp: (connection: HttpConnection, ...args: A) => R,
): (connection: Connection, ...args: A) => R {
  return (connection, ...args) =>
    isOverHttp(connection) ? overHttp(connection, ...args) : byTemporal(connection, ...args);
}

/** The functions of a module that need Temporal, which fail over HTTP before they do anything. */
export function temporalAlone<Module extends object>(module: Module): Module {
  const functions = Object.entries(module).map(([name, byTemporal]) => [
    name,
    (connection: Connection, ...args: unknown[]) =>
      isOverHttp(connection) ? Promise.reject(unsupported(name)) : byTemporal(connection, ...args),
  ]);
  return Object.fromEntries(functions) as Module;
}

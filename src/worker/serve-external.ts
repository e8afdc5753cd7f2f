import { isGrpcServiceError } from '@temporalio/client';
import type { SealKeys } from '../activities/seal.js';
import { AbilityError, reasonOf } from '../contracts/problem.js';
import { pathsOf } from '../server/project-paths.js';
import type { RemoteServer } from '../server/temporal/connection-settings.js';
import { type Place, WorkerHost } from './host-workers.js';
import { keysFromEnvironment } from './seal-keys.js';

/** Options of `ability worker`. */
export interface ServeOptions {
  root: string;
  project: string;
  server: RemoteServer;
  places: Place[];
  /** Source of secrets and keys. */
  env: NodeJS.ProcessEnv;
  /** As {@link HostOptions.metrics}. */
  metrics?: string | undefined;
  /** As {@link HostOptions.build}. */
  build?: string | undefined;
}

/**
 * Serves environments against a Temporal server other than the runtime's own. @returns polling workers; if not all
 * can be started, none is left running. @throws AbilityError `seal.no_key`, `temporal.unavailable`.
 */
export async function serve({ root, project, server, places, env, metrics, build }: ServeOptions): Promise<WorkerHost> {
  const paths = pathsOf(root);
  const keys = sealKeysFor(server, env);
  const { connectionOptions, namespace } = server;
  const store = env.ABILITY_STORE ?? paths.store;
  let host: WorkerHost | undefined;
  try {
    host = await WorkerHost.connect({
      ...{ paths, project, connectionOptions, namespace, store, keys, env, build },
      ...(metrics !== undefined && { metrics }),
    });
    await host.serve(places);
    void host.compareClocks();
    return host;
  } catch (error) {
    await host?.stop();
    throw workersFailed(server, error);
  }
}

export function workersFailed({ address, namespace }: RemoteServer, cause: unknown): AbilityError {
  if (cause instanceof AbilityError) return cause;
  const reason = isGrpcServiceError(cause) ? cause.details : reasonOf(cause);
  return new AbilityError(
    {
      code: 'temporal.unavailable',
      message: `Temporal at ${address} does not serve workers of the namespace ${namespace}: ${reason}`,
      suggestion: 'Check the address, the namespace and the profile.',
    },
    { cause },
  );
}

/** A remote server's workers must share the operator's keys. Source: docs/operations.md#rotating-seal-keys. */
function sealKeysFor({ address }: RemoteServer, env: NodeJS.ProcessEnv): SealKeys {
  const given = env.ABILITY_SEAL_KEYS;
  if (given) return keysFromEnvironment(given);
  throw new AbilityError({
    code: 'seal.no_key',
    message: `A worker of ${address} needs ABILITY_SEAL_KEYS, the same for all workers`,
    suggestion: '`ability keys create` makes one and prints it once. Set the same for all workers of an environment.',
  });
}

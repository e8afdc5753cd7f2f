import type { ClientConnectConfig } from '@temporalio/envconfig';

/** What the caller said about where Temporal is. */
export interface ConnectionFlags {
  address?: string | undefined;
  namespace?: string | undefined;
  profile?: string | undefined;
}

/** A Temporal server that somebody else runs; undefined options mean the project's own runtime. */
export type RemoteServer = ClientConnectConfig & { address: string; namespace: string };

/**
 * Which Temporal a command talks to: flag, then `TEMPORAL_*`, then a profile, else the project's runtime.
 *
 * A configuration file alone never selects a remote server. Source: answers, 16.
 *
 * @returns the remote server, or undefined for the project's runtime.
 */
export async function chooseServer(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv = process.env,
): Promise<RemoteServer | undefined> {
  const profile = flags.profile ?? env.TEMPORAL_PROFILE;
  const address = flags.address ?? env.TEMPORAL_ADDRESS;
  if (!address && !profile) return undefined;
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  const loaded = loadClientConnectConfig({
    ...(profile ? { profile } : { disableFile: true }),
    overrideEnvVars: definedOf(env),
  });
  const chosen = address ?? loaded.connectionOptions.address ?? '127.0.0.1:7233';
  return {
    connectionOptions: { ...loaded.connectionOptions, address: chosen },
    address: chosen,
    namespace: flags.namespace ?? loaded.namespace ?? 'default',
  };
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

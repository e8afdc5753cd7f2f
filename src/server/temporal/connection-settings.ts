import type { ClientConnectConfig } from '@temporalio/envconfig';
import { AbilityError, reasonOf } from '../../contracts/problem.js';

export interface ConnectionFlags {
  address?: string | undefined;
  namespace?: string | undefined;
  profile?: string | undefined;
}

/** A Temporal server that is not the project's own runtime. */
export type RemoteServer = ClientConnectConfig & { address: string; namespace: string };

/**
 * Chooses the Temporal server of a command: flag, then `TEMPORAL_*`, then a profile; undefined: the project's
 * runtime. A configuration file alone never selects a remote server. Source: docs/guide.md#configuration. @throws
 * AbilityError `config.invalid` for an unknown profile.
 */
export async function chooseServer(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv = process.env,
): Promise<RemoteServer | undefined> {
  const profile = flags.profile ?? env.TEMPORAL_PROFILE;
  // A profile flag overrides an address from the environment; a profile from the environment does not.
  const own = flags.profile === undefined ? env : { ...env, TEMPORAL_ADDRESS: undefined };
  const address = flags.address ?? own.TEMPORAL_ADDRESS;
  if (!address && !profile) return undefined;
  const loaded = await loadProfile(profile, definedOf(own));
  const chosen = address ?? loaded.connectionOptions.address ?? '127.0.0.1:7233';
  return {
    connectionOptions: { ...loaded.connectionOptions, address: chosen },
    address: chosen,
    namespace: flags.namespace ?? loaded.namespace ?? 'default',
  };
}

async function loadProfile(profile: string | undefined, env: Record<string, string>): Promise<ClientConnectConfig> {
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  try {
    return loadClientConnectConfig({ ...(profile ? { profile } : { disableFile: true }), overrideEnvVars: env });
  } catch (error) {
    const reason = reasonOf(error);
    const message = `The Temporal configuration${profile ? ` of the profile ${profile}` : ''} cannot be used: ${reason}`;
    const suggestion = 'Look at the profiles in the Temporal configuration file: `temporal config list`.';
    throw new AbilityError({ code: 'config.invalid', message, suggestion }, { cause: error });
  }
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

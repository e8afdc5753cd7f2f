import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import { isHostAllowed, portOf } from '../../rules/calls/allowed-hosts.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';

/** @param spot of the texts. @throws AbilityError `config.invalid` for an undefined credential. */
export function refuseMissingCredential(
  texts: Record<string, string>,
  credentials: Record<string, string>,
  where: string,
  spot: Spot,
): void {
  for (const [name, value] of Object.entries(texts)) {
    for (const [, wanted] of value.matchAll(/\{credential:([^}]*)\}/g)) {
      if (wanted === undefined || Object.hasOwn(credentials, wanted)) continue;
      throw new AbilityError({
        code: 'config.invalid',
        message: `${describePlace(spot, name)} uses the credential ${wanted}, which is not defined`,
        location: locationOf(within(spot, name)),
        suggestion: `Set \`${where}credentials.${wanted}\` in registry/config.`,
      });
    }
  }
}

function describePlace({ path }: Spot, name: string): string {
  return path.at(-1) === 'headers' ? `The header ${name}` : `\`auth.${String(path.at(-1))}.${name}\``;
}

/** An address of a definition in a plan. */
interface PlannedAddress {
  url: string;
  /** Without a policy, only the host of the address itself. */
  allowed_hosts: string[];
}

/** @param spot of the address. @throws AbilityError `config.missing_credential`, `denied.host`. */
export function resolveAddress(
  { project }: Registry,
  address: string,
  variables: EnvironmentVariables,
  spot: Spot,
): PlannedAddress {
  const text = addressOf(address, variables, spot);
  const url = new URL(text);
  const allowed = project.policy.allowed_hosts;
  if (!allowed || isHostAllowed(url, allowed)) {
    return { url: text, allowed_hosts: allowed ?? [`${url.hostname}:${portOf(url)}`] };
  }
  throw new AbilityError({
    code: 'denied.host',
    message: `The policy does not allow the host of ${text}`,
    location: locationOf(spot),
    suggestion: 'Add it to `policy.allowed_hosts` in ability.yaml.',
  });
}

/** An `env:NAME` address is read from the worker's variables; the plan keeps the value. */
function addressOf(address: string, variables: EnvironmentVariables, spot: Spot): string {
  if (!address.startsWith('env:')) return address;
  const name = address.slice('env:'.length);
  const value = variables.find(name);
  if (value !== undefined && URL.canParse(value) && /^https?:/.test(value)) return value;
  throw new AbilityError({
    code: 'config.missing_credential',
    message: `Missing required configuration: ${name} (${variables.environment}), ${value === undefined ? 'the address of a service' : 'which is no http address'}`,
    location: locationOf(spot),
    suggestion: `Set ${name} in .env.${variables.environment} or .env, or in the environment of the worker (then run \`ability down\`).`,
  });
}

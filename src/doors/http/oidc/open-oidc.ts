import { usageError } from '../../../contracts/problem.js';
import { ownReference } from '../../../definitions/formats/values.js';
import { SecretSource } from '../../../planning/secrets/secret-source.js';
import { isDuration, parseDuration } from '../../../rules/duration.js';
import { isLoopback } from '../check-origin.js';
import { type OidcDoor, OidcProvider } from './provider.js';

export interface OidcFlags {
  oidcIssuer?: string;
  oidcClient?: string;
  oidcSecret?: string;
  oidcGroups?: string;
  oidcName?: string;
  oidcScope?: string;
  oidcSession?: string;
  behindProxy?: string;
}

/** Groups that somebody left count until the end of the session. */
const [SHORTEST_MS, LONGEST_MS] = [300_000, 30 * 86_400_000];
const USUAL = { name: 'preferred_username', scope: 'openid profile email', session: '8h' } as const;

/**
 * The provider that the flags of `ability serve` name; undefined if none. @throws AbilityError `usage.invalid`,
 * `config.missing_credential`, `door.no_provider`.
 */
export async function openOidc(flags: OidcFlags, root: string, env: NodeJS.ProcessEnv): Promise<OidcDoor | undefined> {
  const { oidcIssuer, oidcClient, oidcSecret, oidcGroups, oidcName = USUAL.name, oidcScope = USUAL.scope } = flags;
  if (oidcIssuer === undefined) {
    const [stray] = Object.entries(flags).find(([flag, value]) => /^oidc/.test(flag) && value !== undefined) ?? [];
    if (stray === undefined) return undefined;
    const flag = stray.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw usageError(`--${flag} needs a provider`, 'Name it: --oidc-issuer URL.');
  }
  const issuer = readIssuer(oidcIssuer);
  const sessionMs = readSession(flags.oidcSession ?? USUAL.session);
  if (!oidcClient)
    throw usageError('--oidc-issuer needs the id of a client', 'Register one at the provider: --oidc-client ID.');
  if (!oidcScope.split(' ').includes('openid'))
    throw usageError('--oidc-scope lacks openid', `Use for example "${USUAL.scope}".`);
  const provider = await OidcProvider.find({
    issuer,
    clientId: oidcClient,
    secret: oidcSecret === undefined ? undefined : readSecret(oidcSecret, root, env),
    groups: oidcGroups,
    name: oidcName,
    scope: oidcScope,
  });
  const origin = flags.behindProxy === undefined ? undefined : `https://${flags.behindProxy}`;
  return { provider, name: issuer.host, origin, sessionMs };
}

function readSession(text: string): number {
  const ms = isDuration(text) ? parseDuration(text) : 0;
  if (ms >= SHORTEST_MS && ms <= LONGEST_MS) return ms;
  throw usageError(`--oidc-session ${text} is no duration from 5m to 30d`, 'Write for example --oidc-session 8h.');
}

/** The value itself would be in the list of processes. */
function readSecret(reference: string, root: string, env: NodeJS.ProcessEnv): string {
  if (!ownReference.safeParse(reference).success) {
    throw usageError('--oidc-secret takes a reference, never the secret itself', 'Use env:NAME or file:PATH.');
  }
  return new SecretSource(root, 'serve', env).resolve(reference, 'secret of the OpenID client');
}

/** @throws AbilityError `usage.invalid` for an address that others could read on the way. */
export function readIssuer(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))) return url;
  throw usageError(
    `--oidc-issuer ${text} is no address of an OpenID provider`,
    'Use the https address that the provider calls its issuer.',
  );
}

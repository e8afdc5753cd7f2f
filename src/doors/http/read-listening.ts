import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { AbilityError, usageError } from '../../contracts/problem.js';
import { hostnameOf, isLoopback } from './check-origin.js';
import type { Tls } from './open-http-door.js';

export interface ListenFlags {
  host: string;
  port: string;
  tlsCert?: string;
  tlsKey?: string;
  behindProxy?: string;
  trustProxyUser?: string;
}

export interface Listening {
  host: string;
  port: number;
  tls: Tls | undefined;
  isOwnHost(hostname: string): boolean;
  /** Whether requests without a token count as those of the user who runs the door. */
  isLocal: boolean;
  proxyHeader: string | undefined;
  /** Whether host and port are what people open: behind a proxy, and for all addresses, they are not. */
  isAddress: boolean;
}

/** Hosts that stand for all addresses of this machine. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * Beyond this machine a door takes a token, and TLS or a proxy that ends it. Behind a proxy each request needs a
 * token or the proxy's user name.
 * @param hasToken whether a token, a signed webhook or a Slack app opens the project. @param signsIn whether an OpenID provider does. @throws AbilityError `usage.invalid`,
 * `door.no_tls`, `door.no_token`, `door.not_listening` (unreadable certificate).
 */
export function readListening(flags: ListenFlags, hasToken: boolean, signsIn = false): Listening {
  const host = readHost('--host', flags.host);
  const proxyHeader = readHeader(flags.trustProxyUser);
  const proxy = flags.behindProxy === undefined ? undefined : readHost('--behind-proxy', flags.behindProxy);
  const tls = readTls(flags);
  const isHere = isLoopback(host);
  if (!isHere && proxyHeader !== undefined) {
    const why = '--trust-proxy-user listens on this machine only: every client could set the header';
    throw usageError(why, 'Leave out --host.');
  }
  if (!isHere && !tls && proxy === undefined) {
    throw new AbilityError({
      code: 'door.no_tls',
      message: `--host ${host} can be reached from other machines, and tokens and inputs could be read in transit`,
      suggestion: 'Pass --tls-cert and --tls-key, or name the proxy that ends TLS: --behind-proxy NAME.',
    });
  }
  const isLocal = isHere && proxy === undefined && proxyHeader === undefined && !signsIn;
  if (!isLocal && !hasToken && !signsIn && proxyHeader === undefined) {
    throw new AbilityError({
      code: 'door.no_token',
      message: 'This project has no valid token, so every request from another machine would be refused',
      suggestion: 'Make one first: `ability token create --person NAME --can read,run`.',
    });
  }
  const isAddress = proxy === undefined && proxyHeader === undefined && !ANY_ADDRESS.has(host);
  const isOwnHost = ownHosts(host, proxy, tls);
  return { host, port: readPort(flags.port), tls, isOwnHost, isLocal, proxyHeader, isAddress };
}

function ownHosts(host: string, proxy: string | undefined, tls: Tls | undefined): (name: string) => boolean {
  const certificate = tls && new X509Certificate(tls.cert);
  const own = new Set([host, proxy, ...(ANY_ADDRESS.has(host) ? namesOfMachine() : [])]);
  return (name) => {
    if (isLoopback(name) || own.has(name)) return true;
    if (!certificate) return false;
    return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
  };
}

function namesOfMachine(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  return [hostname().toLowerCase(), ...addresses];
}

function readTls({ tlsCert, tlsKey }: ListenFlags): Tls | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw usageError('TLS needs a certificate and its key', 'Pass both --tls-cert and --tls-key.');
  }
  const tls = { cert: readPem('--tls-cert', tlsCert), key: readPem('--tls-key', tlsKey) };
  try {
    new X509Certificate(tls.cert);
  } catch (error) {
    throw unreadable('--tls-cert', tlsCert, error);
  }
  return tls;
}

function readPem(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unreadable(flag, path, error);
  }
}

function readHost(flag: string, text: string): string {
  const bare = text.replace(/^\[|\]$/g, '').toLowerCase();
  const name = isIP(bare) === 6 ? hostnameOf(`[${bare}]`) : hostnameOf(bare);
  if (name !== undefined && name === (isIP(bare) === 6 ? name : bare)) return name;
  throw usageError(`${flag} ${text} is no host`, 'Pass a name or an address, without a scheme or a port.');
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw usageError(`--port ${text} is no port`, 'Pass a number from 0 to 65535.');
}

function readHeader(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const name = text.toLowerCase();
  if (/^[a-z0-9-]{1,64}$/.test(name) && name !== 'authorization' && name !== 'host') return name;
  throw usageError(`--trust-proxy-user ${text} is no header of a user`, 'Use for example X-Forwarded-User.');
}

function unreadable(flag: string, path: string, cause: unknown): AbilityError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `${flag} ${path} cannot be used: ${reason}`;
  return new AbilityError({ code: 'door.not_listening', message, suggestion: 'Pass a file in PEM format.' }, { cause });
}

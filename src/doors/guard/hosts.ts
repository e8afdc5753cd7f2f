import { hostname, networkInterfaces } from 'node:os';

const LOOPBACK =
  /^(localhost(\.localdomain)?|.*\.localhost|ip6-(localhost|loopback)|127(\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]|0\.0\.0\.0|\[::\]|::1?)$/;

/** A host as addresses are compared by: small letters, no dot at its end. */
export function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/** Whether a host is this machine by a name that every machine has. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(plainHost(host));
}

/** Whether a host is this machine: by such a name, by its own, or by one of its addresses. */
export function isThisMachine(host: string): boolean {
  const plain = plainHost(host);
  return isLoopback(plain) || ownHosts().has(plain);
}

let own: ReadonlySet<string> | undefined;

function ownHosts(): ReadonlySet<string> {
  if (own) return own;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const shown = addresses.map(({ family, address }) => (family === 'IPv6' ? `[${address.split('%')[0]}]` : address));
  own = new Set([plainHost(hostname()), ...shown]);
  return own;
}

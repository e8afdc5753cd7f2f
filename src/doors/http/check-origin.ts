import { BlockList, isIP } from 'node:net';
import { AbilityError } from '../../contracts/problem.js';
import { attempt } from '../../text/attempt.js';
import type { Shown } from './authenticate.js';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a host can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** From a `Host` header or an origin: in lower case, without brackets and port; undefined if invalid. */
export function hostnameOf(authority: string): string | undefined {
  return attempt(() => {
    const { hostname, host, username, password, pathname } = new URL(`http://${authority}`);
    const isPlain = username === '' && password === '' && pathname === '/' && host !== '' && !/[?#]/.test(authority);
    return isPlain ? hostname.replace(/^\[|\]$/g, '') : undefined;
  });
}

/**
 * Refuses other hosts and pages of other sites, so that no web page can send requests in the name of its viewer.
 * @param isOwn whether a host name is this door's. @param isView whether it opens a view of the page in a browser. @throws AbilityError `door.foreign_host`, `door.cross_site`.
 */
export function checkOrigin({ headers }: Shown, isOwn: (hostname: string) => boolean, isView = false): void {
  const { host, origin } = headers;
  const hostname = typeof host === 'string' ? hostnameOf(host) : undefined;
  if (hostname === undefined || !isOwn(hostname)) {
    throw new AbilityError({
      code: 'door.foreign_host',
      message: 'The request names a host that is not this door',
      suggestion: 'Use the address that `ability serve` printed, or name the proxy: `--behind-proxy NAME`.',
    });
  }
  if (isView) return;
  const site = headers['sec-fetch-site'];
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (!isForeign && (origin === undefined || isSameOrigin(String(origin), String(host)))) return;
  throw new AbilityError({
    code: 'door.cross_site',
    message: 'The request comes from a page of another site',
    suggestion: 'Call the door from a program.',
  });
}

/** The scheme may differ if a proxy ends TLS; name and port may not. */
function isSameOrigin(origin: string, host: string): boolean {
  return attempt(() => {
    const { protocol, host: own } = new URL(origin);
    return (protocol === 'http:' || protocol === 'https:') && own === new URL(`${protocol}//${host}`).host;
  }, false);
}

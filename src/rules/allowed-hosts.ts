import { matchesGlob } from './glob.js';

/**
 * Whether the policy allows a host and port. Entries are `host`, `host:port`, `host:*`, with `*` in the host.
 *
 * An entry without a port allows the standard port of the scheme only. Source: design, sections 4 and 12.
 */
export function isHostAllowed(url: URL, allowed: readonly string[]): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return allowed.some((entry) => {
    const { host, ports } = splitEntry(entry);
    if (!matchesGlob(host.toLowerCase(), url.hostname.toLowerCase())) return false;
    return ports === undefined ? url.port === '' : ports === '*' || ports === port;
  });
}

function splitEntry(entry: string): { host: string; ports: string | undefined } {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d+|\*))?$/.exec(entry);
  return match ? { host: match[1] ?? '', ports: match[2] } : { host: entry, ports: undefined };
}

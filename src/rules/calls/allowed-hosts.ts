import ipaddr from 'ipaddr.js';
import { matchesGlob } from '../../text/glob.js';
import { isInRange, isOrdinary, type Range } from './special-addresses.js';

/** The hosts that an entry of the policy allows. */
export interface HostEntry {
  /** As written, in small letters: a name with `*`, an IPv4 address, an IPv6 address in brackets. */
  host: string;
  /** Digits, or `*` for all; undefined for the standard port of the scheme. */
  ports: string | undefined;
  /** The addresses that it names, where it names addresses. */
  range?: Range;
}

/** A host, which only has colons in brackets, and perhaps a port. */
const ENTRY = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}|\*))?$/;

/** Reads `host`, `host:port` or `host:*`, where `host` may also be a range of addresses such as `10.0.0.0/8` or `[fd00::/8]`. */
export function readHostEntry(entry: string): HostEntry | undefined {
  const [, host, port] = ENTRY.exec(entry.toLowerCase()) ?? [];
  if (host === undefined) return undefined;
  const ports = port === undefined || port === '*' ? port : String(Number(port));
  if (ports === '0' || Number(ports) > 65_535) return undefined;
  const range = rangeOf(host);
  return { host, ports, ...(range && { range }) };
}

/**
 * Whether the policy allows a host and port. Entries are those of {@link readHostEntry}; any other allows nothing.
 *
 * An entry without a port allows the standard port of the scheme only. Source: docs/definitions.md; docs/operations.md#safety.
 */
export function isHostAllowed(url: URL, allowed: readonly string[]): boolean {
  const host = url.hostname.toLowerCase();
  const literal = host.replace(/^\[|\]$/g, '');
  return entriesFor(url, allowed).some(
    (entry) => matchesGlob(entry.host, host) || (entry.range !== undefined && isInRange(literal, entry.range)),
  );
}

/**
 * Whether a connection of an allowed URL may go to an address that its host leads to.
 *
 * Ordinary addresses are open to any allowed name. A special one is open only where an entry with the port of the URL
 * lists that address; `localhost` lists the loopback for itself. Source: docs/operations.md#safety.
 */
export function isAddressAllowed(address: string, url: URL, allowed: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (isOrdinary(parsed)) return true;
  const host = url.hostname.toLowerCase();
  const isLocal = parsed.range() === 'loopback' && (host === 'localhost' || host.endsWith('.localhost'));
  return entriesFor(url, allowed).some(
    (entry) => (isLocal && entry.host === host) || (entry.range !== undefined && isInRange(address, entry.range)),
  );
}

/** The entries that open the port of a URL. */
function entriesFor(url: URL, allowed: readonly string[]): HostEntry[] {
  const port = portOf(url);
  return allowed
    .map(readHostEntry)
    .filter((entry) => entry !== undefined)
    .filter(({ ports }) => (ports === undefined ? url.port === '' : ports === '*' || ports === port));
}

/** The port that a URL of the web leads to. */
export function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

/** Other notations of IPv4, such as `127.1`, never come out of a URL, and are names that nothing has. */
function rangeOf(host: string): Range | undefined {
  const isBracketed = host.startsWith('[');
  const text = isBracketed ? host.slice(1, -1) : host;
  if (isBracketed ? ipaddr.IPv6.isValidCIDR(text) : ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) {
    return ipaddr.parseCIDR(text);
  }
  if (!(isBracketed ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text))) return undefined;
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

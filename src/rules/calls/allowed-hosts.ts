import ipaddr from 'ipaddr.js';
import { matchesGlob } from '../../text/glob.js';
import { memoize } from '../../text/memoize.js';

export interface HostEntry {
  /** In lower case: a name that may contain `*`, an IPv4 address, or an IPv6 address in brackets. */
  host: string;
  /** Digits, or `*` for all; undefined for the standard port of the scheme. */
  ports: string | undefined;
  /** Set if the entry is an address or a range of addresses. */
  range?: Range;
}

/** A host and perhaps a port; colons are part of a host only inside brackets. */
const ENTRY = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}|\*))?$/;

/** Reads `host`, `host:port` or `host:*`; a host may be a range such as `10.0.0.0/8` or `[fd00::/8]`. */
export function readHostEntry(entry: string): HostEntry | undefined {
  const [, host, port] = ENTRY.exec(entry.toLowerCase()) ?? [];
  if (host === undefined) return undefined;
  const ports = port === undefined || port === '*' ? port : String(Number(port));
  if (ports === '0' || Number(ports) > 65_535) return undefined;
  const range = rangeOf(host);
  return { host, ports, ...(range && { range }) };
}

/**
 * Takes {@link readHostEntry} entries; one without a port allows the scheme's standard port only. Invalid ones
 * allow nothing. Source: docs/definitions.md; docs/operations.md#safety.
 */
export function isHostAllowed(url: URL, allowed: readonly string[]): boolean {
  const host = url.hostname.toLowerCase();
  const literal = host.replace(/^\[|\]$/g, '');
  return entriesFor(url, allowed).some(
    (entry) => matchesGlob(entry.host, host) || (entry.range !== undefined && isInRange(literal, entry.range)),
  );
}

/**
 * Whether an allowed URL's host may resolve to an address: an ordinary one always, a special one only if an entry
 * with the URL's port lists it; `localhost` lists the loopback.
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

function entriesFor(url: URL, allowed: readonly string[]): HostEntry[] {
  const port = portOf(url);
  return readEntries(allowed).filter(({ ports }) =>
    ports === undefined ? url.port === '' : ports === '*' || ports === port,
  );
}

/** Every request is checked against the same list. */
const readEntries = memoize((allowed: readonly string[]) =>
  allowed.map(readHostEntry).filter((entry) => entry !== undefined),
);

export function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

/** Other notations of IPv4, such as `127.1`, are names: no URL contains them. */
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

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address and its prefix length in bits. */
type Range = [Address, number];

/** Azure's metadata service: the only one with an ordinary address. */
const METADATA = ipaddr.parse('168.63.129.16');

/**
 * Whether a name may resolve to an address without permission: public, or private IPv4. Special are loopback,
 * link-local, shared (100.64.0.0/10), unique local (fc00::/7), metadata services, broadcast, multicast, reserved,
 * and IPv6 addresses that stand for IPv4. Source: the IANA registries of special-purpose addresses.
 */
function isOrdinary(address: Address): boolean {
  const range = address.range();
  if (address instanceof ipaddr.IPv6) return range === 'unicast' && isGlobal(address);
  return (range === 'unicast' || range === 'private') && address.toString() !== METADATA.toString();
}

/** IPv6 has allocated only 2000::/3; others are unallocated, or stand for IPv4 (::127.0.0.1). */
function isGlobal({ parts }: ipaddr.IPv6): boolean {
  return ((parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** Whether an address is in a range. IPv4 written as IPv6 (::ffff:127.0.0.1) counts as IPv4. */
function isInRange(text: string, [start, bits]: Range): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return address.kind() === start.kind() && address.match(start, bits);
}

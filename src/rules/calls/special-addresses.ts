import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address and its prefix length in bits. */
export type Range = [Address, number];

/** The one metadata service that has an address like any other: that of Azure. */
const METADATA = ipaddr.parse('168.63.129.16');

/**
 * Whether a name may resolve to an address without an explicit permission: it is one of the public internet or of a
 * private IPv4 network.
 *
 * All others are special: loopback, link-local, shared (100.64.0.0/10), unique local (fc00::/7), metadata services,
 * broadcast, multicast, reserved, and IPv6 addresses that stand for an IPv4 address. Source: the IANA registries of
 * special-purpose addresses.
 */
export function isOrdinary(address: Address): boolean {
  const range = address.range();
  if (address instanceof ipaddr.IPv6) return range === 'unicast' && isGlobal(address);
  return (range === 'unicast' || range === 'private') && address.toString() !== METADATA.toString();
}

/** Only 2000::/3 of IPv6 is allocated; other addresses are IPv4 in disguise (::127.0.0.1), or unallocated. */
function isGlobal({ parts }: ipaddr.IPv6): boolean {
  return ((parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** Whether a text is an address of a range; one of IPv4 that is written as IPv6 (::ffff:127.0.0.1) is the one of IPv4. */
export function isInRange(text: string, [start, bits]: Range): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return address.kind() === start.kind() && address.match(start, bits);
}

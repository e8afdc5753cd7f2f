import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address and its prefix length in bits. */
export type Range = [Address, number];

/** Azure's metadata service: the only one with an ordinary address. */
const METADATA = ipaddr.parse('168.63.129.16');

/**
 * Whether a name may resolve to an address without permission: public, or private IPv4. Special are loopback,
 * link-local, shared (100.64.0.0/10), unique local (fc00::/7), metadata services, broadcast, multicast, reserved,
 * and IPv6 addresses that stand for IPv4. Source: the IANA registries of special-purpose addresses.
 */
export function isOrdinary(address: Address): boolean {
  const range = address.range();
  if (address instanceof ipaddr.IPv6) return range === 'unicast' && isGlobal(address);
  return (range === 'unicast' || range === 'private') && address.toString() !== METADATA.toString();
}

/** IPv6 has allocated only 2000::/3; others are unallocated, or stand for IPv4 (::127.0.0.1). */
function isGlobal({ parts }: ipaddr.IPv6): boolean {
  return ((parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** Whether an address is in a range. IPv4 written as IPv6 (::ffff:127.0.0.1) counts as IPv4. */
export function isInRange(text: string, [start, bits]: Range): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return address.kind() === start.kind() && address.match(start, bits);
}

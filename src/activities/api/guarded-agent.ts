import { type LookupAddress, lookup as resolveName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, DecoratorHandler, type Dispatcher } from 'undici';
import { isHostAllowed } from '../../rules/allowed-hosts.js';
import { CallFailure } from '../call-failure.js';

/** Ranges an allowed name may lead to; loopback, link-local and the rest must be listed as addresses. */
const ORDINARY = new Set(['unicast', 'private', 'uniqueLocal', 'carrierGradeNat']);

const agents = new Map<string, Agent>();

/**
 * An HTTP agent that looks at the address it is about to connect to, so that a name cannot lead where the policy does
 * not. Source: design, section 12.
 */
function guardedAgent(allowed: readonly string[]): Agent {
  const key = keyOf(allowed);
  const known = agents.get(key);
  if (known) return known;
  const agent = new Agent({ connect: { lookup: guardedLookup(allowed), timeout: 10_000 } });
  agents.set(key, agent);
  return agent;
}

/** The lists of a plan, which stays in memory, as text. */
const keys = new WeakMap<readonly string[], string>();

function keyOf(allowed: readonly string[]): string {
  const known = keys.get(allowed) ?? JSON.stringify(allowed);
  keys.set(allowed, known);
  return known;
}

/** The same agent; `onSend` is told when a request is about to be written to a connection. */
export function watchedAgent(allowed: readonly string[], onSend: () => void): Dispatcher {
  return guardedAgent(allowed).compose((dispatch) => (options, handler) => {
    return dispatch(options, new SendWatch(handler, onSend));
  });
}

/** The types of undici leave out what this class passes on. */
const Handler = DecoratorHandler as new (
  handler: Dispatcher.DispatchHandler,
) => { onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void };

class SendWatch extends Handler {
  constructor(
    handler: Dispatcher.DispatchHandler,
    private readonly onSend: () => void,
  ) {
    super(handler);
  }

  override onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.onSend();
    super.onRequestStart(controller, context);
  }
}

/** Closes all connections, at the end of a worker. */
export async function closeAgents(): Promise<void> {
  const open = [...agents.values()];
  agents.clear();
  await Promise.all(open.map((agent) => agent.destroy()));
}

/** Origins that a list was found to allow, with that list. */
const permitted = new Set<string>();
const MOST_PERMITTED = 1000;

/** @throws CallFailure `denied.host` for a URL the policy does not allow, literal addresses included. */
export function refuseForbiddenUrl(url: URL, allowed: readonly string[]): void {
  const question = `${url.origin} ${keyOf(allowed)}`;
  if (permitted.has(question)) return;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw denied(`${url.protocol} is no protocol of the web`);
  if (!isHostAllowed(url, allowed)) throw denied(`The policy does not allow ${url.host}`);
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal) && !isAddressAllowed(literal, allowed)) {
    throw denied(`The policy does not allow the address ${literal}`);
  }
  if (permitted.size >= MOST_PERMITTED) permitted.clear();
  permitted.add(question);
}

function guardedLookup(allowed: readonly string[]): LookupFunction {
  return (hostname, options, done) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0);
      const usable = addresses.filter(({ address }) => isAddressAllowed(address, allowed, hostname));
      const [first] = usable as [LookupAddress | undefined];
      if (!first) {
        const found = addresses.map(({ address }) => address).join(', ');
        return done(denied(`${hostname} leads to ${found}, which the policy does not list`), '', 0);
      }
      return options.all ? done(null, usable) : done(null, first.address, first.family);
    });
  };
}

function isAddressAllowed(address: string, allowed: readonly string[], hostname = ''): boolean {
  const parsed = ipaddr.process(address);
  if (ORDINARY.has(parsed.range())) return true;
  const named = hostname === 'localhost' || hostname.endsWith('.localhost');
  return allowed.some((entry) => {
    const host = entry.replace(/:(\d+|\*)$/, '').replace(/^\[|\]$/g, '');
    if (named && host === hostname) return parsed.range() === 'loopback';
    return isSameAddress(host, parsed);
  });
}

/** An entry may be an address or, with a slash, a range of them. */
function isSameAddress(entry: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (ipaddr.isValidCIDR(entry)) {
    const [range, bits] = ipaddr.parseCIDR(entry);
    return range.kind() === address.kind() && address.match(range, bits);
  }
  return ipaddr.isValid(entry) && ipaddr.process(entry).toString() === address.toString();
}

function denied(message: string): CallFailure {
  return new CallFailure({
    code: 'denied.host',
    message,
    suggestion: 'Add the host or address to `policy.allowed_hosts` in ability.yaml, if it should be reachable.',
  });
}

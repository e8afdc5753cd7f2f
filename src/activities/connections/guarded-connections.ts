import { type LookupAddress, lookup as resolveName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, DecoratorHandler, type Dispatcher, Pool } from 'undici';
import { isAddressAllowed, isHostAllowed, portOf } from '../../rules/calls/allowed-hosts.js';
import { CallFailure } from '../call/call-failure.js';

const agents = new Map<string, Agent>();

/** Checks each resolved address and connects to exactly that one. */
function guardedAgent(allowed: readonly string[]): Agent {
  const key = keyOf(allowed);
  const known = agents.get(key);
  if (known) return known;
  // A socket's lookup does not see the port, so each origin has its own.
  const factory = (origin: string | URL, options: object): Pool =>
    new Pool(origin, { ...options, connect: { lookup: guardedLookup(new URL(origin), allowed), timeout: 10_000 } });
  const agent = new Agent({ factory });
  agents.set(key, agent);
  return agent;
}

/** Caches the JSON of each list: a plan and its lists stay in memory. */
const keys = new WeakMap<readonly string[], string>();

function keyOf(allowed: readonly string[]): string {
  const known = keys.get(allowed) ?? JSON.stringify(allowed);
  keys.set(allowed, known);
  return known;
}

/** A guarded agent that calls `onSend` just before it writes a request to a connection. */
export function watchedAgent(allowed: readonly string[], onSend: () => void): Dispatcher {
  return guardedAgent(allowed).compose((dispatch) => (options, handler) => {
    return dispatch(options, new SendWatch(handler, onSend));
  });
}

/** The types of undici omit the methods that this class passes on. */
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

export async function closeAgents(): Promise<void> {
  const open = [...agents.values()];
  agents.clear();
  await Promise.all(open.map((agent) => agent.destroy()));
}

/** Origins that a list of allowed hosts permits, together with that list. */
const permitted = new Set<string>();
const MAX_PERMITTED = 1000;

/** @throws CallFailure `denied.host` for a URL the policy does not allow, literal addresses included. */
export function refuseForbiddenUrl(url: URL, allowed: readonly string[]): void {
  const question = `${url.origin} ${keyOf(allowed)}`;
  if (permitted.has(question)) return;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw denied(`${url.protocol} is no protocol of the web`);
  if (!isHostAllowed(url, allowed)) throw denied(`The policy does not allow ${url.host}`);
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal) && !isAddressAllowed(literal, url, allowed)) {
    throw denied(`The policy does not allow the address ${literal}`, [literal], url);
  }
  if (permitted.size >= MAX_PERMITTED) permitted.clear();
  permitted.add(question);
}

/** A look-up that finds only addresses which the policy allows for an origin. */
export function guardedLookup(origin: URL, allowed: readonly string[]): LookupFunction {
  return (hostname, options, done) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0);
      const usable = addresses.filter(({ address }) => isAddressAllowed(address, origin, allowed));
      const [first] = usable as [LookupAddress | undefined];
      if (!first) {
        const found = addresses.map(({ address }) => address);
        const message = `${hostname} resolves to ${found.join(', ')}, which the policy does not list with port ${portOf(origin)}`;
        return done(denied(message, found, origin), '', 0);
      }
      return options.all ? done(null, usable) : done(null, first.address, first.family);
    });
  };
}

/** @param found special addresses, each of which must be listed explicitly. */
function denied(message: string, found: readonly string[] = [], url?: URL): CallFailure {
  const entries = url ? found.map((address) => `\`${entryOf(address, url)}\``) : [];
  const what = entries.length > 0 ? `the address itself (${entries.join(' or ')})` : 'the host or address';
  return new CallFailure({
    code: 'denied.host',
    message,
    suggestion: `Add ${what} to \`policy.allowed_hosts\` in ability.yaml, if it should be reachable.`,
  });
}

function entryOf(address: string, url: URL): string {
  return `${address.includes(':') ? `[${address}]` : address}:${portOf(url)}`;
}

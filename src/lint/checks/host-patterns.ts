import type { Finding } from '../../contracts/findings.js';
import { findingOf } from '../../planning/finding-of.js';
import { type HostEntry, isHostAllowed, readHostEntry } from '../../rules/allowed-hosts.js';
import type { LintedProject } from '../linted-project.js';

/** Hosts that have nothing in common; what allows each of them allows all. */
const ANY_HOSTS = ['a.example.com', 'x9.test.net', 'q.z.org'];

/** Endings under which anybody can have a name. */
const PUBLIC_ENDING = /^\*+\.?(com|net|org|io|dev|app|cloud|co|ai|info|de|eu|uk|us|co\.uk)(:|$)/i;

/** What no host name holds. */
const NO_HOST = /[\s/\\(),^$?|+@]/;

/** Finds entries of the policy that say something else than they seem to. Source: docs/operations.md#safety. */
export function* checkHostPatterns({ registry }: LintedProject): Generator<Finding> {
  for (const [index, entry] of (registry.project.policy.allowed_hosts ?? []).entries()) {
    const what = whatItAllows(entry);
    if (what === undefined) continue;
    const location = registry.locateInProject(['policy', 'allowed_hosts', index]);
    yield findingOf('lint.host_pattern', `\`${entry}\` allows ${what}`, location);
  }
}

function whatItAllows(text: string): string | undefined {
  const entry = readHostEntry(text);
  if (!entry) return `nothing: ${EXPECTED}`;
  if (entry.range) return entry.range[1] === 0 ? 'every address, the special ones included' : undefined;
  if (NO_HOST.test(entry.host)) return `nothing: ${EXPECTED}`;
  if (allowsAnyHost(text, entry)) return 'every host';
  if (PUBLIC_ENDING.test(text)) return 'every name that anybody registers under that ending';
  return otherNotation(entry.host);
}

const EXPECTED =
  'an entry is a host name or an address, perhaps with a port, without scheme or path; IPv6 is written in brackets';

function allowsAnyHost(text: string, { ports }: HostEntry): boolean {
  const port = ports === undefined || ports === '*' ? '' : `:${ports}`;
  return ANY_HOSTS.every((host) => isHostAllowed(new URL(`https://${host}${port}`), [text]));
}

/** A URL has one notation for each host, and hosts are compared as URLs have them. */
function otherNotation(host: string): string | undefined {
  if (host.includes('*')) return undefined;
  const url = URL.canParse(`https://${host}`) ? new URL(`https://${host}`) : undefined;
  if (url?.hostname === host) return undefined;
  return url ? `nothing: write it as a URL has it, \`${url.hostname}\`` : `nothing: ${EXPECTED}`;
}

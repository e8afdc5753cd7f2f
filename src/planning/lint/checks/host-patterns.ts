import type { Finding } from '../../../contracts/findings.js';
import { isHostAllowed } from '../../../rules/allowed-hosts.js';
import { findingOf } from '../finding-of.js';
import type { LintedProject } from '../linted-project.js';

/** Hosts that have nothing in common; what allows each of them allows all. */
const ANY_HOSTS = ['https://a.example.com', 'https://x9.test.net', 'https://q.z.org'].map((url) => new URL(url));

/** Endings under which anybody can have a name. */
const PUBLIC_ENDING = /^\*+\.?(com|net|org|io|dev|app|cloud|co|ai|info|de|eu|uk|us|co\.uk)(:|$)/i;

/** What no host name and port holds. */
const NO_HOST = /[\s/\\(),^$?|+]|:\/\/|@/;

/** Finds entries of the policy that say something else than they seem to. Source: design, section 12. */
export function* checkHostPatterns({ registry }: LintedProject): Generator<Finding> {
  for (const [index, entry] of (registry.project.policy.allowed_hosts ?? []).entries()) {
    const what = whatItAllows(entry);
    if (what === undefined) continue;
    const location = registry.locateInProject(['policy', 'allowed_hosts', index]);
    yield findingOf('lint.host_pattern', `\`${entry}\` allows ${what}`, location);
  }
}

function whatItAllows(entry: string): string | undefined {
  if (NO_HOST.test(entry)) return 'nothing: an entry is a host name and perhaps a port, without scheme or path';
  if (ANY_HOSTS.every((url) => isHostAllowed(url, [entry]))) return 'every host';
  if (PUBLIC_ENDING.test(entry)) return 'every name that anybody registers under that ending';
  return undefined;
}

import { isIP } from 'node:net';
import type { CheckResult } from '../../../../contracts/check.js';
import type { Registry } from '../../../../definitions/registry.js';
import { SecretSource } from '../../../../planning/secrets/secret-source.js';
import { isAddressAllowed, isHostAllowed } from '../../../../rules/allowed-hosts.js';

/**
 * Whether notices can be sent, as far as this machine knows: what the workers see may be another environment than that of
 * this command. Nothing is sent, and no name is looked up.
 *
 * A notice that is not sent delays and fails no task, so no task says that it was not.
 */
export function checkNotices({ project, root }: Registry, env: NodeJS.ProcessEnv): CheckResult[] {
  const absent: string[] = [];
  const unfit: string[] = [];
  const forbidden: string[] = [];
  for (const { webhook, secret, environments = Object.keys(project.environments) } of project.notify) {
    for (const name of environments) {
      const source = new SecretSource(root, name, env);
      const missing = [webhook, secret ?? []].flat().filter((reference) => !source.has(reference));
      absent.push(...missing.map((reference) => `${reference} (${name})`));
      if (missing.includes(webhook)) continue;
      const address = source.resolve(webhook, 'address of a notice');
      const url = URL.canParse(address) ? new URL(address) : undefined;
      if (!url || !/^https?:$/.test(url.protocol)) unfit.push(`${webhook} (${name})`);
      else if (!isAllowed(url, project.policy.allowed_hosts)) forbidden.push(`${webhook} (${name}), at ${url.host}`);
    }
  }
  return [
    ...warn(absent, 'not set here:', 'Set it in .env, or where the workers run.'),
    ...warn(unfit, 'no http address is in', 'Write the whole address there, from https:// on.'),
    ...warn(
      forbidden,
      'policy.allowed_hosts does not allow',
      'Add the host to `policy.allowed_hosts` in ability.yaml, with its port where that is neither 80 nor 443.',
    ),
  ];
}

/** As a worker that sends to it decides, before it looks up a name. */
function isAllowed(url: URL, allowed: readonly string[] | undefined): boolean {
  if (allowed === undefined) return true;
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  return isHostAllowed(url, allowed) && (isIP(literal) === 0 || isAddressAllowed(literal, url, allowed));
}

function warn(found: readonly string[], what: string, advice: string): CheckResult[] {
  if (found.length === 0) return [];
  const message = `notices cannot be sent: ${what} ${[...new Set(found)].join(', ')}`;
  return [{ name: 'notify', status: 'warning', message, advice }];
}

import type { PlanEnvProfile } from '../../contracts/plan.js';
import type { SecretSource } from '../secrets.js';

/**
 * The environment of a child process: its profile and the names given, nothing of the worker's besides.
 *
 * Secrets are resolved here, and `hide` is told each, so that logs can mask it. Source: docs/operations.md#safety; docs/scripts.md.
 *
 * @throws AbilityError `config.missing_credential`.
 */
export function environmentOf(
  profile: PlanEnvProfile,
  secrets: SecretSource,
  hide: (secret: string) => void,
  names: Record<string, string> = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of profile.pass) {
    const value = secrets.inherited(name);
    if (value !== undefined) environment[name] = value;
  }
  Object.assign(environment, profile.set);
  for (const [name, reference] of Object.entries(profile.secrets)) {
    const value = secrets.resolve(reference, `secret ${name}`);
    hide(value);
    environment[name] = value;
  }
  return Object.assign(environment, names);
}

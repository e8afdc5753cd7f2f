import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { SecretSource } from '../secret-source.js';
import { checkTrigger, triggerEnvironment } from './check-trigger.js';
import { type FoundTrigger, statedTriggers } from './stated-triggers.js';

/**
 * What the sender of a webhook signs with.
 *
 * @param env of the door. @throws AbilityError `config.missing_credential`, and as `triggerEnvironment`.
 */
export function resolveTriggerSecret(registry: Registry, found: FoundTrigger, env: NodeJS.ProcessEnv): string {
  const { webhook, secret } = found.spec;
  const environment = triggerEnvironment(registry, found);
  const source = new SecretSource(registry.root, environment, env);
  if (source.has(secret)) return source.resolve(secret, `secret of the webhook ${webhook}`);
  const name = secret.replace(/^(?:env|file):/, '');
  throw new AbilityError({
    code: 'config.missing_credential',
    message: `Missing required configuration: ${name} (${environment}), the secret of the webhook ${webhook}`,
    location: found.from.locate(['triggers', found.index, 'secret']),
    suggestion: secret.startsWith('env:')
      ? `Set ${name} in .env.${environment} or .env, or in the environment of \`ability serve\`.`
      : `Write the file ${name}.`,
  });
}

/**
 * The webhooks of a project, each of which a door with this environment can take, by name.
 *
 * @throws AbilityError as {@link resolveTriggerSecret}, `statedTriggers` and `checkTrigger`.
 */
export function usableTriggers(registry: Registry, env: NodeJS.ProcessEnv): FoundTrigger[] {
  const found = [...statedTriggers(registry).values()];
  for (const trigger of found) {
    checkTrigger(registry, trigger);
    resolveTriggerSecret(registry, trigger, env);
  }
  return found;
}

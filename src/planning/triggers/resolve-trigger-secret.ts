import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { SecretSource } from '../secrets/secret-source.js';
import { checkTrigger, triggerEnvironment } from './check-trigger.js';
import { STANDARD_SECRET, standardKey } from './standard-webhooks.js';
import { type FoundTrigger, statedTriggers } from './stated-triggers.js';

/**
 * The secret with which a webhook's sender signs. @param env of the door.
 * @throws AbilityError `config.missing_credential`, `config.invalid`, and as `triggerEnvironment`.
 */
export function resolveTriggerSecret(registry: Registry, found: FoundTrigger, env: NodeJS.ProcessEnv): string {
  const { webhook, secret } = found.spec;
  const environment = triggerEnvironment(registry, found);
  const source = new SecretSource(registry.root, environment, env);
  if (source.has(secret)) return checked(source.resolve(secret, `secret of the webhook ${webhook}`), found);
  const name = secret.replace(/^(?:env|file):/, '');
  throw new AbilityError({
    code: 'config.missing_credential',
    message: `Missing required configuration: ${name} (${environment}), the secret of the webhook ${webhook}`,
    location: found.from.locate(['triggers', found.index, 'secret']),
    suggestion: secret.startsWith('env:')
      ? `Set ${name} in .env.${environment} or .env, or in the environment of \`ability serve\`.`
      : `Create the file ${name}.`,
  });
}

/** A truncated Standard Webhooks secret would refuse every message. @throws AbilityError `config.invalid`. */
function checked(text: string, { spec, from, index }: FoundTrigger): string {
  if (!text.startsWith('whsec_') || standardKey(text)) return text;
  throw new AbilityError({
    code: 'config.invalid',
    message: `The secret of the webhook ${spec.webhook} is no key of Standard Webhooks: ${STANDARD_SECRET}`,
    location: from.locate(['triggers', index, 'secret']),
    suggestion: 'Copy it from its sender, or make one: echo "whsec_$(openssl rand -base64 32)".',
  });
}

/** @throws AbilityError as {@link resolveTriggerSecret}, `statedTriggers` and `checkTrigger`. */
export function usableTriggers(registry: Registry, env: NodeJS.ProcessEnv): FoundTrigger[] {
  const found = [...statedTriggers(registry).values()];
  for (const trigger of found) {
    checkTrigger(registry, trigger);
    resolveTriggerSecret(registry, trigger, env);
  }
  return found;
}

import { isRepeatable } from '../../contracts/effects.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { kindOf, loadedComposite } from '../../definitions/find-ability.js';
import type { HookDefinition, WrittenOf } from '../../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import type { HandlerOf } from '../../rules/hooks/handlers.js';
import { didYouMean } from '../../text/nearest.js';
import { resolveCallable } from '../resolve/resolve-callable.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { type Available, checkTemplate } from '../steps/check-names.js';
import { invalidAt } from '../steps/definition-errors.js';

/**
 * The low-level ability that answers for a hook. No hook fires around it, so that none can lead to itself; it must
 * be repeatable, since hooks may run more than once. Source: R-002-11; docs/hooks.md.
 * @throws AbilityError if the ability does not exist, is a workflow or agent, or may not be repeated.
 */
export function resolveGuardAbility(
  registry: Registry,
  hook: Loaded<HookDefinition>,
  { key, with: input }: WrittenOf<'ability'>['ability'],
  available: Available,
  variables: EnvironmentVariables,
): Omit<HandlerOf<'ability'>, 'timeout_ms'> {
  const path = ['handler', 'ability', 'key'];
  const operation = registry.operations.get(key);
  if (!operation) throw new AbilityError({ ...whyNone(registry, hook, key), location: hook.locate(path) });
  const refuse = (what: string, suggestion: string): never => {
    const message = `The ability ${key} ${what}, so it cannot answer for the hook ${hook.value.id}`;
    throw invalidAt({ from: hook, path }, message, suggestion);
  };
  const { effects, output_files: files } = operation.value;
  if (!isRepeatable(effects)) refuse(`is ${effects}`, 'A hook may run again; name an ability that only reads.');
  if (files && Object.keys(files).length > 0) refuse('makes files', 'Name one that returns only a HookResult.');
  if (input !== undefined) checkTemplate(input, available, { from: hook, path: ['handler', 'ability', 'with'] });
  const planned = resolveCallable(registry, operation, variables);
  return { kind: 'ability', operation: planned, ...(input && { with: input }) };
}

function whyNone(registry: Registry, { value: { id } }: Loaded<HookDefinition>, key: string): Problem {
  const broken = registry.broken.get(`ability:${key}`);
  if (broken) return broken;
  const suggestion = 'Name a low-level ability: a guard is one call.';
  const composite = loadedComposite(registry, key)?.value;
  if (composite) {
    return {
      code: 'definition.invalid',
      message: `${key} is ${kindOf(composite)}, and cannot answer for the hook ${id}`,
      suggestion,
    };
  }
  return {
    code: 'definition.unknown_reference',
    message: `There is no ability ${key}, which should answer for the hook ${id}`,
    suggestion: didYouMean(key, [...registry.operations.keys()]) ?? suggestion,
  };
}

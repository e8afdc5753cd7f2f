import type { z } from 'zod';
import { AbilityError, formatLocation, usageError } from '../../contracts/problem.js';
import { loadedAbility } from '../../definitions/find-ability.js';
import type { config } from '../../definitions/formats/config.js';
import { abilityId, environmentName, plainName } from '../../definitions/formats/values.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { didYouMean } from '../../text/nearest.js';

/** @throws AbilityError `usage.invalid` for an invalid id, `scaffold.exists` for an existing one. */
export function checkNewAbility(registry: Registry, id: string): void {
  checkForm(abilityId, id, 'id of an ability');
  const found = loadedAbility(registry, id);
  if (found) throw taken(`There is an ability ${id} already`, formatLocation(found.locate([])));
  const problem = registry.broken.get(`ability:${id}`);
  if (problem) throw taken(`There is an ability ${id} already, which is broken`, problem.location?.file ?? '');
}

/** @throws AbilityError as {@link checkNewAbility}, for an implementation. */
export function checkNewImplementation({ implementations, broken, operations }: Registry, id: string): void {
  checkForm(plainName, id, 'id of an implementation');
  const found = implementations.get(id);
  if (found) throw taken(`There is an implementation ${id} already`, formatLocation(found.locate([])));
  const problem = broken.get(`implementation:${id}`);
  if (problem) throw taken(`There is an implementation ${id} already, which is broken`, problem.location?.file ?? '');
  const operation = operations.get(id);
  // An implementation inside an operation has the operation's key as its id.
  if (operation?.value.implementation) {
    throw taken(`${id} is the id of the implementation inside its operation`, formatLocation(operation.locate([])));
  }
}

/** @throws AbilityError `usage.invalid` for an invalid name. */
export function checkPlainName(name: string, what: string): void {
  checkForm(plainName, name, what);
}

/** @throws AbilityError `environment.not_found` for an environment that the project does not have. */
export function checkEnvironments({ project, locateInProject }: Registry, names: readonly string[]): void {
  const known = Object.keys(project.environments);
  for (const name of names) {
    checkForm(environmentName, name, 'name of an environment');
    if (known.includes(name)) continue;
    throw new AbilityError({
      code: 'environment.not_found',
      message: `The project ${project.project} has no environment ${name}`,
      location: locateInProject(['environments']),
      suggestion: didYouMean(name, known) ?? `There are: ${known.join(', ')}.`,
    });
  }
}

/** @throws AbilityError `usage.invalid` with the rule of the format that the value breaks. */
export function checkForm(format: z.ZodType, value: unknown, what: string): void {
  const checked = format.safeParse(value);
  if (checked.success) return;
  throw usageError(
    `${JSON.stringify(value)} cannot be the ${what}`,
    `${checked.error.issues[0]?.message ?? 'Choose another one'}.`,
  );
}

/** The error for an existing name. @param at where it is defined; empty if unknown. */
export function taken(message: string, at: string): AbilityError {
  return new AbilityError({
    code: 'scaffold.exists',
    message: `${message}${at && `, in ${at}`}; nothing was written`,
    suggestion: 'Choose another name, or edit that file.',
  });
}

/** @throws AbilityError `scaffold.exists` if the ability, profile, server or service is configured already. */
export function checkNewConfig(registry: Registry, value: z.output<typeof config>): void {
  const parts: [what: string, ids: string[], known: ReadonlyMap<string, Loaded<unknown>>][] = [
    ['a configuration of', value.abilities.map(({ id }) => id), registry.configs],
    ['a profile', Object.keys(value.env_profiles), registry.envProfiles],
    ['an MCP server', Object.keys(value.mcp_servers), registry.mcpServers],
    ['a service', Object.keys(value.services), registry.services],
  ];
  for (const [what, ids, known] of parts) {
    const id = ids.find((each) => known.has(each));
    if (id !== undefined) throw taken(`There is ${what} ${id} already`, known.get(id)?.file ?? '');
  }
}

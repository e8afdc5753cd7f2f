import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import type { SecretSource } from './secret-source.js';

/** Members of definitions that hold references to secrets, or maps of them. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set(['credentials', 'secrets', 'secret', 'webhook']);

const REFERENCE = /^(?:env|file):/;

/** The secrets that a project names anywhere, as far as they can be read where this runs. */
export function knownSecrets(registry: Registry, source: SecretSource): string[] {
  const { project, configs, envProfiles, mcpServers, services, implementations, operations, workflows } = registry;
  const loaded = [configs, envProfiles, mcpServers, services, implementations, operations];
  const values = loaded.flatMap((map) => [...map.values()].map(({ value }): unknown => value));
  const triggers = [...workflows.values()].map(({ value }) => value.triggers);
  const references = new Set([project, ...values, ...triggers].flatMap((value) => referencesIn(value, false)));
  return [...references].flatMap((reference) => {
    try {
      return source.has(reference) ? [source.resolve(reference, 'secret')] : [];
    } catch (error) {
      // A file outside of the project is no secret of it.
      if (error instanceof AbilityError) return [];
      throw error;
    }
  });
}

function referencesIn(value: unknown, isSecret: boolean): string[] {
  if (typeof value === 'string') return isSecret && REFERENCE.test(value) ? [value] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => referencesIn(item, isSecret || SECRET_MEMBERS.has(key)));
}

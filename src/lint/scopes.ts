import type { Registry } from '../definitions/registry.js';

/**
 * The environments of the project in which an ability may run: those of its scope, or all.
 * Source: R-000-28; docs/definitions.md#high-level-abilities.
 */
export function environmentsOf(
  { project }: Registry,
  { environments }: { environments?: string[] | undefined },
): string[] {
  const all = Object.keys(project.environments);
  return environments ? all.filter((name) => environments.includes(name)) : all;
}

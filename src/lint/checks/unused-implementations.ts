import type { Finding } from '../../contracts/findings.js';
import type { Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import type { LintedProject } from '../linted-project.js';

/** Finds implementations that no environment chooses, whatever else is right with them. Source: R-000-52. */
export function* checkUnusedImplementations({ registry }: LintedProject): Generator<Finding> {
  for (const { id, operation, from, path } of implementationBodies(registry)) {
    const why = whyUnused(registry, id, operation, path[0] === 'impl');
    if (why === undefined) continue;
    yield findingOf(
      'lint.implementation_unused',
      `Nothing uses the implementation ${id} of ${operation}: ${why}`,
      from.locate(path),
    );
  }
}

/** `impl` in the configuration is the only one; else one must be allowed somewhere. Source: C-19. */
function whyUnused(registry: Registry, id: string, operation: string, isShorthand: boolean): string | undefined {
  const config = registry.configs.get(operation)?.value;
  if (!config) return undefined;
  if (config.impl) return isShorthand ? undefined : '`impl` in the configuration is the only one';
  const levels = [config, ...Object.values(config.environments ?? {})];
  const lists = levels.flatMap(({ allowed_implementations: allowed }) => (allowed ? [allowed] : []));
  const isOpen = config.allowed_implementations === undefined;
  if (isOpen || lists.some((allowed) => allowed.includes(id))) return undefined;
  return 'it is not among `allowed_implementations`';
}

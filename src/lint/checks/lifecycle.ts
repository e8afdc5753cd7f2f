import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../contracts/findings.js';
import { loadedAbilities, loadedAbility, loadedComposites } from '../../definitions/find-ability.js';
import { type Loaded, type Registry, unreadable } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { describeUse, overviewsOf } from '../../planning/resolve/lifecycle.js';
import { callsOf } from '../../planning/steps/called-abilities.js';
import { modulePath } from '../../text/module-path.js';
import { didYouMean } from '../../text/nearest.js';
import type { LintedProject } from '../linted-project.js';

/**
 * Finds uses of experimental or deprecated abilities, and of those that cannot be run yet. Source: R-002-01, R-000-94,
 * C-50.
 */
export function* checkLifecycle({ registry }: LintedProject): Generator<Finding> {
  for (const [id, composite] of loadedComposites(registry)) {
    const { value } = composite;
    const { status } = value;
    if (value.type === 'workflow' && value.steps.length === 0)
      yield findingOf('lint.no_steps', `${id} has no steps, so it cannot be run`, composite.locate([]));
    for (const call of callsOf(value)) {
      const called = loadedAbility(registry, call.id)?.value;
      // Reports a call in a template once, not for each use.
      const { used_at: _, ...location } = composite.locate(call.path);
      for (const risky of ['deprecated', 'experimental'] as const) {
        // A deprecated ability may call deprecated ones.
        if (called?.status !== risky || status === risky) continue;
        const message = describeUse(`${id} calls`, call.id, risky, called.replaced_by);
        yield findingOf(`lint.ability_${risky}`, message, location);
      }
    }
  }
}

/** Checks references of module overviews, and the modules that scopes name. Source: R-002-02. */
export function* checkModules({ registry }: LintedProject): Generator<Finding> {
  const { modules } = registry;
  for (const [, ability] of loadedAbilities(registry)) yield* checkScopeModules(registry, ability);
  for (const overview of modules.values()) {
    const { id, path, depends_on = [], abilities = [] } = overview.value;
    const refuse = (message: string, at: PropertyKey[]): Finding =>
      findingOf('lint.module_reference', message, overview.locate(at));
    if (!isFolder(join(registry.root, path)))
      yield refuse(`There is no folder ${path}, where the module ${id} should be`, ['path']);
    for (const [index, name] of depends_on.entries()) {
      if (!isModule(registry, name))
        yield refuse(`The module ${id} depends on ${name}, which no overview describes`, ['depends_on', index]);
    }
    for (const [index, name] of abilities.entries()) {
      if (loadedAbility(registry, name) || registry.broken.has(`ability:${name}`)) continue;
      yield refuse(`The module ${id} lists the ability ${name}, which is not there`, ['abilities', index]);
    }
  }
}

type Scoped = Loaded<{ scope: { modules?: string[] | undefined }; status?: unknown }>;

function* checkScopeModules(registry: Registry, ability: Scoped): Generator<Finding> {
  const { scope, status } = ability.value;
  for (const [index, name] of (scope.modules ?? []).entries()) {
    const location = ability.locate(['scope', 'modules', index]);
    for (const { value } of overviewsOf(registry, [name])) {
      if (value.status !== 'deprecated' || status === 'deprecated') continue;
      const message = describeUse('The scope names the module', value.id, value.status, value.replaced_by);
      yield findingOf('lint.module_deprecated', message, location);
    }
    if (registry.modules.size === 0 || isModule(registry, name)) continue;
    const near = didYouMean(name, [...registry.modules.keys()]);
    yield findingOf('lint.module_unknown', `No file in modules/overview describes the module ${name}`, location, near);
  }
}

function isModule(registry: Registry, name: string): boolean {
  if (unreadable(registry, 'modules')) return true;
  const { modules, broken } = registry;
  const ids = [...modules.keys(), ...[...broken.keys()].flatMap((key) => /^module:(.*)$/s.exec(key)?.[1] ?? [])];
  return ids.some((id) => modulePath(id) === modulePath(name));
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

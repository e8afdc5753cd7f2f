import type { Registry } from '../definitions/registry.js';
import { implementationBodies } from '../planning/resolve/choose-implementation.js';
import { matchesAnyGlob } from '../text/glob.js';

/**
 * Tells in which environments an ability is planned alike, so that a project of thousands is planned no oftener than it
 * has to be.
 *
 * Only for operations carried out by scripts: where they have no settings of their own in an environment, nothing but
 * hooks that match on environments can make a difference.
 */
export class AlikeEnvironments {
  private readonly scripts: ReadonlySet<string>;
  private readonly hooksOf: ReadonlyMap<string, string>;

  constructor(private readonly registry: Registry) {
    const others = new Set<string>();
    const scripts = new Set<string>();
    for (const { operation, body } of implementationBodies(registry)) {
      (body.kind === 'script' ? scripts : others).add(operation);
    }
    this.scripts = new Set([...scripts].filter((operation) => !others.has(operation)));
    const patterns = [...registry.hooks.values()].flat().map(({ value }) => value.match?.environments);
    this.hooksOf = new Map(
      Object.keys(registry.project.environments).map((name) => [
        name,
        patterns.map((own) => (own && matchesAnyGlob(own, name) ? '1' : '0')).join(''),
      ]),
    );
  }

  /** One environment of each group in which an ability is planned alike, in their order. */
  oneOfEach(id: string, environments: readonly string[]): string[] {
    if (!this.scripts.has(id)) return [...environments];
    const settings = this.registry.configs.get(id)?.value.environments ?? {};
    const groups = new Map<string, string>();
    for (const name of environments) {
      const group = Object.hasOwn(settings, name) ? `own:${name}` : `hooks:${this.hooksOf.get(name)}`;
      if (!groups.has(group)) groups.set(group, name);
    }
    return [...groups.values()];
  }
}

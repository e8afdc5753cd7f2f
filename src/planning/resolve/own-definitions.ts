import { type Placement, placementsOf } from '../../contracts/names.js';
import { loadedComposite } from '../../definitions/find-ability.js';
import type { Registry } from '../../definitions/registry.js';
import { unlessRefused } from '../../text/attempt.js';
import { inferPlacement } from '../steps/placement.js';

/** What a client that has the definitions knows of an ability; those of the worker decide. */
export interface OwnDefinitions {
  /** Of all definitions. */
  digest: string;
  version: number | string;
  placement: Placement;
  module: string | undefined;
  summary: string | undefined;
}

/** Undefined for an ability that is unknown or broken here. */
export type DefinitionsReader = ((ability: string, environment: string) => OwnDefinitions | undefined) & {
  /** @throws AbilityError if `ability.yaml` is broken. */
  placements(): readonly Placement[];
};

/** Lets a client start a task on the queue of its placement. */
export function ownDefinitions(load: () => Registry): DefinitionsReader {
  const placements = (): readonly Placement[] => placementsOf(load().project);
  return Object.assign(
    (ability: string, environment: string) => {
      const registry = load();
      const found = registry.operations.get(ability) ?? loadedComposite(registry, ability);
      if (!found) return undefined;
      const { version, summary, scope } = found.value;
      return unlessRefused(() => {
        const { placement } = inferPlacement(registry, ability, environment);
        return { digest: registry.digest, version, placement, module: scope?.modules?.[0], summary };
      });
    },
    { placements },
  );
}

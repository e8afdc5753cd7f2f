import type { AbilityConfig } from '../../definitions/formats/config.js';
import type { ImplementationBody } from '../../definitions/formats/implementation.js';
import type { Loaded } from '../../definitions/registry.js';

/** An implementation that was chosen, before its references are resolved. */
export interface ChosenImplementation {
  id: string;
  body: ImplementationBody;
  from: Loaded<unknown>;
  /** Where the body stands in `from`. */
  path: PropertyKey[];
}

/** Settings of an ability in the environment of the plan. */
export type EnvironmentSettings = NonNullable<AbilityConfig['environments']>[string];

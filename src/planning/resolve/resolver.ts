import type { ImplementationBase } from '../../contracts/plan.js';
import type { Registry } from '../../definitions/registry.js';
import type { BodyOf, ImplementationOf, KindName, WrittenKindName } from '../../kinds/kind.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import type { ChosenImplementation, EnvironmentSettings } from './choose-implementation.js';

/** The suggestion where an expression uses a name that it may not. */
export const INSTEAD = 'Let a step of a workflow pass it as a parameter of the call.';

/** What a kind has in a plan besides what every kind has. */
export type Section<K extends KindName> = K extends KindName
  ? Omit<ImplementationOf<K>, keyof ImplementationBase>
  : never;

/** Where an implementation is used. */
export interface ResolveSite {
  registry: Registry;
  chosen: ChosenImplementation;
  settings: EnvironmentSettings | undefined;
  variables: EnvironmentVariables;
  /** Whether the contract has one. */
  hasOutputSchema: boolean;
}

/** Makes the part of a plan from a definition. @throws AbilityError `definition.*`, `config.*`, `script.*`, `denied.host`. */
export type Resolver<K extends WrittenKindName> = (body: BodyOf<K>, site: ResolveSite) => Section<K>;

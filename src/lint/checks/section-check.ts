import type { BodyOf, WrittenKindName } from '../../kinds/kind.js';
import { mapType, NULL, STRING, type Type, unite } from '../types/type.js';
import type { PlacedDiagnostic } from './expressions.js';

/** The names that every expression of an implementation has, with their types. */
export type Names = { input: Type; environment: Type };

/** Checks the expressions in the section of a kind. @param path of the section. */
export type SectionCheck<K extends WrittenKindName> = (
  body: BodyOf<K>,
  path: PropertyKey[],
  names: Names,
) => Iterable<PlacedDiagnostic>;

/** The names in a script's arguments; `task` has fewer fields than in a workflow. */
export function scriptNames(names: Names): Record<string, Type> {
  return { ...names, task: mapType({ key: unite(STRING, NULL), ability: STRING }) };
}

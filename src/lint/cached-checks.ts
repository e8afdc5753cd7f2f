import type { Finding } from '../contracts/findings.js';
import { type Ability, loadedAbilities } from '../definitions/find-ability.js';
import type { Loaded } from '../definitions/registry.js';
import type { YamlSource } from '../definitions/yaml-source.js';
import { type Check, ofFile } from './linted-project.js';

/** Checks one file at a time, using nothing else, so that findings of unchanged files are reused. */
export function ofEachSource(find: (source: YamlSource) => Iterable<Finding>): Check {
  const remember = remembering(find);
  return ({ sources }) => sources.flatMap((source) => remember(source, source.file, source));
}

/** A check that reads one ability's definition at a time and nothing else; cached like {@link ofEachSource}. */
export function ofEachAbility(find: (ability: Loaded<Ability>) => Iterable<Finding>): Check {
  const remember = remembering(find);
  return ({ registry }) =>
    loadedAbilities(registry).flatMap(([, ability]) => remember(ability.value, ability.file, ability));
}

function remembering<Subject>(find: (subject: Subject) => Iterable<Finding>) {
  const known = new WeakMap<object, readonly Finding[]>();
  return (identity: object, file: string, subject: Subject): readonly Finding[] => {
    const seen = known.get(identity);
    if (seen) return seen;
    const found = ofFile(file, () => find(subject));
    known.set(identity, found);
    return found;
  };
}

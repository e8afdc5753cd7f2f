import type { Finding } from '../contracts/findings.js';
import type { HighLevel } from '../definitions/formats/high-level.js';
import type { LowLevel } from '../definitions/formats/low-level.js';
import type { Loaded } from '../definitions/registry.js';
import type { YamlSource } from '../definitions/yaml-source.js';
import { type Check, ofFile } from './linted-project.js';

/**
 * A check of one file at a time.
 *
 * An unchanged file is the same source at the next lint, so its findings are reused and a lint after an edit costs little. The check must
 * not depend on anything else.
 */
export function ofEachSource(find: (source: YamlSource) => Iterable<Finding>): Check {
  const remember = remembering(find);
  return ({ sources }) => sources.flatMap((source) => remember(source, source.file, source));
}

/** A check that looks at one ability at a time, and at nothing but its definition; remembered as a source is. */
export function ofEachAbility(find: (ability: Loaded<LowLevel | HighLevel>) => Iterable<Finding>): Check {
  const remember = remembering(find);
  return ({ registry }) =>
    [...registry.operations.values(), ...registry.workflows.values()].flatMap((ability) =>
      remember(ability.value, ability.file, ability),
    );
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

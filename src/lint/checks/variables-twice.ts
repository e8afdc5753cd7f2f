import type { Finding } from '../../contracts/findings.js';
import { findingOf } from '../../planning/finding-of.js';
import type { LintedProject } from '../linted-project.js';

/** Finds variables that a profile takes from two places, of which one is lost. Source: docs/definitions.md. */
export function* checkVariablesTwice({ registry }: LintedProject): Generator<Finding> {
  for (const [id, profile] of registry.envProfiles) {
    const { pass, set, secrets } = profile.value;
    const found = [
      ...Object.keys(set).flatMap((name) =>
        pass.includes(name) ? [{ name, places: 'passed and set', key: 'set' }] : [],
      ),
      ...Object.keys(secrets).flatMap((name) => {
        const other = Object.hasOwn(set, name) ? 'set' : pass.includes(name) ? 'passed' : undefined;
        return other ? [{ name, places: `${other} and a secret`, key: 'secrets' }] : [];
      }),
    ];
    for (const { name, places, key } of found) {
      const location = profile.locate([key, name], 'key');
      yield findingOf('lint.variable_twice', `The profile ${id} gives ${name} twice: it is ${places}`, location);
    }
  }
}

import { EFFECTS } from '../../contracts/effects.js';
import type { Finding } from '../../contracts/findings.js';
import { formatLocation } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import type { LintedProject } from '../linted-project.js';

/** Names that everybody takes for the environment where it matters. */
const PRODUCTION = /^(prod|production|prd|live)([_-]|$)/;

/** Finds environments that guard less than they seem to. Source: docs/definitions.md; docs/approvals.md#who-may-decide. */
export function* checkEnvironments({ registry }: LintedProject): Generator<Finding> {
  for (const [name, { approve, protected: isProtected }] of Object.entries(registry.project.environments)) {
    const path = ['environments', name];
    if (PRODUCTION.test(name) && !isProtected && !isWritten(registry, path, 'protected')) {
      const message = `${name} is called like production, and is not protected`;
      yield findingOf('lint.environment_unprotected', message, registry.locateInProject(path));
    }
    const mildest = Math.min(...approve.map((effect) => EFFECTS.indexOf(effect)));
    const missing = EFFECTS.filter((effect, grade) => grade > mildest && !approve.includes(effect));
    if (missing.length === 0) continue;
    const message = `${name} asks for approval of ${EFFECTS[mildest]}, and not of ${missing.join(' and ')}, which is graver`;
    yield findingOf('lint.approve_gap', message, registry.locateInProject([...path, 'approve']));
  }
}

/** Whether somebody wrote a key, as opposed to its default: what is not there is located where the map is. */
function isWritten({ locateInProject }: Registry, path: PropertyKey[], key: string): boolean {
  return formatLocation(locateInProject([...path, key])) !== formatLocation(locateInProject(path));
}

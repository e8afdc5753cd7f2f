import { isRepeatable } from '../../contracts/effects.js';
import type { Finding } from '../../contracts/findings.js';
import { findingOf } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { nearestNames } from '../../text/nearest.js';
import type { LintedProject } from '../linted-project.js';

/** Tags that mean something to this program and to its examples. Source: docs/definitions.md. */
export const KNOWN_TAGS: readonly string[] = ['fast', 'deprecated', 'experimental', 'high-cost'];

/** Finds tags that do nothing although somebody counts on them. */
export function* checkTags({ registry }: LintedProject): Generator<Finding> {
  for (const { body, operation, from, path } of implementationBodies(registry)) {
    const effects = registry.operations.get(operation)?.value.effects;
    for (const [index, tag] of (body.tags ?? []).entries()) {
      const location = from.locate([...path, 'tags', index]);
      if (tag === 'fast' && effects && (!isRepeatable(effects) || effects === 'external_read')) {
        const message = `\`fast\` does nothing for ${operation}, whose effect is ${effects}`;
        const fix = 'Take it out; only `read` and `write_idempotent` calls are made without a round trip.';
        yield findingOf('lint.tag_idle', message, location, fix);
      } else if (!KNOWN_TAGS.includes(tag)) {
        const near = nearestTag(tag);
        if (near === undefined) continue;
        yield findingOf('lint.tag_idle', `\`${tag}\` is not the tag \`${near}\``, location, `Write \`${near}\`.`);
      }
    }
  }
}

/** `high_cost`, `Fast` and `depricated` are slips; `breakfast` is a word of its own. */
function nearestTag(tag: string): string | undefined {
  const plain = tag.toLowerCase().replaceAll('_', '-');
  if (KNOWN_TAGS.includes(plain)) return plain;
  return nearestNames(plain, KNOWN_TAGS).find((near) => near.length > 4 && Math.abs(near.length - plain.length) <= 2);
}

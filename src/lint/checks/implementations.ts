import { isRepeatable } from '../../contracts/effects.js';
import type { Finding } from '../../contracts/findings.js';
import type { ImplementationBody } from '../../definitions/formats/implementation.js';
import type { Registry } from '../../definitions/registry.js';
import { writtenKindOf } from '../../kinds/kinds.js';
import { findingOf } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { nearestNames } from '../../text/nearest.js';
import type { LintedProject } from '../linted-project.js';

const CHANGING_WORDS =
  /(^|[^a-z])(delete|drop|purge|destroy|wipe|truncate|erase|terminate|remove|uninstall)([^a-z]|$)/i;

/** Words that turn {@link CHANGING_WORDS} into nouns: `list_delete_requests`, `check-drop`. */
const LOOKING_WORDS =
  /(^|[^a-z])(get|list|read|find|search|check|count|query|show|status|preview|plan|dry|can|is)([^a-z]|$)/i;

/** Finds read abilities whose implementation seems to change something. Source: R-000-27. */
export function* checkEffects({ registry }: LintedProject): Generator<Finding> {
  for (const { body, operation, from, path } of implementationBodies(registry)) {
    const contract = registry.operations.get(operation)?.value;
    if (contract?.effects !== 'read' && contract?.effects !== 'external_read') continue;
    const why = whyItChanges(body, operation);
    if (!why) continue;
    const message = `${operation} states \`effects: ${contract.effects}\`, and ${why.message}`;
    yield findingOf('lint.effect_too_mild', message, from.locate([...path, ...why.path]));
  }
}

function whyItChanges(body: ImplementationBody, operation: string): { message: string; path: string[] } | undefined {
  const sign = writtenKindOf(body).signOfChange(body, isChanging);
  return sign ?? (isChanging(operation) ? { message: 'its name says otherwise', path: ['kind'] } : undefined);
}

function isChanging(name: string): boolean {
  return CHANGING_WORDS.test(name) && !LOOKING_WORDS.test(name);
}

/** Tags that have an effect here or that the examples use. */
export const KNOWN_TAGS: readonly string[] = ['fast', 'deprecated', 'experimental', 'high-cost'];

/** Finds tags that have no effect, or that are misspelt. */
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
        yield findingOf('lint.tag_idle', `\`${tag}\` is not the tag \`${near}\``, location, `Use \`${near}\`.`);
      }
    }
  }
}

/** The tag meant by `high_cost`, `Fast` or `depricated`; undefined for other words, such as `breakfast`. */
function nearestTag(tag: string): string | undefined {
  const plain = tag.toLowerCase().replaceAll('_', '-');
  if (KNOWN_TAGS.includes(plain)) return plain;
  return nearestNames(plain, KNOWN_TAGS).find((near) => near.length > 4 && Math.abs(near.length - plain.length) <= 2);
}

/** Finds implementations that no environment chooses, valid or not. Source: R-000-52. */
export function* checkUnusedImplementations({ registry }: LintedProject): Generator<Finding> {
  for (const { id, operation, from, path } of implementationBodies(registry)) {
    const why = whyUnused(registry, id, operation, path[0] === 'impl');
    if (why === undefined) continue;
    const message = `Nothing uses the implementation ${id} of ${operation}: ${why}`;
    yield findingOf('lint.implementation_unused', message, from.locate(path));
  }
}

/** An `impl` in the configuration excludes all others; else some environment must allow it. Source: C-19. */
function whyUnused(registry: Registry, id: string, operation: string, isShorthand: boolean): string | undefined {
  const config = registry.configs.get(operation)?.value;
  if (!config) return undefined;
  if (config.impl) return isShorthand ? undefined : '`impl` in the configuration is the only one';
  const levels = [config, ...Object.values(config.environments ?? {})];
  const lists = levels.flatMap(({ allowed_implementations: allowed }) => (allowed ? [allowed] : []));
  const isOpen = config.allowed_implementations === undefined;
  if (isOpen || lists.some((allowed) => allowed.includes(id))) return undefined;
  return 'it is not among `allowed_implementations`';
}

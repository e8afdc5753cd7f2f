import type { Finding } from '../../contracts/findings.js';
import { abilityIds } from '../../definitions/find-ability.js';
import type { Registry } from '../../definitions/registry.js';
import { listSpecialists } from '../../definitions/specialists.js';
import { findingOf } from '../../planning/finding-of.js';
import { didYouMean } from '../../text/nearest.js';
import type { LintedProject } from '../linted-project.js';

/** Checks references of packs, and that each own capability has a pack. Source: R-004-13, R-004-14. */
export function* checkSpecialists({ registry }: LintedProject): Generator<Finding> {
  const { capabilities, packs } = listSpecialists(registry);
  if (!isOpaque(registry, 'low-level', 'high-level')) yield* checkWorkflows(registry);
  if (!isOpaque(registry, 'capabilities')) {
    const known = capabilities.map(({ id }) => id);
    for (const [id, pack] of registry.packs) {
      for (const [index, name] of pack.value.capabilities.entries()) {
        if (known.includes(name) || registry.broken.has(`capability:${name}`)) continue;
        const message = `The pack ${id} has the capability ${name}, which is not there`;
        const near = didYouMean(name, known);
        yield findingOf('lint.pack_capability_unknown', message, pack.locate(['capabilities', index]), near);
      }
    }
  }
  if (isOpaque(registry, 'packs')) return;
  for (const [id, capability] of registry.capabilities) {
    if (packs.some((pack) => pack.capabilities.includes(id))) continue;
    yield findingOf('lint.capability_unprovided', `No pack has the capability ${id}`, capability.locate([], 'key'));
  }
}

function* checkWorkflows(registry: Registry): Generator<Finding> {
  const known = abilityIds(registry);
  for (const [id, pack] of registry.packs) {
    const { workflow } = pack.value;
    if (known.includes(workflow) || registry.broken.has(`ability:${workflow}`)) continue;
    const message = `The pack ${id} runs ${workflow}, which is not there`;
    const near = didYouMean(workflow, known);
    yield findingOf('lint.pack_workflow_missing', message, pack.locate(['workflow']), near);
  }
}

/** Whether a broken file may hold a missing definition, or duplicates hide it. */
function isOpaque({ opaque, broken }: Registry, ...kinds: string[]): boolean {
  if (kinds.includes('packs') && [...broken.keys()].some((key) => key.startsWith('pack:'))) return true;
  return opaque.some(({ kind }) => kinds.includes(kind));
}

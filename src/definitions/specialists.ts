import { AbilityError, type Problem, type SourceLocation } from '../contracts/problem.js';
import { BUILT_IN_CAPABILITIES, BUILT_IN_PACKS } from './built-in-specialists.js';
import type { CapabilityDefinition } from './formats/capabilities.js';
import type { PackDefinition } from './formats/packs.js';
import type { Loaded, Registry } from './registry.js';

/** Where a capability or a pack comes from; null: it is built in. */
interface Origin {
  from: SourceLocation | null;
}

/** What a pack can be able to do, and the words of requests that need it. Source: R-004-01. */
export interface Capability extends CapabilityDefinition, Origin {
  id: string;
}

/** A specialist to recruit. Source: R-004-14. */
export interface Pack extends PackDefinition, Origin {
  id: string;
}

/** What there is to recruit by, the first first. */
export interface Specialists {
  capabilities: Capability[];
  packs: Pack[];
}

/** The built-in capabilities and packs and those of a project: of the same id in place, others behind. Source: C-48. */
export function listSpecialists({ capabilities, packs }: Pick<Registry, 'capabilities' | 'packs'>): Specialists {
  return { capabilities: inOrder(BUILT_IN_CAPABILITIES, capabilities), packs: inOrder(BUILT_IN_PACKS, packs) };
}

/**
 * The same, to recruit by.
 *
 * @throws AbilityError with what is broken of them: among the rest another pack would be recruited than the one that was meant.
 */
export function readSpecialists(registry: Registry): Specialists {
  const problem = problemOf(registry);
  if (problem) throw new AbilityError(problem);
  return listSpecialists(registry);
}

function problemOf({ opaque, broken }: Registry): Problem | undefined {
  const unreadable = opaque.find(({ kind }) => kind === 'capabilities' || kind === 'packs')?.problem;
  const [, twice] = [...broken].find(([key]) => /^(capability|pack):/.test(key)) ?? [];
  return unreadable ?? twice;
}

function inOrder<T extends object>(
  builtIn: Readonly<Record<string, T>>,
  own: ReadonlyMap<string, Loaded<T>>,
): (T & Origin & { id: string })[] {
  const ids = [...new Set([...Object.keys(builtIn), ...own.keys()])];
  return ids.flatMap((id) => {
    const loaded = own.get(id);
    const value = loaded?.value ?? builtIn[id];
    return value ? [{ ...value, id, from: loaded?.locate([], 'key') ?? null }] : [];
  });
}

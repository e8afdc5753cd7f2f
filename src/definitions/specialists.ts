import { AbilityError, type Problem, type SourceLocation } from '../contracts/problem.js';
import type { CapabilityDefinition, PackDefinition } from './formats/specialists.js';
import { type Loaded, type Registry, unreadable } from './registry.js';

/** Where a capability or a pack is defined; null: built in. */
interface Origin {
  from: SourceLocation | null;
}

/** An ability of packs, and the words of requests that need it. Source: R-004-01. */
export interface Capability extends CapabilityDefinition, Origin {
  id: string;
}

/** A specialist to recruit. Source: R-004-14. */
export interface Pack extends PackDefinition, Origin {
  id: string;
}

export interface Specialists {
  capabilities: Capability[];
  packs: Pack[];
}

/** Built-in capabilities and packs, then those of a project; the same id replaces. Source: C-48. */
export function listSpecialists({ capabilities, packs }: Pick<Registry, 'capabilities' | 'packs'>): Specialists {
  return { capabilities: inOrder(BUILT_IN_CAPABILITIES, capabilities), packs: inOrder(BUILT_IN_PACKS, packs) };
}

/** As {@link listSpecialists}. @throws AbilityError if any is broken: the wrong pack would be recruited. */
export function readSpecialists(registry: Registry): Specialists {
  const problem = problemOf(registry);
  if (problem) throw new AbilityError(problem);
  return listSpecialists(registry);
}

/** The pack whose workflow is among the abilities, the preferred one first; null: none. Source: R-004-21. */
export function packOf(registry: Registry, preferred: string, abilities: readonly string[]): string | null {
  const packs = listSpecialists(registry).packs.filter(({ workflow }) => abilities.includes(workflow));
  return (packs.find(({ id }) => id === preferred) ?? packs[0])?.id ?? null;
}

function problemOf(registry: Registry): Problem | undefined {
  const [, twice] = [...registry.broken].find(([key]) => /^(capability|pack):/.test(key)) ?? [];
  return unreadable(registry, 'capabilities', 'packs') ?? twice;
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

/** The built-in capabilities, in the order of the source. Source: R-004-02 to R-004-07; C-41. */
export const BUILT_IN_CAPABILITIES: Readonly<Record<string, CapabilityDefinition>> = {
  code_execution: {
    description: 'Run shell commands, compile code, execute scripts.',
    keywords: ['build', 'implement', 'code', 'service', 'pipeline', 'kubernetes', 'deploy', 'python', 'scala'],
  },
  software_testing: {
    description: 'Write and run tests.',
    keywords: ['test', 'pytest', 'unittest', 'coverage', 'tdd'],
  },
  file_io: {
    description: 'Read, write, and list files in the workspace.',
    keywords: ['read file', 'write file', 'create file', 'list files'],
  },
  systematic_review: {
    description: 'Search, screen, extract, and synthesise literature.',
    keywords: ['literature', 'systematic review', 'paper', 'arxiv', 'survey', 'bibliography', 'citations'],
  },
  citation_extraction: {
    description: 'Extract and format references and bibliographies.',
    keywords: ['citations', 'references', 'bibliography'],
  },
  web_search: {
    description: 'Search the web and fetch URLs.',
    keywords: ['search the web', 'web search', 'fetch url', 'browse the internet'],
    needs: 'network',
  },
};

/**
 * Packs without a file. The source leaves their keywords open, so they are those of the first capability, and
 * count where a project has removed that capability.
 */
const BUILT_IN_PACKS: Readonly<Record<string, PackDefinition>> = {
  engineering: {
    description: 'Builds, runs and tests software.',
    keywords: ['build', 'implement', 'code', 'service', 'pipeline', 'kubernetes', 'deploy', 'python', 'scala'],
    workflow: 'engineering',
    capabilities: ['code_execution', 'software_testing', 'file_io'],
  },
  research: {
    description: 'Finds, reads and sums up literature and pages of the web.',
    keywords: ['literature', 'systematic review', 'paper', 'arxiv', 'survey', 'bibliography', 'citations'],
    workflow: 'research',
    capabilities: ['systematic_review', 'citation_extraction', 'file_io', 'web_search'],
  },
};

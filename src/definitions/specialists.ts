import { AbilityError, type Problem, type SourceLocation } from '../contracts/problem.js';
import type { CapabilityDefinition, PackDefinition } from './formats/specialists.js';
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
 * @throws AbilityError with the broken ones: from the rest, a pack other than the intended one would be recruited.
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

/** The capabilities that there are without a file, in the order of the source. Source: R-004-02 to R-004-07; C-41. */
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
 * The packs that there are without a file. Their keywords, which the source leaves open, are those of their first capability: they
 * count where a project has taken that capability away.
 */
export const BUILT_IN_PACKS: Readonly<Record<string, PackDefinition>> = {
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

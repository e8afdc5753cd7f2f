import type { CapabilityDefinition } from './formats/capabilities.js';
import type { PackDefinition } from './formats/packs.js';

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

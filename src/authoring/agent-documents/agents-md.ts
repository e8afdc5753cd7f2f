import { fillTemplate } from '../fill-template.js';
import { marked } from './marked-text.js';

/** The implementation log of AI developers, relative to the project root. Source: R-003-26. */
export const LOG_FILE = 'docs/IMPLEMENTATION_LOG.md';

/** Name of the skill and its folder, which agentskills.io requires to be equal. */
export const SKILL_NAME = 'ability-runtime';

export const SKILL_FILE = 'SKILL.md';

const SKILL_DESCRIPTION =
  'How to find, run and add the operations (abilities) of a project with Ability Runtime, under its guards and approvals. Use when the user asks for something that a script, service, tool or workflow of the project does, when a project has an ability.yaml or ABILITY.md, or when an ability command ends with an exit code or a signal to be understood.';

export function runtimeRulesFile(registry: string): string {
  return `${registry}/AGENTS.md`;
}

/**
 * What we write into a document for AIs, between its markers. At the root, `AGENTS.md` leads to that beside the
 * definitions (R-002-56 to R-002-60, C-45, C-46); the skill has its rules in the format of agentskills.io.
 * @param registry relative.
 */
export function rulesFor(registry: string, document: 'root' | 'runtime' | 'skill'): string {
  const values = { REGISTRY: registry, RUNTIME_RULES: runtimeRulesFile(registry), LOG: LOG_FILE };
  const filled = (path: string): string => fillTemplate(path, values).trimEnd();
  const parts = { RULES: filled('agents/rules.md'), WORK: filled('agents/work.md') };
  return marked(fillTemplate(`agents/${document}.md`, { ...values, ...parts }));
}

export function skillMd(registry: string): string {
  return `---\nname: ${SKILL_NAME}\ndescription: ${SKILL_DESCRIPTION}\n---\n\n${rulesFor(registry, 'skill')}`;
}

export function newAgentDocuments(registry: string): Record<string, string> {
  return {
    'AGENTS.md': `# How AI developers work with this project\n\n${rulesFor(registry, 'root')}`,
    [runtimeRulesFile(registry)]: `# Rules of Ability Runtime for AI developers\n\n${rulesFor(registry, 'runtime')}`,
    [LOG_FILE]: fillTemplate('agents/log.md'),
  };
}

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

/** The short part at the root that leads to the runtime's rules. @param registry relative. Source: R-002-56. */
export function rootRules(registry: string): string {
  return marked(part('root', registry));
}

/** Generated part of `AGENTS.md` beside the definitions. Source: R-002-56 to R-002-60, C-45, C-46. */
export function runtimeRules(registry: string): string {
  return marked(part('runtime', registry));
}

/** The skill: the rules of `AGENTS.md` in the format of agentskills.io. */
export function skillMd(registry: string): string {
  return `---\nname: ${SKILL_NAME}\ndescription: ${SKILL_DESCRIPTION}\n---\n\n${marked(part('skill', registry))}`;
}

export function newAgentDocuments(registry: string): Record<string, string> {
  return {
    'AGENTS.md': `# How AI developers work with this project\n\n${rootRules(registry)}`,
    [runtimeRulesFile(registry)]: `# Rules of Ability Runtime for AI developers\n\n${runtimeRules(registry)}`,
    [LOG_FILE]: fillTemplate('agents/log.md'),
  };
}

function part(name: 'root' | 'runtime' | 'skill', registry: string): string {
  const values = { REGISTRY: registry, RUNTIME_RULES: runtimeRulesFile(registry), LOG: LOG_FILE };
  const filled = (path: string): string => fillTemplate(path, values).trimEnd();
  const parts = { RULES: filled('agents/rules.md'), WORK: filled('agents/work.md') };
  return fillTemplate(`agents/${name}.md`, { ...values, ...parts });
}

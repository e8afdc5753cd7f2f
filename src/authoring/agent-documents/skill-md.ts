import { rulesOf, withHeading } from './agents-md.js';
import { marked } from './marked-text.js';
import { type Rules, workRules } from './rules.js';

/** Name of the skill, and of its folder, as agentskills.io wants both alike. */
export const SKILL_NAME = 'ability-runtime';

/** The file of a skill in its folder. */
export const SKILL_FILE = 'SKILL.md';

const DESCRIPTION =
  'How to find, run and add the operations (abilities) of a project with Ability Runtime, under its guards and approvals. Use when the user asks for something that a script, service, tool or workflow of the project does, when a project has an ability.yaml or ABILITY.md, or when an ability command ends with an exit code or a signal to be understood.';

/**
 * The skill: the same rules as `AGENTS.md`, in the form of agentskills.io.
 *
 * @param registry the folder of the definitions, relative to the project root.
 */
export function skillMd(registry: string): string {
  const parts = [...rulesOf(registry), toolRules(), workRules()];
  const body = `# Working with Ability Runtime\n\n${parts.map(withHeading).join('\n\n')}`;
  return `---\nname: ${SKILL_NAME}\ndescription: ${DESCRIPTION}\n---\n\n${marked(body)}`;
}

/** How the commands are called where an agent has the MCP door and no shell. */
function toolRules(): Rules {
  return {
    title: 'Without a shell: the MCP door',
    text: `The tools of \`ability mcp\` do the same, with the same rules; results say \`status\`, \`code\`, \`reason\` and \`suggestion\` in place of exit codes.

| Tool | As the command |
|---|---|
| \`session_prompt\` | \`ability session prompt\`: its answer has the \`turn_context\` |
| \`ability_search\` | \`ability route\` |
| \`ability_describe\` | \`ability show\` |
| \`ability_plan\` | \`ability plan\` |
| \`ability_run\` | \`ability run\`; what takes long gives a handle |
| \`task_status\`, \`task_result\` | \`ability task show\`, \`ability task watch\` |
| \`task_cancel\` | \`ability task cancel\` |
| \`approvals_list\` | \`ability approvals\`: what waits, and for whom; no tool decides |`,
  };
}

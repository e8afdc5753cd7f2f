import { marked } from './marked-text.js';
import {
  askRules,
  changeRules,
  findRules,
  firstRules,
  LOG_FILE,
  type Rules,
  refusalRules,
  runRules,
  runtimeRulesFile,
  signalRules,
  workRules,
} from './rules.js';

/**
 * The kept part of `AGENTS.md` at the root: short, it leads to the runtime's own rules. Source: R-002-56.
 *
 * @param registry the folder of the definitions, relative to the project root.
 */
export function rootRules(registry: string): string {
  const runtime = runtimeRulesFile(registry);
  return marked(`The operations of this project are *abilities*: scripts, MCP tools, HTTP calls and workflows, each under a contract, run by Ability
Runtime as durable tasks. Before you call, add or change one, read [${runtime}](${runtime}): the rules of the runtime, its commands, exit codes
and signals. In short: act only through \`ability\`, never decide an approval, never go round a denial, and never edit \`${registry}/\` yourself.

${withHeading(workRules())}`);
}

/** The kept part of `AGENTS.md` beside the definitions: the rules of the runtime. Source: R-002-56 to R-002-60. */
export function runtimeRules(registry: string): string {
  return marked(`The operations of this project are *abilities*. Ability Runtime is their only Tool Runner and Hook Runner, and runs them as durable
tasks; \`ability.yaml\` names the environments.

${rulesOf(registry).map(withHeading).join('\n\n')}`);
}

/** All rules of the runtime, in the order in which they are read. */
export function rulesOf(registry: string): Rules[] {
  return [
    firstRules(registry),
    findRules(),
    runRules(),
    refusalRules(),
    signalRules(),
    askRules(),
    changeRules(registry),
  ];
}

/** A part of the rules below its heading. */
export function withHeading({ title, text }: Rules): string {
  return `## ${title}\n\n${text}`;
}

/** A new `AGENTS.md` at the root. */
export function newRootDocument(registry: string): string {
  return `# How AI developers work with this project\n\n${rootRules(registry)}`;
}

/** A new `AGENTS.md` beside the definitions. */
export function newRuntimeDocument(registry: string): string {
  return `# Rules of Ability Runtime for AI developers\n\n${runtimeRules(registry)}`;
}

/** A new log of what was done. Source: R-003-26. */
export const NEW_LOG = `# Implementation log

What was done in this project, the newest last. Whoever works on it reads the last 150 lines before, and adds an entry after (AGENTS.md).
An entry has a heading with its date, and says what was done and why, the keys of tasks that show it, and what is left:

    ## YYYY-MM-DD What was done
`;

/** The files that a project has for AIs, new, by their paths. */
export function newAgentDocuments(registry: string): Record<string, string> {
  return {
    'AGENTS.md': newRootDocument(registry),
    [runtimeRulesFile(registry)]: newRuntimeDocument(registry),
    [LOG_FILE]: NEW_LOG,
  };
}

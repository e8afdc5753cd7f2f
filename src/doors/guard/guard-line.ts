import { AGENT_TOOLS, type AgentTool } from './agent-tools.js';

export interface GuardLine {
  tool: AgentTool;
  project?: string;
  env?: string;
  scope?: string;
}

/**
 * Reads the flags of `guard` without the command parser, which would double the loading time.
 * @returns undefined for anything else, which is left to that parser.
 */
export function readGuardLine([command, ...args]: readonly string[]): GuardLine | undefined {
  if (command !== 'guard' || args.length % 2 !== 0) return undefined;
  const given = new Map<string, string>();
  for (let at = 0; at < args.length; at += 2) {
    const [flag = '', value = ''] = args.slice(at, at + 2);
    const name = /^--(for|project|env|scope)$/.exec(flag)?.[1];
    if (name === undefined || value.startsWith('-') || given.has(name)) return undefined;
    given.set(name, value);
  }
  const { for: tool, ...rest } = Object.fromEntries(given);
  const known = AGENT_TOOLS.find((each) => each === tool);
  return known && { tool: known, ...rest };
}

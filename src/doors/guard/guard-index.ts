import type { Json, JsonObject } from '../../contracts/json.js';
import type { PlanHook } from '../../contracts/plan.js';
import type { HookFacts } from '../../rules/hooks/handlers.js';

/** The reaction to a call that bypasses the runtime. Source: R-002-57, R-002-58. */
export type BypassLevel = 'deny' | 'warn' | 'off';

/** `policy.bypass` with every default filled in. */
export interface Bypass {
  /** Scripts, endpoints and MCP tools of abilities. */
  abilities: BypassLevel;
  /** Definitions, `ability.yaml` and the files of the runtime. */
  registry: BypassLevel;
  /** Approvals, keys, and signals past the runtime. */
  decisions: BypassLevel;
}

/** The protected places, and the guards for an agent's calls; made from the files of a project. */
export interface GuardIndex {
  environment: string;
  bypass: Bypass;
  /** Folders of definitions, relative to the project. */
  registry: string;
  hooks: string;
  /** Files of definitions, relative to the project. */
  files: string[];
  /** Settings of agents' tools, and files of variables, relative to the project. */
  settings: string[];
  /** Paths are relative to the project. */
  scripts: { ability: string; path: string; args: string[] }[];
  /** `env:NAME` stands for an address that only the environment knows. */
  endpoints: { ability: string; url: string }[];
  tools: RegisteredTool[];
  /** The agent tools as which hooks see abilities; evaluated in reverse. */
  mappings: { ability: string; hook: string; tool_name: string; tool_input: Json }[];
  /** Abilities guarded by expressions only, which run without loading anything else. */
  guarded: Record<string, GuardedAbility>;
  /** Unreadable files, which may hide a guard. */
  faults: string[];
  /** Agents' tools that an unreadable file of hooks mentions. */
  unreadableTools: string[];
}

export interface RegisteredTool {
  ability: string;
  server: string;
  tool: string;
  /** The server's command or address, as definitions state it. */
  at: string;
}

export interface GuardedAbility {
  hooks: PlanHook[];
  /** Without those of a call. */
  facts: HookFacts;
  /** Values of inputs that a call leaves out. */
  defaults: JsonObject;
}

import type { Json, JsonObject } from '../../contracts/json.js';
import type { PlanHook } from '../../contracts/plan.js';

/** The reaction to a call that bypasses the runtime. Source: R-002-57, R-002-58. */
export type BypassLevel = 'deny' | 'warn' | 'off';

/** `policy.bypass`, every part of it decided. */
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
  /** By path, relative to the project. */
  scripts: { ability: string; path: string }[];
  /** Addresses; `env:NAME` names one that only the environment knows. */
  endpoints: { ability: string; url: string }[];
  tools: RegisteredTool[];
  /** As which tools of agents hooks see abilities, which is read backwards. */
  mappings: { ability: string; hook: string; tool_name: string; tool_input: Json }[];
  /** Abilities whose guards are expressions alone, so that nothing else must be loaded to run them. */
  guarded: Record<string, GuardedAbility>;
  /** Unreadable files, which may hide a guard. */
  faults: string[];
  /** Names of agents' tools that a file of hooks mentions that could not be read. */
  unreadableTools: string[];
}

/** An MCP tool that an ability calls. */
export interface RegisteredTool {
  ability: string;
  server: string;
  tool: string;
  /** How the server is reached, as definitions say it. */
  at: string;
}

/** The input of one ability's guards, besides the call's input. */
export interface GuardedAbility {
  hooks: PlanHook[];
  /** Facts of the ability in this environment, by the names that expressions know. */
  facts: Record<string, Json>;
  /** Under the input. */
  defaults: JsonObject;
  cel: string;
}

import type { Phase } from '../contracts/hooks.js';
import type { Problem, SourceLocation } from '../contracts/problem.js';
import type { AgentProfile } from './formats/agent.js';
import type { AbilityConfig, EnvProfile, McpServer, Service } from './formats/config.js';
import type { HighLevel } from './formats/high-level.js';
import type { HookDefinition, HookImpl } from './formats/hooks.js';
import type { ImplementationDocument } from './formats/implementation.js';
import type { LowLevel } from './formats/low-level.js';
import type { ModuleOverview } from './formats/module.js';
import type { Project } from './formats/project.js';
import type { CapabilityDefinition, PackDefinition } from './formats/specialists.js';

/** A definition with the place it came from. */
export interface Loaded<T> {
  value: T;
  /** Relative to the project root. */
  file: string;
  /** The place of a part of the definition; the path begins at the definition. */
  locate(path: readonly PropertyKey[], part?: 'value' | 'key'): SourceLocation;
}

/** All definitions of a project, with the broken ones apart. Source: docs/definitions.md#what-a-broken-file-stops. */
export interface Registry {
  project: Project;
  /** Absolute path of the folder with `ability.yaml`. */
  root: string;
  locateInProject(path: readonly PropertyKey[]): SourceLocation;
  operations: Map<string, Loaded<LowLevel>>;
  workflows: Map<string, Loaded<HighLevel>>;
  /** Profiles of agents; they share the namespace of abilities. */
  agents: Map<string, Loaded<AgentProfile>>;
  implementations: Map<string, Loaded<ImplementationDocument>>;
  configs: Map<string, Loaded<AbilityConfig>>;
  envProfiles: Map<string, Loaded<EnvProfile>>;
  mcpServers: Map<string, Loaded<McpServer>>;
  services: Map<string, Loaded<Service>>;
  hooks: Map<Phase, Loaded<HookDefinition>[]>;
  /** Handlers in a file of their own, by the id of the hook. */
  hookImpls: Map<string, Loaded<HookImpl>>;
  /** By id. */
  modules: Map<string, Loaded<ModuleOverview>>;
  /** What the project says of capabilities, by id and in the order of the file; the built-in ones are not among them. */
  capabilities: Map<string, Loaded<CapabilityDefinition>>;
  /** The same of packs. */
  packs: Map<string, Loaded<PackDefinition>>;
  /** What cannot be used, by `<kind>:<id>`, with the reason. */
  broken: Map<string, Problem>;
  /** Files so broken that their definitions are unknown; everything they might define is unavailable. */
  opaque: { kind: FileKindName; problem: Problem }[];
  /** Every problem, in the order of the files. */
  problems: Problem[];
  /** SHA-256 over the paths and bytes of all files of the project. */
  digest: string;
}

/** The kinds of files a registry has. */
export type FileKindName =
  | 'low-level'
  | 'high-level'
  | 'implementations'
  | 'config'
  /** `config/hooks_impl.yaml`. */
  | 'hooks-impl'
  | 'hooks'
  /** `modules/overview`, beside the registry. */
  | 'modules'
  /** `capabilities.yaml` of the registry. */
  | 'capabilities'
  /** `packs.yaml` of the registry, or the file that is named in its place. */
  | 'packs';

/** What the ids of {@link Registry.broken} begin with. */
export type BrokenKind =
  | 'ability'
  | 'implementation'
  /** A broken implementation, by the operation it belongs to. */
  | 'implementation_of'
  | 'config'
  | 'env_profile'
  | 'mcp_server'
  | 'service'
  | 'hooks'
  /** A handler in a file of its own, by the id of its hook. */
  | 'hook_impl'
  | 'module'
  | 'capability'
  | 'pack'
  /** `placement` in `ability.yaml`. */
  | 'placement';

/** The key of {@link Registry.broken} for a `placement` that cannot be used; the built-in lists apply. */
export const PLACEMENT_RULES = 'placement:ability.yaml';

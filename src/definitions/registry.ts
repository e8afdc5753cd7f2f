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

export interface Loaded<T> {
  value: T;
  /** Relative to the project root. */
  file: string;
  /** The place of a part of the definition; `path` starts at the definition. */
  locate(path: readonly PropertyKey[], part?: 'value' | 'key'): SourceLocation;
}

/** A project's definitions; broken ones are separate. Source: docs/definitions.md#what-a-broken-file-stops. */
export interface Registry {
  project: Project;
  /** Absolute path of the folder with `ability.yaml`. */
  root: string;
  locateInProject(path: readonly PropertyKey[]): SourceLocation;
  operations: Map<string, Loaded<LowLevel>>;
  workflows: Map<string, Loaded<HighLevel>>;
  /** They share the namespace of abilities. */
  agents: Map<string, Loaded<AgentProfile>>;
  implementations: Map<string, Loaded<ImplementationDocument>>;
  configs: Map<string, Loaded<AbilityConfig>>;
  envProfiles: Map<string, Loaded<EnvProfile>>;
  mcpServers: Map<string, Loaded<McpServer>>;
  services: Map<string, Loaded<Service>>;
  hooks: Map<Phase, Loaded<HookDefinition>[]>;
  /** Handlers in `hooks_impl.yaml`, by the id of the hook. */
  hookImpls: Map<string, Loaded<HookImpl>>;
  modules: Map<string, Loaded<ModuleOverview>>;
  /** Capabilities of the project by id, in the order of the file, without the built-in ones. */
  capabilities: Map<string, Loaded<CapabilityDefinition>>;
  packs: Map<string, Loaded<PackDefinition>>;
  /** Why definitions cannot be used, by `<kind>:<id>`. */
  broken: Map<string, Problem>;
  /** Files whose definitions are unknown, so that everything they might define is unavailable. */
  opaque: { kind: FileKindName; problem: Problem }[];
  problems: Problem[];
  /** SHA-256 of the paths and bytes of all files of the project. */
  digest: string;
}

export type FileKindName =
  | 'low-level'
  | 'high-level'
  | 'implementations'
  | 'config'
  | 'hooks-impl'
  | 'hooks'
  /** `modules/overview`, beside the registry. */
  | 'modules'
  | 'capabilities'
  /** `packs.yaml` of the registry, or the file that a variable names in its place. */
  | 'packs';

/** First parts of the keys of {@link Registry.broken}. */
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
  /** A handler in `hooks_impl.yaml`, by the id of its hook. */
  | 'hook_impl'
  | 'module'
  | 'capability'
  | 'pack'
  /** `placement` in `ability.yaml`. */
  | 'placement';

/** Why a file of one of these kinds cannot be read, so that it may hold what is missing; undefined: all can. */
export function unreadable({ opaque }: Pick<Registry, 'opaque'>, ...kinds: FileKindName[]): Problem | undefined {
  return opaque.find(({ kind }) => kinds.includes(kind))?.problem;
}

/** The key of {@link Registry.broken} for an invalid `placement`; the built-in lists apply. */
export const PLACEMENT_RULES = 'placement:ability.yaml';

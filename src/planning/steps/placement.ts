import { type Placement, placementsOf } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import { loadedComposite } from '../../definitions/find-ability.js';
import type { Project } from '../../definitions/formats/project.js';
import type { Registry } from '../../definitions/registry.js';
import { locationOf, type Spot } from '../../definitions/spot.js';
import { HTTP } from '../../kinds/api/kind.js';
import { writtenKindOf } from '../../kinds/kinds.js';
import { SHELL } from '../../kinds/script/kind.js';
import { MODEL_PREFIX } from '../../rules/agents.js';
import { unlessRefused } from '../../text/attempt.js';
import { didYouMean } from '../../text/nearest.js';
import { chooseImplementation } from '../resolve/choose-implementation.js';
import { allowedCalls } from './called-abilities.js';

/** Servers that may run in the cloud, unless the project lists others. Source: R-001-14, R-001-16, C-28. */
export const DEFAULT_CLOUD_SERVERS: readonly string[] = [
  'api',
  'github',
  'http',
  'json',
  'memory',
  'pml',
  'slack',
  'tavily',
];

/** Unlisted servers are local as well; these must never join the list above. Source: R-001-13, C-29. */
export const DEFAULT_LOCAL_SERVERS: readonly string[] = [
  'archive',
  'docker',
  'filesystem',
  'fs',
  'kubernetes',
  'process',
  'shell',
  'sqlite',
  'ssh',
];

export interface PlacementRules {
  cloud: readonly string[];
  /** Wins over `cloud`. Source: C-29. */
  local: readonly string[];
  /** Servers in a placement of the project's own, which win over both. */
  own?: ReadonlyMap<string, Placement>;
}

/** The rules of a project. */
export function rulesOf({ placement, placements }: Pick<Project, 'placement' | 'placements'>): PlacementRules {
  const own = Object.entries(placements).flatMap(([name, { servers }]) =>
    servers.map((server) => [server, name] as const),
  );
  return { ...placementRules(placement), own: new Map(own) };
}

export interface WrittenPlacement {
  cloud?: readonly string[] | undefined;
  local?: readonly string[] | undefined;
}

/** Applies the built-in lists for those that the project does not set. Source: R-001-16, C-28. */
export function placementRules({ cloud, local }: WrittenPlacement): PlacementRules {
  // A project's own cloud list overrides the default local list, whose servers are local anyway.
  return { cloud: cloud ?? DEFAULT_CLOUD_SERVERS, local: local ?? (cloud ? [] : DEFAULT_LOCAL_SERVERS) };
}

/** `filesystem` for `filesystem:read_file`, `mcp__filesystem__read_file` and itself. Source: R-001-11. */
export function extractServerName(tool: string): string {
  const name = tool.trim();
  const colon = name.indexOf(':');
  if (colon >= 0) return name.slice(0, colon).trim();
  const [, server] = /^mcp__(.+?)__/.exec(name) ?? [];
  return server ?? name;
}

/** Whether a server may run in the cloud. Source: R-001-17. */
export function isCloudServer(server: string, rules: PlacementRules): boolean {
  return rules.cloud.includes(server) && !rules.local.includes(server);
}

/** Whether a server must run locally, as any unlisted one must. Source: R-001-12, C-28. */
export function isLocalServer(server: string, rules: PlacementRules): boolean {
  return !isCloudServer(server, rules);
}

/** The placement of a tool. Source: R-001-17. */
export function placementOfTool(tool: string, rules: PlacementRules): Placement {
  const server = extractServerName(tool);
  return rules.own?.get(server) ?? (isCloudServer(server, rules) ? 'cloud' : 'local');
}

/**
 * By an explicit choice, else local if any tool is; without tools, cloud. Blank names do not count. Unknown
 * servers are local, the safe choice. Source: R-001-06, R-001-21, C-28, C-30.
 */
export function resolvePlacement(
  toolsUsed: readonly (string | null | undefined)[] | null | undefined,
  rules: PlacementRules,
  explicit?: Placement,
): Placement {
  if (explicit) return explicit;
  const named = (toolsUsed ?? []).filter((tool): tool is string => typeof tool === 'string' && tool.trim() !== '');
  return nearest(named.map((tool) => placementOfTool(tool, rules)));
}

/** What needs all of these: one of the project's own, else local if any is, else cloud. @param needed of several own ones, the first. */
export function nearest(needed: readonly Placement[]): Placement {
  return ownAmong(needed)[0] ?? (needed.includes('local') ? 'local' : 'cloud');
}

/** The placements of the project's own, each once. */
export function ownAmong(needed: readonly Placement[]): Placement[] {
  return [...new Set(needed)].filter((placement) => placement !== 'local' && placement !== 'cloud');
}

interface PlacementDemand {
  ability: string;
  /** `server:tool`; null for an ability with its own placement, and if the tool is unknown. */
  tool: string | null;
  placement: Placement;
}

export interface InferredPlacement {
  placement: Placement;
  /** The placement in the definition, which wins; null if there is none. */
  explicit: Placement | null;
  /** The placement that the tools need, regardless of `explicit`. */
  inferred: Placement;
  demands: PlacementDemand[];
}

/**
 * Decides by definitions alone. A workflow or agent inherits from its whole whitelist, recursively; one placed
 * locally keeps its callers local. An unknown callee is local. Source: R-001-01, R-001-06, C-28, C-32.
 * @param environment whose settings choose implementations and servers; undefined if none is chosen yet.
 */
export function inferPlacement(registry: Registry, ability: string, environment?: string): InferredPlacement {
  const demands = demandsOf(registry, ability, environment, rulesOf(registry.project), new Set());
  const written = writtenPlacement(registry, ability, environment)?.placement ?? null;
  // Planning refuses one that the project does not have.
  const explicit = written !== null && placementsOf(registry.project).includes(written) ? written : null;
  const inferred = nearest(demands.map(({ placement }) => placement));
  return { placement: explicit ?? inferred, explicit, inferred, demands };
}

/** The placement that definitions give an ability, and where: in the settings of the environment, or in its own file. */
export function writtenPlacement(
  registry: Registry,
  ability: string,
  environment: string | undefined,
): (Spot & { placement: Placement }) | undefined {
  const config = registry.configs.get(ability);
  const here = environment === undefined ? undefined : config?.value.environments?.[environment]?.placement;
  if (config && here !== undefined)
    return { placement: here, from: config, path: ['environments', `${environment}`, 'placement'] };
  const workflow = registry.workflows.get(ability);
  const own = workflow?.value.placement;
  return workflow && own !== undefined ? { placement: own, from: workflow, path: ['placement'] } : undefined;
}

/**
 * @throws AbilityError for a placement that the project does not have, with its place: `definition.unknown_reference`; for tools
 * that need several of its own: `placement.conflict`.
 */
export function refuseMisplaced(
  registry: Registry,
  ability: string,
  environment: string,
  { explicit, demands }: InferredPlacement,
): void {
  const known = placementsOf(registry.project);
  const written = writtenPlacement(registry, ability, environment);
  if (written && explicit === null) {
    throw new AbilityError({
      code: 'definition.unknown_reference',
      message: `There is no placement ${written.placement}`,
      location: locationOf(written),
      suggestion: didYouMean(written.placement, known) ?? 'Define it under `placements` in ability.yaml.',
    });
  }
  const needed = ownAmong(demands.map(({ placement }) => placement));
  if (explicit !== null || needed.length < 2) return;
  const from = registry.operations.get(ability) ?? loadedComposite(registry, ability);
  const which = needed.map((name) => {
    const first = demands.find(({ placement }) => placement === name);
    return `${first?.ability}${first?.tool == null ? '' : ` (${first.tool})`} in ${name}`;
  });
  throw new AbilityError({
    code: 'placement.conflict',
    message: `${ability} cannot run in one placement: it needs ${which.join(' and ')}`,
    ...(from && { location: from.locate([]) }),
    suggestion: 'Give it a `placement` whose workers reach them all, or make each part a task of its own.',
  });
}

function demandsOf(
  registry: Registry,
  ability: string,
  environment: string | undefined,
  rules: PlacementRules,
  seen: Set<string>,
): PlacementDemand[] {
  if (seen.has(ability)) return [];
  seen.add(ability);
  const agent = registry.agents.get(ability)?.value;
  if (agent) {
    const called = agent.operations.flatMap((id) => demandsOf(registry, id, environment, rules, seen));
    return [demandOf(ability, toolOfModel(registry, agent.model), rules), ...called];
  }
  const workflow = registry.workflows.get(ability)?.value;
  if (!workflow) {
    const asked = registry.operations.get(ability)?.value.unknown?.call;
    const further = asked === undefined ? [] : demandsOf(registry, asked, environment, rules, seen);
    const own = seen.size > 1 ? boundTo(registry, ability, environment) : [];
    const bound = own.length > 0 ? own : [demandOf(ability, toolOf(registry, ability, environment), rules)];
    return [...bound, ...further];
  }
  const own = seen.size > 1 ? boundTo(registry, ability, environment) : [];
  return [...own, ...allowedCalls(workflow).flatMap((id) => demandsOf(registry, id, environment, rules, seen))];
}

/** What an ability that is placed near demands of its callers. One that is placed in the cloud demands nothing. */
function boundTo(registry: Registry, ability: string, environment: string | undefined): PlacementDemand[] {
  const placement = writtenPlacement(registry, ability, environment)?.placement ?? 'cloud';
  if (placement === 'cloud' || !placementsOf(registry.project).includes(placement)) return [];
  return [{ ability, tool: null, placement }];
}

function demandOf(ability: string, tool: string | null, rules: PlacementRules): PlacementDemand {
  return { ability, tool, placement: tool === null ? 'local' : placementOfTool(tool, rules) };
}

/** A model that is a program needs the machine that has it; an endpoint needs only the network. */
function toolOfModel({ project }: Registry, name: string): string {
  const model = Object.hasOwn(project.models, name) ? project.models[name] : undefined;
  return `${model?.command ? SHELL : HTTP}:${MODEL_PREFIX}${name}`;
}

/** Null for an operation that is unknown, broken, or without an implementation here. */
function toolOf(registry: Registry, key: string, environment: string | undefined): string | null {
  const operation = registry.operations.get(key);
  if (!operation) return null;
  const tool = unlessRefused(() => {
    const { body, settings } = chooseImplementation(registry, operation, environment);
    return writtenKindOf(body).writtenTool(body, key, settings);
  });
  return tool ?? null;
}

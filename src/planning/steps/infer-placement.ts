import type { Placement } from '../../contracts/names.js';
import type { Registry } from '../../definitions/registry.js';
import { HTTP } from '../../kinds/api/kind.js';
import { writtenKindOf } from '../../kinds/kinds.js';
import { SHELL } from '../../kinds/script/kind.js';
import { MODEL_PREFIX } from '../../rules/agents/model-key.js';
import { unlessRefused } from '../../text/attempt.js';
import { chooseImplementation, configOf } from '../resolve/choose-implementation.js';
import { allowedCalls } from './called-abilities.js';
import { type PlacementRules, placementOfTool, placementRules, resolvePlacement } from './placement.js';

export interface PlacementDemand {
  ability: string;
  /** `server:tool`; null for a workflow with its own placement, and if the tool is unknown. */
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
  const rules = placementRules(registry.project.placement);
  const demands = demandsOf(registry, ability, environment, rules, new Set());
  const explicit = registry.workflows.get(ability)?.value.placement ?? null;
  const isBound = demands.some(({ tool, placement }) => tool === null && placement === 'local');
  const inferred = isBound
    ? 'local'
    : resolvePlacement(
        demands.map(({ tool }) => tool),
        rules,
      );
  return { placement: explicit ?? inferred, explicit, inferred, demands };
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
    return [demandOf(ability, toolOf(registry, ability, environment), rules), ...further];
  }
  const own = seen.size > 1 && workflow.placement === 'local' ? [demandOf(ability, null, rules)] : [];
  return [...own, ...allowedCalls(workflow).flatMap((id) => demandsOf(registry, id, environment, rules, seen))];
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
    const config = configOf(registry, key);
    const settings = environment === undefined ? undefined : config?.value.environments?.[environment];
    const { body } = chooseImplementation(registry, operation, config, settings);
    return writtenKindOf(body).writtenTool(body, key, settings);
  });
  return tool ?? null;
}

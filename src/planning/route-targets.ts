import type { Json, JsonObject } from '../contracts/json.js';
import { AbilityError } from '../contracts/problem.js';
import type { AgentTarget, Targets, ToolTarget, WorkflowTarget } from '../contracts/routing.js';
import type { Registry } from '../definitions/registry.js';
import { checkAgainst } from './input/schemas.js';
import { chooseImplementation, configOf } from './resolve/choose-implementation.js';
import { resolvePlan } from './resolve/resolve-plan.js';
import { missingCredentials } from './secrets/credentials.js';
import { EnvironmentVariables, SecretSource } from './secrets/secret-source.js';
import { definedEffects } from './steps/called-abilities.js';

/** The project and environment of a decision. */
export interface Place {
  registry: Registry;
  environment: string;
  /** In which credentials are looked for. */
  env: NodeJS.ProcessEnv;
}

/**
 * What a request may go to in an environment: the agents, and of the abilities given those of a low level as tools, the others as
 * workflows.
 *
 * Whether a tool is available is checked on first use: few of thousands are used. Source: R-003-06, R-003-12, R-003-14; C-21.
 */
export function routeTargets(place: Place, abilities: Iterable<{ id: string; level: 'high' | 'low' }>): Targets {
  const tools: ToolTarget[] = [];
  const workflows: WorkflowTarget[] = [];
  const taken = new Set<string>();
  for (const { id, level } of abilities) {
    if (level === 'low') tools.push(toolTarget(place, id, taken));
    else workflows.push({ abilityId: id, summary: summaryOf(place, id), effects: effectsOf(place, id) });
  }
  return { tools, workflows, agents: agentTargets(place) };
}

function agentTargets(place: Place): AgentTarget[] {
  const { registry, environment } = place;
  return [...registry.agents.values()]
    .map(({ value }) => value)
    .filter(({ scope }) => scope.environments?.includes(environment) ?? true)
    .map(({ id, summary, operations }) => {
      const isComplex = operations.some((called) => registry.workflows.has(called) || registry.agents.has(called));
      return { id, summary, effects: effectsOf(place, id), isComplex };
    });
}

function toolTarget(place: Place, id: string, taken: Set<string>): ToolTarget {
  const names = namesOf(place, id);
  // Two operations may call the same tool: then the other goes by its own name.
  const { extensionId, capabilityId } = taken.has(keyOf(names)) ? ownNames(id) : names;
  taken.add(keyOf({ extensionId, capabilityId }));
  let reason: string | null | undefined;
  const whyNot = (): string | null => {
    reason ??= unavailability(place, id) ?? null;
    return reason;
  };
  return {
    extensionId,
    capabilityId,
    abilityId: id,
    summary: summaryOf(place, id),
    effects: effectsOf(place, id),
    get available() {
      return whyNot() === null;
    },
    get reason() {
      return whyNot() ?? undefined;
    },
  };
}

/** Server and tool or, for other operations, the parts of the key. Source: C-21. */
function namesOf({ registry, environment }: Place, id: string): { extensionId: string; capabilityId: string } {
  const operation = registry.operations.get(id);
  try {
    const config = configOf(registry, id);
    const settings = config?.value.environments?.[environment];
    const chosen = operation && chooseImplementation(registry, operation, config, settings);
    const own = chosen?.body.kind === 'mcp' ? chosen.body.mcp : undefined;
    const server = own && (settings?.mcp_server ?? own.server);
    const tool = own && (settings?.mcp_tool ?? own.tool);
    if (server && tool) return { extensionId: server, capabilityId: tool };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
  }
  return ownNames(id);
}

function ownNames(id: string): { extensionId: string; capabilityId: string } {
  const dot = id.indexOf('.');
  return dot < 0
    ? { extensionId: id, capabilityId: id }
    : { extensionId: id.slice(0, dot), capabilityId: id.slice(dot + 1) };
}

function keyOf({ extensionId, capabilityId }: { extensionId: string; capabilityId: string }): string {
  return JSON.stringify([extensionId, capabilityId]);
}

/** Why an ability cannot be called here; undefined: it can, judging by files and the environment. Source: R-003-06. */
export function unavailability({ registry, environment, env }: Place, id: string): string | undefined {
  try {
    const { plan } = resolvePlan(registry, id, environment, new EnvironmentVariables(registry.root, environment, env));
    return missingCredentials(plan, new SecretSource(registry.root, environment, env))[0]?.message;
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return error.message;
  }
}

function summaryOf({ registry }: Place, id: string): string {
  return (registry.operations.get(id) ?? registry.workflows.get(id))?.value.summary ?? '';
}

/** An unknown effect could be anything. */
function effectsOf({ registry }: Place, id: string): AgentTarget['effects'] {
  return definedEffects(registry, id) ?? 'destructive';
}

/** Planning's part in a decision: the possible targets, and whether a value fits. */
export const DECIDING = {
  targets: routeTargets,
  check: (schema: JsonObject, value: Json): void =>
    void checkAgainst(schema, value, { code: 'input.invalid', what: 'The answer' }),
};

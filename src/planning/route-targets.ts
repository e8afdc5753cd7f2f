import type { Json, JsonObject } from '../contracts/json.js';
import type { AgentTarget, Targets, ToolTarget, WorkflowTarget } from '../contracts/routing.js';
import { isRunnable, loadedAbility, loadedComposite } from '../definitions/find-ability.js';
import type { Registry } from '../definitions/registry.js';
import { unlessRefused } from '../text/attempt.js';
import { checkAgainst } from './input/schemas.js';
import { chooseImplementation } from './resolve/choose-implementation.js';
import { resolvePlan } from './resolve/resolve-plan.js';
import { missingCredentials } from './secrets/credentials.js';
import { EnvironmentVariables, SecretSource } from './secrets/secret-source.js';
import { definedEffects } from './steps/called-abilities.js';

interface Place {
  registry: Registry;
  environment: string;
  /** The environment that credentials are read from. */
  env: NodeJS.ProcessEnv;
}

/**
 * What a request may go to: agents, low-level abilities as tools, high-level ones as workflows. A tool's
 * availability is checked on first use: few are used. Source: R-003-06, R-003-12, R-003-14; C-21.
 */
function routeTargets(place: Place, abilities: Iterable<{ id: string; level: 'high' | 'low' }>): Targets {
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
    .filter((agent) => isRunnable(registry, agent) && (agent.scope.environments?.includes(environment) ?? true))
    .map(({ id, summary, operations }) => {
      const isComplex = operations.some((called) => loadedComposite(registry, called));
      return { id, summary, effects: effectsOf(place, id), isComplex };
    });
}

function toolTarget(place: Place, id: string, taken: Set<string>): ToolTarget {
  const names = namesOf(place, id);
  // Several operations may call one tool; all but the first use their own names.
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

/** MCP server and tool; for other operations, the two parts of the id. Source: C-21. */
function namesOf({ registry, environment }: Place, id: string): { extensionId: string; capabilityId: string } {
  const operation = registry.operations.get(id);
  const names = unlessRefused(() => {
    const chosen = operation && chooseImplementation(registry, operation, environment);
    if (chosen?.body.kind !== 'mcp') return undefined;
    const { settings, body } = chosen;
    const server = settings?.mcp_server ?? body.mcp.server;
    const tool = settings?.mcp_tool ?? body.mcp.tool;
    return server && tool ? { extensionId: server, capabilityId: tool } : undefined;
  });
  return names ?? ownNames(id);
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

/** Why an ability cannot be called here; undefined if files and variables allow it. Source: R-003-06. */
function unavailability({ registry, environment, env }: Place, id: string): string | undefined {
  const variables = new EnvironmentVariables(registry.root, environment, env);
  return unlessRefused(
    () => {
      const { plan } = resolvePlan(registry, id, environment, variables);
      return missingCredentials(plan, new SecretSource(registry.root, environment, env))[0]?.message;
    },
    ({ message }) => message,
  );
}

function summaryOf({ registry }: Place, id: string): string {
  return loadedAbility(registry, id)?.value.summary ?? '';
}

/** The gravest effect if it is unknown. */
function effectsOf({ registry }: Place, id: string): AgentTarget['effects'] {
  return definedEffects(registry, id) ?? 'destructive';
}

/** What routing needs from planning: the possible targets, and the validation of a value. */
export const DECIDING = {
  targets: routeTargets,
  check: (schema: JsonObject, value: Json): void =>
    void checkAgainst(schema, value, { code: 'input.invalid', what: 'The answer' }),
};

import type { ModelImplementation, PlanAgent, PlanOperation, PlanStep, PlanTool } from '../../contracts/plan.js';
import { AbilityError, type SourceLocation } from '../../contracts/problem.js';
import { loadedComposite } from '../../definitions/find-ability.js';
import type { AgentProfile } from '../../definitions/formats/agent.js';
import type { ModelDefinition } from '../../definitions/formats/models.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { MODEL_PREFIX, TURNS } from '../../rules/agents.js';
import { digestOf } from '../../rules/canonical.js';
import { parseDuration } from '../../rules/duration.js';
import { defined } from '../../text/defined.js';
import { didYouMean } from '../../text/nearest.js';
import { resolveScript } from '../scripts/resolve-script.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { allowedCalls } from '../steps/called-abilities.js';
import { capped } from './resolve-environment.js';

/**
 * @param tools each ability of its `operations`, resolved.
 * @throws AbilityError `config.no_model`, `config.missing_price`, `script.*`. Source: docs/agent-abilities.md.
 */
export function resolveAgent(
  registry: Registry,
  agent: Loaded<AgentProfile>,
  tools: readonly Omit<PlanTool, 'name'>[],
  variables: EnvironmentVariables,
): { agent: PlanAgent; steps: PlanStep[]; model: PlanOperation } {
  const { model: name, instructions, limits } = agent.value;
  const model = resolveModel(registry, name, agent.locate(['model']), variables);
  const { max_turns, max_calls, max_tokens, max_cost, on_limit } = limits;
  refuseUnpriced(registry, agent);
  const named = nameTools(tools);
  return {
    agent: {
      model: model.key,
      instructions,
      tools: named,
      limits: {
        max_turns,
        max_calls,
        ...defined({ max_tokens, max_cost }),
        ...(on_limit === 'ask' && { on_limit }),
      },
    },
    steps: stepsOfAgent(model.key, named, max_turns),
    model,
  };
}

/**
 * Refuses `max_cost` if the agent, or one it reaches, has a model without a price, which would never reach the
 * limit. @throws AbilityError `config.missing_price`. Source: docs/agent-abilities.md.
 */
function refuseUnpriced(registry: Registry, agent: Loaded<AgentProfile>): void {
  const { id, limits } = agent.value;
  if (limits.max_cost === undefined) return;
  for (const one of agentsFrom(registry, id, new Set())) {
    const { model } = one;
    const definition = Object.hasOwn(registry.project.models, model) ? registry.project.models[model] : undefined;
    if (!definition || definition.price) continue;
    const whose = one.id === id ? `the model \`${model}\`` : `the model \`${model}\` of ${one.id}, which it may call,`;
    throw new AbilityError({
      code: 'config.missing_price',
      message: `${id} has a \`max_cost\`, and ${whose} has no price`,
      location: agent.locate(['limits', 'max_cost']),
      suggestion: `Set \`models.${model}.price\` in ability.yaml: { input, output } for a million tokens each.`,
    });
  }
}

/** The agent and all agents that it reaches through calls, each once. */
function* agentsFrom(registry: Registry, id: string, seen: Set<string>): Generator<AgentProfile> {
  if (seen.has(id)) return;
  seen.add(id);
  const composite = loadedComposite(registry, id)?.value;
  if (composite?.type === 'agent') yield composite;
  for (const one of composite ? allowedCalls(composite) : []) yield* agentsFrom(registry, one, seen);
}

/** Maximum length of a function name for OpenAI-compatible endpoints. */
const LONGEST_NAME = 64;

/** Names the tools of an agent, so that none is called as a step of the runtime. */
export function nameTools<Tool extends { ability: string }>(tools: readonly Tool[]): (Tool & { name: string })[] {
  const taken = new Set<string>(Object.values(TURNS));
  return tools.map((tool) => ({ name: toolNameOf(tool.ability, taken), ...tool }));
}

/** A unique, short name without unsupported characters. @param taken names in use; gets the new one. */
export function toolNameOf(ability: string, taken: Set<string>): string {
  const plain = ability.replaceAll(/[^A-Za-z0-9_]/g, '_');
  const mark = `_${digestOf(ability).slice(0, 8)}`;
  const name =
    plain.length <= LONGEST_NAME && !taken.has(plain) ? plain : plain.slice(0, LONGEST_NAME - mark.length) + mark;
  taken.add(name);
  return name;
}

/** Turns as steps that list all possible calls, so that results, records and previews show them. */
export function stepsOfAgent(
  model: string,
  tools: readonly Pick<PlanTool, 'name' | 'ability'>[],
  maxTurns: number,
): PlanStep[] {
  const calls: PlanStep = {
    id: TURNS.calls,
    verb: 'foreach',
    foreach: { expression: `steps.${TURNS.model}.output.calls` },
    as: 'call',
    max_parallel: 1,
    steps: tools.map(({ name, ability }) => ({
      id: name,
      verb: 'call',
      call: ability,
      with: '${{ call.input }}',
      if: `call.tool == "${name}"`,
    })),
  };
  return [
    {
      id: TURNS.turns,
      verb: 'repeat',
      repeat: { until: `!has(steps.${TURNS.model}.output.calls)`, every: '0s', max: maxTurns },
      steps: [{ id: TURNS.model, verb: 'call', call: model, with: {} }, ...(tools.length > 0 ? [calls] : [])],
    },
  ];
}

/**
 * A model as an operation, so that it is pinned, retried and logged like a call; no ability can have its key.
 * @param location of the agent that names it. @throws AbilityError `config.no_model`, `config.missing_program`, `script.*`.
 */
export function resolveModel(
  registry: Registry,
  name: string,
  location: SourceLocation,
  machine: EnvironmentVariables,
): PlanOperation {
  const { models, policy } = registry.project;
  const definition = Object.hasOwn(models, name) ? models[name] : undefined;
  if (!definition) throw noModel(name, Object.keys(models), location);
  const { price, context, timeout } = definition;
  const implementation: ModelImplementation = {
    id: name,
    kind: 'model',
    tags: [],
    defaults: {},
    overridable: [],
    prompts: {},
    timeout_ms: capped(parseDuration(timeout), registry.project),
    model: {
      name: definition.model ?? name,
      ...programOf(registry, name, definition, machine),
      context_tokens: context,
      ...defined({ price, allowed_hosts: policy.allowed_hosts }),
    },
  };
  return {
    key: `${MODEL_PREFIX}${name}`,
    version: 1,
    summary: `The model ${definition.model ?? name}`,
    modules: [],
    effects: 'external_read',
    input_schema: { type: 'object' },
    output_schema: null,
    implementation,
    hooks: { pre_create: [], pre_call: [], post_call: [] },
    fast: false,
  };
}

function programOf(registry: Registry, name: string, { command }: ModelDefinition, machine: EnvironmentVariables) {
  if (!command) return {};
  const definition = { ...command, args: [], stdin: '{payload}' };
  const { project, locateInProject: locate } = registry;
  const spot = { from: { value: project, file: 'ability.yaml', locate }, path: ['models', name, 'command'] };
  return { script: resolveScript(registry, definition, spot, machine) };
}

function noModel(name: string, known: readonly string[], location: SourceLocation): AbilityError {
  return new AbilityError({
    code: 'config.no_model',
    message: `There is no model \`${name}\``,
    location,
    suggestion:
      didYouMean(name, known) ??
      `Define it in ability.yaml: \`models: { ${name}: { model: NAME } }\`, where NAME is what the endpoint of OPENAI_BASE_URL calls it.`,
  });
}

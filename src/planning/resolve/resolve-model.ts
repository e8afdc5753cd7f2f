import type { ModelImplementation, PlanOperation } from '../../contracts/plan.js';
import { AbilityError, type SourceLocation } from '../../contracts/problem.js';
import type { ModelDefinition } from '../../definitions/formats/models.js';
import type { Registry } from '../../definitions/registry.js';
import { MODEL_PREFIX } from '../../rules/agents/model-key.js';
import { parseDuration } from '../../rules/duration.js';
import { defined } from '../../text/defined.js';
import { didYouMean } from '../../text/nearest.js';
import { resolveScript } from '../scripts/resolve-script.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { capped } from './limits.js';

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
      ...(price && { price }),
      ...(policy.allowed_hosts && { allowed_hosts: policy.allowed_hosts }),
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
  const { path, interpreter, env_profile, files } = command;
  const definition = { path, args: [], stdin: '{payload}', ...defined({ interpreter, env_profile, files }) };
  const { project, locateInProject: locate } = registry;
  const owner = { value: project, file: 'ability.yaml', locate };
  return { script: resolveScript(registry, definition, owner, ['models', name, 'command'], machine) };
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

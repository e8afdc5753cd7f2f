import { modelEndpoint } from '../../../choosing/model-endpoint.js';
import { modelProvider } from '../../../choosing/plan-model.js';
import { commandProvider, scriptedProvider } from '../../../client/index.js';
import type { PlanProvider } from '../../../contracts/agent-runtime.js';
import { AbilityError } from '../../../contracts/problem.js';
import type { AgentRequest } from '../../../definitions/formats/agent-request.js';
import type { Registry } from '../../../definitions/registry.js';
import { parseDuration } from '../../../rules/duration.js';

/**
 * What makes the plans of a request.
 *
 * @param env has the address and the key of a model, and what programs are passed.
 * @throws AbilityError `planner.failed` where no model can be asked.
 */
export function openProvider(
  { openai, command, scripted = [] }: AgentRequest['provider'],
  { root, project }: Pick<Registry, 'root' | 'project'>,
  env: NodeJS.ProcessEnv,
): PlanProvider {
  if (openai) {
    const endpoint = modelEndpoint('', project.policy, env);
    if (typeof endpoint === 'string') throw unaskable(endpoint);
    return modelProvider({ ...endpoint, model: openai.model, timeoutMs: parseDuration(openai.timeout) });
  }
  if (command) {
    const [program, ...args] = command.argv;
    const { pass, timeout } = command;
    return commandProvider({ argv: [program, ...args], cwd: root, env, pass, timeoutMs: parseDuration(timeout) });
  }
  if (Array.isArray(scripted)) return scriptedProvider(scripted);
  const { program, timeout } = scripted;
  return commandProvider({ argv: [process.execPath, program], cwd: root, env, timeoutMs: parseDuration(timeout) });
}

function unaskable(reason: string): AbilityError {
  return new AbilityError({
    code: 'planner.failed',
    message: `No model was asked: ${reason}`,
    suggestion: 'Set OPENAI_BASE_URL, or OPENAI_API_KEY, or let a `command` make the plans.',
  });
}

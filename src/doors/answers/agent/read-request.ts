import { AbilityError } from '../../../contracts/problem.js';
import { checkFormat } from '../../../definitions/check-format.js';
import { type AgentRequest, agentRequest } from '../../../definitions/formats/agent-request.js';
import { isProblem, readYaml } from '../../../definitions/yaml-source.js';

/**
 * Reads the request of `ability agent`, as JSON or YAML.
 *
 * @param file its name for messages, which have the place of what is wrong.
 * @throws AbilityError `definition.invalid`, `definition.syntax`, `definition.too_large`.
 */
export function readAgentRequest(file: string, text: string): AgentRequest {
  const source = readYaml(file, text);
  if (isProblem(source)) throw new AbilityError(source);
  const checked = checkFormat(agentRequest, source);
  if ('value' in checked) return checked.value;
  const [first] = checked.problems;
  throw new AbilityError(first ?? { code: 'definition.invalid', message: `${file} is no request` });
}

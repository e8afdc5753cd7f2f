import type { ToolCall } from '../../../contracts/agent.js';
import { isJsonObject, type JsonObject } from '../../../contracts/json.js';
import type { Plan, PlanTool } from '../../../contracts/plan.js';
import { AbilityError, type Problem } from '../../../contracts/problem.js';
import { checkAgainst } from '../../../planning/input/schemas.js';
import { refuseUnsafeKeys } from '../../../rules/unsafe-keys.js';
import { readInput as readGiven } from '../../../text/lossless-json/read-json.js';
import { didYouMean } from '../../../text/nearest.js';
import type { Said, ShownTool } from './transcript.js';

/** Input by which a model limits the abilities of an agent that it calls. Source: R-003-17. */
const DELEGATED = {
  type: 'array',
  items: { type: 'string' },
  description:
    'The only abilities that the agent may call for this; if omitted, all that both you and the agent may call.',
};

function schemaOfTool({ operations, workflows = {} }: Plan, { ability }: PlanTool): JsonObject {
  return operations[ability]?.input_schema ?? workflows[ability]?.ability.input_schema ?? { type: 'object' };
}

export function shownTools(tools: readonly PlanTool[], plan: Plan): ShownTool[] {
  return tools.map((tool) => {
    const { name, ability, summary, effects } = tool;
    const schema = schemaOfTool(plan, tool);
    const isAgent = plan.workflows?.[ability]?.agent !== undefined;
    const { properties } = schema as { properties?: JsonObject };
    const parameters = isAgent ? { ...schema, properties: { ...properties, delegate_operations: DELEGATED } } : schema;
    return { name, description: `${summary} (${ability}; effects: ${effects})`, parameters };
  });
}

const MAX_OF_A_NAME = 100;

/** Unknown tools, broken JSON and invalid input are not called; the model receives the reason. */
export function readCalls(calls: Said['calls'], tools: readonly PlanTool[], plan: Plan): ToolCall[] {
  return calls.map(({ id, name, arguments: text }) => {
    const call = { id, tool: name.slice(0, MAX_OF_A_NAME), input: {} };
    const tool = tools.find((one) => one.name === name);
    if (!tool) return { ...call, problem: noTool(name, tools, plan) };
    const read = readInput(text, tool, plan);
    return 'problem' in read ? { ...call, ...read } : { ...call, input: read.input };
  });
}

/** The refusal of an unknown tool, or of one that is not offered, as in the last turn. */
function noTool(name: string, tools: readonly PlanTool[], { agent }: Plan): Problem {
  if (agent?.tools.some((one) => one.name === name)) {
    return {
      code: 'agent.not_a_tool',
      message: `${name} is not offered in this turn`,
      suggestion: tools.length > 0 ? 'Use one of the tools that you are given.' : 'Answer with what you have.',
    };
  }
  return {
    code: 'agent.not_a_tool',
    message: `There is no tool ${name.slice(0, MAX_OF_A_NAME)}`,
    suggestion:
      didYouMean(
        name,
        tools.map((tool) => tool.name),
      ) ?? 'Use one of the tools that you are given, or say that it cannot be done.',
  };
}

function readInput(text: string, tool: PlanTool, plan: Plan): { input: JsonObject } | { problem: Problem } {
  const suggestion = 'Call it again with input that fits its parameters.';
  const invalid = (message: string): { problem: Problem } => ({
    problem: { code: 'input.invalid', message, suggestion },
  });
  try {
    const value = text.trim() === '' ? {} : readGiven(text, { what: 'The input', suggestion });
    if (!isJsonObject(value)) return invalid('The arguments are no object');
    refuseUnsafeKeys(value);
    const { delegate_operations: delegated, ...rest } = value;
    const isAgent = plan.workflows?.[tool.ability]?.agent !== undefined;
    const input = isAgent ? rest : value;
    const what = `The input of ${tool.ability}`;
    const checked = checkAgainst(schemaOfTool(plan, tool), input, { code: 'input.invalid', what });
    return { input: isAgent && delegated !== undefined ? { ...checked, delegate_operations: delegated } : checked };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return { problem: error.toProblem() };
  }
}

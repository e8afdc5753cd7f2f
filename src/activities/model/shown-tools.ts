import type { JsonObject } from '../../contracts/json.js';
import type { Plan, PlanTool } from '../../contracts/plan.js';
import type { ShownTool } from './model-call.js';

/** By which a model hands fewer abilities to an agent that it calls. Source: R-003-17. */
const DELEGATED = {
  type: 'array',
  items: { type: 'string' },
  description: 'The only abilities that the agent may call for this; without it, all that you and it may call.',
};

/** The schema of the input of a tool. */
export function schemaOfTool({ operations, workflows = {} }: Plan, { ability }: PlanTool): JsonObject {
  return operations[ability]?.input_schema ?? workflows[ability]?.ability.input_schema ?? { type: 'object' };
}

/** Tools as a model is shown them: what they do and change, and what they take. */
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

import { type AgentProfile, agent } from './formats/agent.js';
import { type Loaded, type Registry, unreadable } from './registry.js';

/** The file of agents that no file defines, as lists show it. */
const BUILT_IN = 'built-in';

/** The agent for requests that no other agent is for. It may call nothing. Source: R-003-13. */
const GENERIC = agent.parse({
  id: 'generic',
  type: 'agent',
  version: 1,
  summary: 'Takes requests of several steps that no other agent is for.',
  instructions:
    'You do what is asked for in small steps, from the request alone: you can call nothing. Say in the end what you did and what you did not do.',
});

/** Adds `generic`, unless the project has an ability of that id, or a file that cannot be read may define one. */
export function addBuiltInAgents(registry: Registry): void {
  const { operations, workflows, agents, broken } = registry;
  const { id } = GENERIC;
  const isTaken = operations.has(id) || workflows.has(id) || agents.has(id) || broken.has(`ability:${id}`);
  if (isTaken || unreadable(registry, 'low-level', 'high-level')) return;
  agents.set(id, { value: GENERIC, file: BUILT_IN, locate: () => ({ file: BUILT_IN }) });
}

export function isBuiltIn({ value }: Loaded<object>): boolean {
  return (value as AgentProfile) === GENERIC;
}

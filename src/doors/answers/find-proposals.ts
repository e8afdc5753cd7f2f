import { proposalId } from '../../authoring/harvest/plan-proposal.js';
import { type Flow, findFlows } from '../../choosing/harvest/find-flows.js';
import type { TaskRecord } from '../../contracts/record.js';
import type { Registry } from '../../definitions/registry.js';
import { callsOf } from '../../planning/steps/called-abilities.js';
import { worksOf } from './works-of.js';

/** Abilities that are called together again and again, and what could be made of them. Source: R-000-94. */
export interface FoundFlow extends Flow {
  /** Workflows, or agents, that do the same already. */
  became: string[];
  /** Null: it is there already, or a call of it is gone or deprecated. */
  proposal: { id: string; type: 'workflow' | 'agent' } | null;
}

/** In so many pieces of work calls have to be seen together. */
const LEAST = 3;

/** What was called together often: in one order, a workflow may be worth it; in several, an agent. */
export function flowsIn(registry: Registry, records: readonly TaskRecord[]): FoundFlow[] {
  return findFlows(worksOf(records), LEAST).map((flow) => {
    const type = flow.order === 'fixed' ? 'workflow' : 'agent';
    const became = type === 'workflow' ? workflowsOf(registry, flow) : agentsOf(registry, flow);
    const id = proposalId(type, flow.calls);
    const isOpen = became.length === 0 && flow.calls.every((call) => isCallable(registry, call));
    return { ...flow, became, proposal: isOpen ? { id, type } : null };
  });
}

function isCallable({ operations, workflows }: Registry, id: string): boolean {
  const found = operations.get(id) ?? workflows.get(id);
  return found !== undefined && found.value.status !== 'deprecated';
}

/** Those that make the calls in this order, whatever is between them. */
function workflowsOf({ workflows }: Registry, { calls }: Flow): string[] {
  return [...workflows.values()].flatMap(({ value }) => {
    let next = 0;
    for (const { id } of callsOf(value)) if (id === calls[next]) next++;
    return next === calls.length ? [value.id] : [];
  });
}

function agentsOf({ agents }: Registry, { calls }: Flow): string[] {
  return [...agents.values()].flatMap(({ value }) =>
    calls.every((call) => value.operations.includes(call)) ? [value.id] : [],
  );
}

import { proposalId } from '../../authoring/harvest/plan-proposal.js';
import { type Flow, findFlows, type Work } from '../../choosing/harvest/find-flows.js';
import type { TaskRecord } from '../../contracts/record.js';
import type { Registry } from '../../definitions/registry.js';
import { callsOf } from '../../planning/steps/called-abilities.js';

/** Abilities that are often called together, and their possible combination. Source: R-000-94. */
export interface FoundFlow extends Flow {
  /** Workflows, or agents, that do the same already. */
  became: string[];
  /** Null: it exists already, or a called ability is missing or deprecated. */
  proposal: { id: string; type: 'workflow' | 'agent' } | null;
}

/** The minimum number of pieces of work in which the calls occur together. */
const LEAST = 3;

/** Calls that often occur together: in one order, they may deserve a workflow; in several, an agent. */
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

/** The pieces of work that make the calls in this order, with any others between. */
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

/** Tasks that no session and no run holds together are of one piece of work where one began so soon after the other had ended. */
const SOON_MS = 10 * 60_000;

/**
 * What was called in each piece of work: the tasks of a run, of a session, or those of one person that followed each other closely. Only what succeeded;
 * what a workflow has called is a flow already. What an agent has called is a piece of work of its own, as far as its record lists it.
 */
export function worksOf(records: readonly TaskRecord[]): Work[] {
  const works = new Map<string, { id: string; calls: { ability: string; intent?: string }[] }>();
  const open = new Map<string, { id: string; ended: number }>();
  const top = records.filter(({ task_key, result }) => !task_key.includes('/') && result?.status === 'succeeded');
  for (const record of top.toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1))) {
    const id = heldBy(record) ?? followedIn(open, record);
    const work = works.get(id) ?? { id, calls: [] };
    works.set(id, work);
    const { request, intent } = record;
    work.calls.push({ ability: request.ability, ...(intent !== undefined && { intent }) });
    const chosen = chosenBy(record);
    if (chosen.length > 0) works.set(`agent:${record.task_key}`, { id: `agent:${record.task_key}`, calls: chosen });
  }
  return [...works.values()];
}

/** Calls in the turns of an agent; those of models, and those that did not succeed, are left out. */
const BY_AGENT = /^turns\/\d+\/calls\/\d+\//;

function chosenBy({ calls = [], intent }: TaskRecord): { ability: string; intent?: string }[] {
  return calls
    .filter(({ path, gave, runs }) => BY_AGENT.test(path) && gave !== undefined && runs.kind !== 'model')
    .map(({ call }) => ({ ability: call, ...(intent !== undefined && { intent }) }));
}

function heldBy({ run, session }: TaskRecord): string | undefined {
  if (run !== undefined) return `run:${run}`;
  return typeof session === 'string' ? `session:${session}` : undefined;
}

function followedIn(open: Map<string, { id: string; ended: number }>, record: TaskRecord): string {
  const who = JSON.stringify([record.requested_by?.name, record.request.environment]);
  const last = open.get(who);
  const began = Date.parse(record.created_at);
  const ended = Date.parse(record.result?.finished_at ?? record.created_at);
  const id = last && began - last.ended <= SOON_MS ? last.id : `from:${record.task_key}`;
  open.set(who, { id, ended });
  return id;
}

import { type Flow, findFlows, type Work } from '../authoring/harvest/find-flows.js';
import { proposalId } from '../authoring/harvest/plan-proposal.js';
import type { TaskRecord } from '../contracts/record.js';
import { loadedAbility } from '../definitions/find-ability.js';
import type { Registry } from '../definitions/registry.js';
import { callsOf } from '../planning/steps/called-abilities.js';

/** Abilities that are often called together, and a proposal to combine them. Source: R-000-94. */
export interface FoundFlow extends Flow {
  /** Existing workflows or agents that do the same. */
  became: string[];
  /** Null: one exists already, or a called ability is missing or deprecated. */
  proposal: { id: string; type: 'workflow' | 'agent' } | null;
}

/** Minimum number of pieces of work in which the calls occur together. */
const LEAST = 3;

/** Calls that often occur together: in a fixed order, for a workflow; in several orders, for an agent. */
export function flowsIn(registry: Registry, records: readonly TaskRecord[]): FoundFlow[] {
  return findFlows(worksOf(records), LEAST).map((flow) => {
    const type = flow.order === 'fixed' ? 'workflow' : 'agent';
    const became = type === 'workflow' ? workflowsOf(registry, flow) : agentsOf(registry, flow);
    const id = proposalId(type, flow.calls);
    const isOpen = became.length === 0 && flow.calls.every((call) => isCallable(registry, call));
    return { ...flow, became, proposal: isOpen ? { id, type } : null };
  });
}

function isCallable(registry: Registry, id: string): boolean {
  const found = loadedAbility(registry, id);
  return found !== undefined && found.value.status !== 'deprecated';
}

/** Workflows that make the calls in this order, possibly with others in between. */
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

/** Maximum pause between tasks of one piece of work, if neither a session nor a run connects them. */
const SOON_MS = 10 * 60_000;

/**
 * The calls of each piece of work: a run, a session, or one person's tasks in quick succession. Only successes; no
 * calls of workflows, which are flows already. An agent's recorded calls are a piece of their own.
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

/** Paths of the calls in an agent's turns. */
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

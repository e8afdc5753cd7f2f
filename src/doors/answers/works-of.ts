import type { Work } from '../../choosing/harvest/find-flows.js';
import type { TaskRecord } from '../../contracts/record.js';

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

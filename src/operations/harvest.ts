import { basename } from 'node:path';
import { type Flow, findFlows, type Work } from '../authoring/harvest/find-flows.js';
import { type FoundScript, findScripts } from '../authoring/harvest/find-scripts.js';
import { proposalId } from '../authoring/harvest/plan-proposal.js';
import { type AbilityPool, poolOf } from '../choosing/ability-pool.js';
import { FITS } from '../choosing/ranker.js';
import { wordTexts } from '../choosing/words.js';
import type { TaskRecord } from '../contracts/record.js';
import { loadedAbility } from '../definitions/find-ability.js';
import type { Registry } from '../definitions/registry.js';
import { maskerFor } from '../planning/secrets/credentials.js';
import { callsOf } from '../planning/steps/called-abilities.js';
import { GapLog } from '../server/logs/gap-log.js';
import { HarvestFile, type HarvestRuns, type SeenEntry } from '../server/logs/harvest-file.js';
import { type ReadRecords, readRecords } from '../server/logs/read-records.js';
import { UsageLog } from '../server/logs/usage-log.js';
import { pathsOf } from '../server/project-paths.js';
import { commandOf } from '../shown/typed-command.js';
import { runsOf } from './calls-seen.js';
import { type GapGroup, groupGaps } from './gaps.js';

export interface HarvestedScript extends FoundScript {
  /** Ids with a score from 0.5 to 1, best first; at most three. */
  near: { id: string; score: number }[];
  /** How often it ran; null: unknown. */
  runs: HarvestRuns | null;
  /** The suggested command; null: none. */
  next: string | null;
}

/** The answer of `ability harvest`. Source: R-000-90 to R-000-94. */
export interface Harvest {
  gaps: GapGroup[];
  scripts: HarvestedScript[];
  flows: FoundFlow[];
  warnings: string[];
}

const MAX_NEAR = 3;
const MAX_UNREAD = 5;

/** Finds gaps, scripts worth an ability, and calls worth a workflow. Writes only `.system/harvest.jsonl`. */
export async function harvest(registry: Registry, environment: string, env: NodeJS.ProcessEnv): Promise<Harvest> {
  const { system, records: folder } = pathsOf(registry.root);
  const masker = maskerFor(registry, environment, env);
  const warnings: string[] = [];
  const gaps = trying(warnings, 'Requests that no ability could meet could not be read', [], () =>
    groupGaps(new GapLog(system).read()),
  );
  const usage = trying(warnings, 'How often abilities are called could not be read', [], () =>
    new UsageLog(system).read(),
  );
  const found = findScripts(registry);
  const read = readRecords(folder);
  warnings.push(...unreadOf(found.unread, 'folders', 'scripts'), ...unreadOf(read.unread, 'records', 'calls'));
  const pool = poolOf(registry, environment, null, env);
  const scripts = await Promise.all(
    found.scripts.map(async (script): Promise<HarvestedScript> => {
      const near = await nearTo(pool, script);
      const summary = script.summary === null ? null : masker.mask(script.summary);
      return { ...script, summary, near, runs: runsOf(script, read, usage), next: nextFor(script, near.length > 0) };
    }),
  );
  const flows = masker.maskDeep(flowsIn(registry, read.records)) as FoundFlow[];
  trying(warnings, 'The scripts and flows that were found could not be stored', [], () =>
    new HarvestFile(system).keep([...scripts.map(entryOfScript), ...flows.map((flow) => entryOfFlow(flow, read))]),
  );
  return { gaps, scripts, flows, warnings };
}

/** Turns a failure into a warning, so that the rest is still reported. */
function trying<Value>(warnings: string[], what: string, otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    warnings.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    return otherwise;
  }
}

function unreadOf(paths: readonly string[], kind: string, what: string): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_UNREAD ? ` and ${paths.length - MAX_UNREAD} more` : '';
  return [
    `These ${kind} could not be read, so that ${what} may be missing: ${paths.slice(0, MAX_UNREAD).join(', ')}${more}`,
  ];
}

async function nearTo(pool: AbilityPool, script: FoundScript): Promise<HarvestedScript['near']> {
  const name = basename(script.path).replace(/\.\w+$/, '');
  const text = [wordTexts(name).join(' '), script.summary ?? ''].join(' ');
  const { ranked } = await pool.ranker.rank({ text, limit: MAX_NEAR });
  return ranked
    .filter(({ id, score }) => score >= FITS && !script.abilities.includes(id))
    .map(({ id, score }) => ({ id, score: Math.round(score * 1000) / 1000 }));
}

function nextFor({ path, abilities, is_text }: FoundScript, isNear: boolean): string | null {
  if (abilities.length > 0 || !is_text) return null;
  const command = commandOf('ability', 'harvest', 'promote', path);
  return isNear ? `Compare it with similar abilities; if it does something else: ${command}` : command;
}

function entryOfScript({ path, summary, documented, runs, uses, near, abilities }: HarvestedScript): SeenEntry {
  return {
    kind: 'script',
    location: path,
    problem: summary,
    documented: documented && `${documented.path}:${documented.line}`,
    runs,
    abilities_used: uses.length > 0 ? uses : null,
    done_by: uses.length > 0 ? 'both' : 'new_code',
    near: near.map(({ id }) => id),
    became: abilities,
  };
}

function entryOfFlow({ calls, intents, times, became }: FoundFlow, { left_out, unread }: ReadRecords): SeenEntry {
  return {
    kind: 'flow',
    location: calls.join(' > '),
    problem: intents.at(-1) ?? null,
    documented: null,
    runs: { times, at_least: left_out + unread.length > 0, last: null, from: 'records' },
    abilities_used: calls,
    done_by: 'abilities',
    near: [],
    became,
  };
}

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

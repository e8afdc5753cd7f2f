import type { FoundScript } from '../authoring/harvest/find-scripts.js';
import type { ListedTask } from '../client/index.js';
import type { TaskRecord } from '../contracts/record.js';
import type { HarvestRuns } from '../server/logs/harvest-file.js';
import type { ReadRecords } from '../server/logs/read-records.js';
import type { AbilityUsage } from '../server/logs/usage-log.js';

export interface SeenCalls {
  /** The largest count of any source, since all report the same calls. */
  calls: number;
  /** ISO 8601; the latest of all sources. */
  last_used: string;
}

export interface CallSources {
  usage: readonly AbilityUsage[];
  records: readonly TaskRecord[];
  /** Tasks as Temporal lists them; undefined: Temporal was not queried. */
  tasks: readonly Pick<ListedTask, 'ability_id' | 'started_at'>[] | undefined;
}

/** Calls by ability id, without abilities that no source has seen. Source: R-000-94. */
export function callsSeen({ usage, records, tasks = [] }: CallSources): Map<string, SeenCalls> {
  const bySource = [
    new Map(usage.map(({ ability_id, calls, last_used }) => [ability_id, { calls, last_used }])),
    inRecords(records),
    counted(tasks.map(({ ability_id, started_at }) => ({ id: ability_id, at: started_at }))),
  ];
  const seen = new Map<string, SeenCalls>();
  for (const [id, { calls, last_used }] of bySource.flatMap((source) => [...source])) {
    const before = seen.get(id);
    seen.set(id, { calls: Math.max(calls, before?.calls ?? 0), last_used: later(last_used, before?.last_used) });
  }
  return seen;
}

function inRecords(records: readonly TaskRecord[]): Map<string, SeenCalls> {
  const seen = counted(
    records.flatMap((record) => {
      const at = record.created_at;
      // A called task has its own record, and `run` is the task itself.
      const within = record.calls?.filter(({ runs, path }) => runs.kind !== 'workflow' && path !== 'run') ?? [];
      return [{ id: record.request.ability, at }, ...within.map(({ call }) => ({ id: call, at }))];
    }),
  );
  // Adds calls that a record does not list, or whose own record is elsewhere.
  for (const { used, created_at } of records) {
    for (const id of used?.called ?? []) {
      const { calls = 1, last_used } = seen.get(id) ?? {};
      seen.set(id, { calls, last_used: later(created_at, last_used) });
    }
  }
  return seen;
}

function counted(calls: readonly { id: string; at: string }[]): Map<string, SeenCalls> {
  const seen = new Map<string, SeenCalls>();
  for (const { id, at } of calls) {
    const before = seen.get(id);
    seen.set(id, { calls: (before?.calls ?? 0) + 1, last_used: later(at, before?.last_used) });
  }
  return seen;
}

function later(time: string, other = ''): string {
  return other > time ? other : time;
}

/**
 * How often a script ran, by task records or by the hook `usage`, whichever counted more. Manual runs are in
 * neither, so null does not prove that there was none.
 */
export function runsOf(
  { path, abilities }: Pick<FoundScript, 'path' | 'abilities'>,
  { records, left_out, unread }: ReadRecords,
  usage: readonly AbilityUsage[],
): HarvestRuns | null {
  const recorded = records.flatMap((record) => {
    const calls = record.calls?.filter(({ runs }) => runs.kind === 'script' && runs.script === path) ?? [];
    return calls.map(() => record.created_at);
  });
  const isCut = left_out + unread.length > 0 || records.some(({ calls_left_out }) => (calls_left_out ?? 0) > 0);
  const counted = usage.filter(({ ability_id }) => abilities.includes(ability_id));
  const times = counted.reduce((sum, { calls }) => sum + calls, 0);
  if (times > recorded.length)
    return { times, at_least: true, last: latest(counted.map((one) => one.last_used)), from: 'usage' };
  if (recorded.length === 0) return null;
  return { times: recorded.length, at_least: isCut, last: latest(recorded), from: 'records' };
}

function latest(times: readonly string[]): string | null {
  return times.toSorted().at(-1) ?? null;
}

import type { FoundScript } from '../../authoring/harvest/find-scripts.js';
import type { HarvestRuns } from '../../server/logs/harvest-file.js';
import type { ReadRecords } from '../../server/logs/read-records.js';
import type { AbilityUsage } from '../../server/logs/usage-log.js';

/**
 * How often a script ran: by the records of tasks that called it, or by what the hook `usage` counted of the abilities that it is behind, whichever has
 * seen more. What is called by hand is in neither.
 *
 * @returns null where neither has seen a run, which is not to say that there was none.
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
    return { times, at_least: true, last: newest(counted.map((one) => one.last_used)), from: 'usage' };
  if (recorded.length === 0) return null;
  return { times: recorded.length, at_least: isCut, last: newest(recorded), from: 'records' };
}

function newest(times: readonly string[]): string | null {
  return [...times].sort().at(-1) ?? null;
}

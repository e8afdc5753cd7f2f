import { backfillSchedule, fireSchedule, showSchedule } from '../../../../client/index.js';
import { usageError } from '../../../../contracts/problem.js';
import { parseTime } from '../../input/flag-values.js';
import { asTyped, commandOf } from '../../output/typed-command.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import type { ScheduleFlags } from '../../program/schedules.js';

type Flags = ScheduleFlags['run'];

/** `ability schedule run NAME`: fires it now, or makes up for all firings of a time span. */
export async function run(context: Context, [name]: [string], flags: Flags): Promise<void> {
  const span = readSpan(flags);
  return withSession(context, await openRegistry(context), async (connection) => {
    // Refuses a schedule that does not start tasks.
    await showSchedule(connection, name);
    if (span) await backfillSchedule(connection, name, span.from, span.to);
    else await fireSchedule(connection, name);
    const { terminal } = context;
    if (context.flags.json) terminal.printJson({ schedule: name, status: span ? 'backfilling' : 'fired' });
    else {
      terminal.note(span ? `${name} makes up for that time, one firing after the other.` : `${name} fires.`);
      terminal.note(asTyped(`Next: ${commandOf('ability', 'schedule', 'show', name)}`, context));
    }
  });
}

function readSpan({ from, to }: Flags): { from: Date; to: Date } | undefined {
  if (from === undefined && to === undefined) return undefined;
  const [start, end] = [parseTime(from ?? ''), parseTime(to ?? '')];
  if (start && end && start < end) return { from: start, to: end };
  throw usageError(
    `--from ${from ?? 'nothing'} and --to ${to ?? 'nothing'} are no span of time`,
    'Pass both, the earlier first, such as --from 2026-11-20T00:00:00Z --to 2026-11-22T00:00:00Z.',
  );
}

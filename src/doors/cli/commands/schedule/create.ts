import { checkSpec } from '../../../../client/index.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { clockChangeNote } from '../../../../rules/schedules/clock-changes.js';
import { defined } from '../../../../text/defined.js';
import { readDuration, readIntent } from '../../input/flag-values.js';
import { parseInput } from '../../input/parse-input.js';
import { refuseMaskedInput } from '../../input/refuse-masked.js';
import { renderSchedule } from '../../output/render-schedule.js';
import { type Context, environmentGiven, printAnswer } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import type { ScheduleFlags } from '../../program/schedules.js';
import { createOrReport, noteWarnings, schemaFor } from '../run.js';

/** `ability schedule create ID`: refuses what could not run today, rather than fail at night. */
export async function run(context: Context, [ability]: [string], flags: ScheduleFlags['create']): Promise<ExitCode> {
  const { name, cron, timezone, overlap, jitter, catchUp: catch_up, approveBefore: approve_before } = flags;
  const intent = flags.intent === undefined ? undefined : readIntent(flags.intent);
  readDuration('--jitter', jitter);
  readDuration('--catch-up', catch_up);
  if (approve_before !== undefined) readDuration('--approve-before', approve_before);
  return withProject(context, async (project) => {
    const input = parseInput(flags, await schemaFor(project, ability, environmentGiven(context), flags.set), context);
    refuseMaskedInput(input);
    const more = defined({ name, intent, approve_before, environment: environmentGiven(context) });
    const wanted = { ability, input, cron, timezone, overlap, jitter, catch_up, ...more };
    const made = await createOrReport(context, ability, () => project.call('createSchedule', wanted));
    if (typeof made === 'number') return made;
    const { warnings, ...shown } = made;
    const { terminal } = context;
    printAnswer(context, shown, () => renderSchedule(shown).join('\n'));
    if (!context.flags.json) {
      noteWarnings(context, { warnings });
      if (!shown.created) terminal.note('It already exists, with the same settings.');
    }
    const clock = clockChangeNote(checkSpec(shown.spec), shown.spec.timezone);
    if (clock !== undefined) terminal.note(`${clock} (docs/schedules.md, Daylight saving time).`);
    if (project.isOwnRuntime()) terminal.note(ONLY_WHILE_UP);
    return EXIT.ok;
  });
}

export const ONLY_WHILE_UP =
  'It fires only while the runtime of this project is up: `ability up`, or a service (docs/schedules.md). What it misses within --catch-up it makes up for at the next start.';

import { checkSpec, createSchedule, showSchedule, untilListed } from '../../../../client/index.js';
import type { ScheduleSpec } from '../../../../contracts/schedules.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { clockChangeNote } from '../../../../rules/schedules/clock-changes.js';
import { findAbility } from '../../../answers/find-ability.js';
import { readDuration, readIntent } from '../../input/flag-values.js';
import { parseInput } from '../../input/parse-input.js';
import { refuseMaskedInput } from '../../input/refuse-masked.js';
import { renderSchedule } from '../../output/render-schedule.js';
import { type Context, currentUser, environmentOf, openRegistry, withSession } from '../../program/context.js';
import type { ScheduleFlags } from '../../program/schedules.js';
import { createOrReport, noteWarnings } from '../run.js';

/** `ability schedule create ID`: refuses what could not run today, rather than fail at night. */
export async function run(context: Context, [ability]: [string], flags: ScheduleFlags['create']): Promise<ExitCode> {
  const registry = await openRegistry(context);
  const definition = await findAbility(registry, ability);
  const environment = await environmentOf(context, registry);
  const input = parseInput(flags, definition.input_schema, context);
  refuseMaskedInput(input);
  const spec: ScheduleSpec = {
    id: flags.name ?? ability,
    ability,
    environment,
    input,
    cron: flags.cron,
    timezone: flags.timezone,
    overlap: flags.overlap,
    jitter_ms: readDuration('--jitter', flags.jitter),
    catch_up_ms: readDuration('--catch-up', flags.catchUp),
    ...(flags.intent !== undefined && { intent: readIntent(flags.intent) }),
  };
  const cron = checkSpec(spec);
  const { previewPlan } = await import('../../../../planning/preview/preview-plan.js');
  const user = { ...currentUser(context.env), name: `schedule:${spec.id}`, caller: 'ci' as const };
  // Checks neither credentials, which only the worker may have, nor guards, which decide at run time.
  const planned = await createOrReport(context, { ability, environment }, async () =>
    previewPlan(registry, { ability, environment, input: spec.input, user, env: context.env }),
  );
  if (typeof planned === 'number') return planned;
  return withSession(context, registry, async (connection) => {
    const { created } = await createSchedule(connection, spec);
    await untilListed(connection, spec.id);
    const shown = await showSchedule(connection, spec.id);
    const { terminal } = context;
    if (context.flags.json) terminal.printJson({ created, ...shown });
    else {
      terminal.print(renderSchedule(shown).join('\n'));
      noteWarnings(context, planned);
      if (!created) terminal.note('It already exists, with the same settings.');
    }
    const clock = clockChangeNote(cron, spec.timezone);
    if (clock !== undefined) terminal.note(`${clock} (docs/schedules.md, Daylight saving time).`);
    if (connection.isOwnRuntime) terminal.note(ONLY_WHILE_UP);
    return EXIT.ok;
  });
}

export const ONLY_WHILE_UP =
  'It fires only while the runtime of this project is up: `ability up`, or a service (docs/schedules.md). What it misses within --catch-up it makes up for at the next start.';

import { checkSpec } from '../../../../client/schedules/check-spec.js';
import { usageError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { clockChangeNote } from '../../../../rules/schedules/approve-before.js';
import { asTyped, commandOf } from '../../../../shown/typed-command.js';
import { defined } from '../../../../text/defined.js';
import { parseTime, readDuration, readIntent } from '../../input/flag-values.js';
import { parseInput, refuseMaskedInput } from '../../input/parse-input.js';
import { noteWarnings } from '../../output/describe-problem.js';
import { DRIFT_WORDS, renderSchedule, renderSchedules } from '../../output/render-schedule.js';
import { type Context, environmentGiven, printAnswer } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import type { ScheduleFlags } from '../../program/tasks.js';
import { createOrReport, schemaFor } from '../run.js';

/** `ability schedule create ID`: refuses what could not run today, rather than fail at night. */
export async function create(context: Context, [ability]: [string], flags: ScheduleFlags['create']): Promise<ExitCode> {
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

/** `ability schedule list`: the schedules of the project, and where they differ from the definitions. */
export async function list(context: Context): Promise<void> {
  const listed = await withProject(context, (project) => project.call('listSchedules', {}));
  const { terminal, flags } = context;
  if (flags.json) return terminal.printJson(listed);
  const { schedules, missing } = listed;
  if (schedules.length === 0) terminal.note('There are no schedules.');
  else terminal.print(renderSchedules(schedules));
  for (const id of missing) terminal.note(`${id}: ${DRIFT_WORDS.missing}`);
  const differs = missing.length > 0 || schedules.some(({ drift }) => drift !== null);
  if (differs) terminal.note(asTyped('Next: ability schedule sync', context));
}

export async function show(context: Context, [name]: [string]): Promise<void> {
  const shown = await withProject(context, (project) => project.call('showSchedule', { name }));
  printAnswer(context, shown, () => renderSchedule(shown).join('\n'));
}

export const pause = holding('pauseSchedule');

export const resume = holding('resumeSchedule');

/** The schedule then shows who paused or resumed it, and why. */
function holding(operation: 'pauseSchedule' | 'resumeSchedule') {
  return async (context: Context, [name]: [string], { comment }: ScheduleFlags['pause']): Promise<void> => {
    const given = { name, ...(comment !== undefined && { comment }) };
    const answer = await withProject(context, (project) => project.call(operation, given));
    report(context, answer, `${name} is ${answer.status}.`);
  };
}

/** `ability schedule run NAME`: fires it now, or makes up for all firings of a time span. */
export async function run(context: Context, [name]: [string], flags: ScheduleFlags['run']): Promise<void> {
  const span = readSpan(flags);
  const answer = await withProject(context, (project) => project.call('fireSchedule', { name, ...span }));
  const fires = span ? `${name} makes up for that time, one firing after the other.` : `${name} fires.`;
  const next = asTyped(`Next: ${commandOf('ability', 'schedule', 'show', name)}`, context);
  report(context, answer, `${fires}\n${next}`);
}

function readSpan({ from, to }: ScheduleFlags['run']): { from: string; to: string } | undefined {
  if (from === undefined && to === undefined) return undefined;
  const [start, end] = [parseTime(from ?? ''), parseTime(to ?? '')];
  if (start && end && start < end) return { from: start.toISOString(), to: end.toISOString() };
  throw usageError(
    `--from ${from ?? 'nothing'} and --to ${to ?? 'nothing'} are no span of time`,
    'Pass both, the earlier first, such as --from 2026-11-20T00:00:00Z --to 2026-11-22T00:00:00Z.',
  );
}

/** `ability schedule delete NAME`; tasks that it started continue. */
export async function remove(context: Context, [name]: [string]): Promise<void> {
  const answer = await withProject(context, (project) => project.call('deleteSchedule', { name }));
  report(context, answer, `${name} is deleted; the tasks that it has started go on.`);
}

function report({ flags, terminal }: Context, answer: object, text: string): void {
  if (flags.json) terminal.printJson(answer);
  else terminal.note(text);
}

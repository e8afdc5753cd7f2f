import { listTasks } from '../../../client/index.js';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { AbilityError } from '../../../contracts/problem.js';
import { END_STATES, OPEN_STATES, type TaskState } from '../../../contracts/states.js';
import { didYouMean } from '../../../rules/nearest.js';
import { type Context, openRegistry, withSession } from '../context.js';
import { renderTable } from '../render-table.js';

interface ListFlags {
  status?: string;
  ability?: string;
  limit: string;
}

/** `ability task list`: the tasks of the project, newest first. */
export async function run(context: Context, _: string[], flags: ListFlags): Promise<ExitCode> {
  const filter = {
    status: readStatus(flags.status),
    ability: flags.ability,
    environment: context.flags.env,
    limit: readLimit(flags.limit),
  };
  return withSession(context, await openRegistry(context), async (session) => {
    const tasks = await listTasks(session, filter);
    const { terminal } = context;
    if (context.flags.json) terminal.printJson(tasks);
    else if (tasks.length === 0) terminal.note('There are no such tasks.');
    else {
      const rows = tasks.map((task) => {
        return [task.task_key, task.ability_id, task.status, task.environment, task.requested_by, task.started_at];
      });
      terminal.print(renderTable(['TASK', 'ABILITY', 'STATUS', 'ENVIRONMENT', 'BY', 'STARTED'], rows));
    }
    return EXIT.ok;
  });
}

function readStatus(text: string | undefined): TaskState | undefined {
  const states: readonly string[] = [...OPEN_STATES, ...END_STATES];
  if (text === undefined || states.includes(text)) return text as TaskState | undefined;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `There is no state ${text}`,
    suggestion: didYouMean(text, states) ?? `There are: ${states.join(', ')}.`,
  });
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0 && limit <= 10_000) return limit;
  throw new AbilityError({ code: 'usage.invalid', message: `--limit ${text} is no whole number from 1 to 10000` });
}

import { LISTED_STATES, type ListedState, type ListedTask, listTasks } from '../../../../client/index.js';
import { AbilityError, usageError } from '../../../../contracts/problem.js';
import { OPEN_STATES } from '../../../../contracts/states.js';
import type { Registry } from '../../../../definitions/registry.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { didYouMean } from '../../../../text/nearest.js';
import { readSince } from '../../input/flag-values.js';
import { formatDistance } from '../../output/format-time.js';
import { renderTable } from '../../output/render-table.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';

/** `ability task list`: the tasks of the project, open ones first. */
export async function run(context: Context, _: [], flags: TaskFlags['list']): Promise<void> {
  const filter = {
    status: flags.status.map(readStatus),
    ability: flags.ability,
    environment: context.flags.env,
    session: flags.session,
    since: flags.since === undefined ? undefined : readSince(flags.since, Date.now()),
    query: flags.query,
    limit: readLimit(flags.limit),
  };
  const registry = await openRegistry(context);
  const tasks = await withSession(context, registry, (connection) => listTasks(connection, filter));
  if (tasks.length === 0) await refuseUnknown(registry, filter);
  printTasks(context, tasks);
}

function printTasks({ flags, terminal }: Context, tasks: ListedTask[]): void {
  if (flags.json) terminal.printJson(tasks);
  else if (tasks.length === 0) terminal.note('There are no such tasks.');
  else {
    // Leaves out an empty column.
    const isIntentShown = tasks.some(({ intent }) => intent !== null);
    const rows = tasks.map((task) => {
      const by = task.changed ? `${task.requested_by}, changed by ${task.changed.by}` : task.requested_by;
      return [
        task.task_key,
        task.ability_id,
        task.status,
        task.environment,
        by,
        formatDistance(task.started_at),
        ...(isIntentShown ? [oneLine(task.intent ?? '')] : []),
      ];
    });
    const head = ['TASK', 'ABILITY', 'STATUS', 'ENVIRONMENT', 'BY', 'STARTED', ...(isIntentShown ? ['INTENT'] : [])];
    terminal.print(renderTable(head, rows));
  }
}

/** Tasks may outlive their definitions, so a name is wrong only if neither tasks nor definitions have it. */
async function refuseUnknown(
  registry: Registry,
  { ability, environment }: { ability: string | undefined; environment: string | undefined },
): Promise<void> {
  if (environment !== undefined) {
    const { resolveEnvironment } = await import('../../../../planning/resolve/resolve-environment.js');
    resolveEnvironment(registry, environment);
  }
  const { abilityIds } = await import('../../../../definitions/find-ability.js');
  const known = abilityIds(registry);
  if (ability === undefined || known.includes(ability) || registry.broken.has(`ability:${ability}`)) return;
  throw new AbilityError({
    code: 'ability.not_found',
    message: `There is no ability ${ability} in the project ${registry.project.project}, and no task of one`,
    suggestion: didYouMean(ability, known) ?? 'Run `ability list` to see what there is.',
  });
}

function readStatus(text: string): ListedState {
  const state = LISTED_STATES.find((known) => known === text);
  if (state) return state;
  const isOpen = (OPEN_STATES as readonly string[]).includes(text);
  throw usageError(
    isOpen ? `A list does not distinguish ${text} from running` : `There is no state ${text}`,
    isOpen
      ? 'Use --status running; `ability task show KEY` distinguishes them.'
      : (didYouMean(text, LISTED_STATES) ?? `There are: ${LISTED_STATES.join(', ')}.`),
  );
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0 && limit <= 10_000) return limit;
  throw usageError(`--limit ${text} is no whole number from 1 to 10000`);
}

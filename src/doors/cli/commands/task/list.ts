import type { ListedTask } from '../../../../client/index.js';
import { AbilityError, usageError } from '../../../../contracts/problem.js';
import { LISTED_STATES, type ListedState, OPEN_STATES } from '../../../../contracts/states.js';
import type { Registry } from '../../../../definitions/registry.js';
import { defined } from '../../../../text/defined.js';
import { didYouMean } from '../../../../text/nearest.js';
import { readSince } from '../../input/flag-values.js';
import { formatDistance } from '../../output/format-time.js';
import { renderTable } from '../../output/render-table.js';
import { type Context, openRegistry, printList } from '../../program/context.js';
import { projectOnly } from '../../program/door/command-door.js';
import { withProject } from '../../program/project-client.js';
import type { ProjectClient } from '../../program/project-operations.js';
import type { TaskFlags } from '../../program/tasks.js';

/** `ability task list`: the tasks of the project, open ones first. */
export async function run(context: Context, _: [], flags: TaskFlags['list']): Promise<void> {
  const filter = {
    status: flags.status.map(readStatus),
    ability: flags.ability,
    environment: context.flags.env,
    session: flags.session,
  };
  const since = flags.since === undefined ? undefined : readSince(flags.since, Date.now());
  const limit = readLimit(flags.limit);
  const { query } = flags;
  const tasks = await withProject(context, async (project) => {
    if (query !== undefined) {
      if (context.door) throw projectOnly(context.door, '--query');
      const { listTasks } = await import('../../../../client/index.js');
      return project.here((connection) => listTasks(connection, { ...filter, ...{ limit, query, since } }));
    }
    return listAll(project, { ...filter, ...(since && { since: since.toISOString() }) }, limit);
  });
  if (tasks.length === 0)
    await (context.door ? refuseUnknownThere(context, filter) : refuseUnknown(await openRegistry(context), filter));
  printList(context, tasks, 'There are no such tasks.', () => renderTasks(tasks));
}

/** The most of one answer. */
const PAGE = 500;

async function listAll(project: ProjectClient, filter: object, limit: number): Promise<ListedTask[]> {
  const tasks: ListedTask[] = [];
  let cursor: string | undefined;
  do {
    const part = { ...filter, ...(cursor !== undefined && { cursor }), limit: Math.min(PAGE, limit - tasks.length) };
    const page = await project.call('listTasks', part);
    tasks.push(...page.tasks);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && tasks.length < limit);
  return tasks;
}

function renderTasks(tasks: ListedTask[]): string {
  // Leaves out an empty column.
  const isIntentShown = tasks.some(({ intent }) => intent !== null);
  const rows = tasks.map(({ task_key, ability_id, status, environment, requested_by, changed, started_at, intent }) => {
    const by = changed ? `${requested_by}, changed by ${changed.by}` : requested_by;
    const why = isIntentShown ? [intent ?? ''] : [];
    return [task_key, ability_id, status, environment, by, formatDistance(started_at), ...why];
  });
  const head = ['TASK', 'ABILITY', 'STATUS', 'ENVIRONMENT', 'BY', 'STARTED', ...(isIntentShown ? ['INTENT'] : [])];
  return renderTable(head, rows);
}

interface Names {
  ability: string | undefined;
  environment: string | undefined;
}

/** As {@link refuseUnknown}, by the errors of the door. */
async function refuseUnknownThere(context: Context, { ability, environment }: Names): Promise<void> {
  const place = defined({ environment });
  await withProject(context, async (project) => {
    if (ability !== undefined) await project.call('describeAbility', { id: ability, ...place });
    else if (environment !== undefined) await project.call('listAbilities', place);
  });
}

/** Tasks may outlive their definitions, so a name is wrong only if neither tasks nor definitions have it. */
async function refuseUnknown(registry: Registry, { ability, environment }: Names): Promise<void> {
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

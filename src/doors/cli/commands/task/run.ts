import type { Stall } from '../../../../client/index.js';
import { usageError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { asTyped, commandOf } from '../../../../shown/typed-command.js';
import { parseInput } from '../../input/parse-input.js';
import { noteWarnings } from '../../output/describe-problem.js';
import { type Context, openRegistry, printAnswer } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import type { ProjectClient } from '../../program/project-operations.js';
import type { TaskFlags } from '../../program/tasks.js';
import { type Deadline, projectInTime } from '../following/deadline.js';
import { checkFollowFlags, followTask, noteStall } from '../following/follow-task.js';
import {
  type Created,
  createOrReport,
  createTask,
  notingStalls,
  reportDetached,
  reportUnrun,
  schemaFor,
} from '../run.js';
import { strictly } from './review-definitions.js';

/** `ability task create ID`: preflight only; gives a key, runs nothing. Source: R-000-67 to R-000-73. */
export async function create(context: Context, [ability]: [string], flags: TaskFlags['create']): Promise<ExitCode> {
  return withProject(context, async (project) => {
    const onStall = (stall: Stall) => noteStall(context.terminal, stall);
    const created = await createTask(context, project, ability, flags, { onStall });
    if (typeof created === 'number') return created;
    return reportUnrun(context, created.task_key, created, created.task_key);
  });
}

/** `ability task set KEY k=v...`: changes the input of a task that was created and not run. Source: R-000-84, C-37. */
export async function set(
  context: Context,
  [key, assignments]: [string, string[]],
  flags: TaskFlags['set'],
): Promise<ExitCode> {
  refuseNothing(assignments, flags);
  return withProject(context, async (project) => {
    const { ability_id: ability, environment } = await project.call('readResult', { key });
    const { input, unset } = flags;
    const given = { set: assignments, ...(input !== undefined && { input }) };
    const fields = parseInput(given, await schemaFor(project, ability, environment, assignments), context, '');
    const change = { key, set: fields, unset };
    const answer = await createOrReport(context, ability, () => project.call('changeInput', change));
    if (typeof answer === 'number') return answer;
    return reportUnrun(context, key, answer, describeChange(key, answer));
  });
}

function describeChange(key: string, { changed, fields }: { changed: boolean; fields: string[] }): string {
  if (!changed) return `${key} is as it was: the input is the same`;
  return fields.length > 0 ? `${key}: ${fields.join(', ')} changed` : `${key} now uses the changed definitions`;
}

function refuseNothing(assignments: string[], { input, unset }: TaskFlags['set']): void {
  if (assignments.length > 0 || input !== undefined || unset.length > 0) return;
  throw usageError(
    'No change to the input was given',
    'Pass name=text, name:=JSON or name=@file, --input JSON, or --unset NAME.',
  );
}

/** `ability task watch KEY`: waits for a task and exits with its outcome. */
export async function watch(context: Context, [key]: [string], flags: TaskFlags['watch']): Promise<ExitCode> {
  const patience = checkFollowFlags(context, flags);
  return projectInTime(context, patience, `${key} was not reached`, (project, deadline) =>
    followTask(context, project, key, flags, deadline, { isLooking: true }),
  );
}

/** `ability task run KEY`: runs a created task. Source: R-000-74 to R-000-76. */
export async function run(context: Context, [key]: [string], flags: TaskFlags['runCreated']): Promise<ExitCode> {
  const patience = checkFollowFlags(context, flags);
  return projectInTime(context, patience, `${key} was not run`, async (project, deadline) => {
    const running = await project.call('runTask', { key }, deadline.signal);
    if (!flags.detach) return followTask(context, project, key, flags, deadline);
    printAnswer(context, running, () => key);
    return EXIT.ok;
  });
}

/** `ability task retry KEY`: a new task under `KEY.r2`, which reuses finished work. */
export function retry(context: Context, [key]: [string], flags: TaskFlags['retry']): Promise<ExitCode> {
  const { from, stands, undone, detach = false } = flags;
  const wanted = { key, stands, undone, leaves: detach, ...(from !== undefined && { from }) };
  return goOn(context, { key, from }, flags, (project, deadline) => async () => {
    const strict = context.flags.strict ? strictly(context, await openRegistry(context)) : {};
    return project.retry(wanted, { signal: deadline.signal, onStall: notingStalls(context, deadline), ...strict });
  });
}

/** `ability task reconcile KEY`: the same, and it asks what became of the calls that were lost. */
export function reconcile(context: Context, [key]: [string], flags: TaskFlags['reconcile']): Promise<ExitCode> {
  const wanted = { key, leaves: flags.detach ?? false };
  return goOn(context, { key }, flags, (project, { signal }) => async () => {
    return (await project.call('reconcileTask', wanted, signal)) as Created;
  });
}

type Again = () => Promise<Created & { begins?: string }>;

async function goOn(
  context: Context,
  { key, from }: { key: string; from?: string | undefined },
  flags: TaskFlags['reconcile'],
  againWith: (project: ProjectClient, deadline: Deadline) => Again,
): Promise<ExitCode> {
  const patience = checkFollowFlags(context, flags);
  return projectInTime(context, patience, `${key} was not retried`, async (project, deadline) => {
    const { ability_id: ability, environment } = await project.call('readResult', { key }, deadline.signal);
    const created = await createOrReport(context, ability, againWith(project, deadline), environment);
    if (typeof created === 'number') return created;
    const { task_key: next, attached, begins } = created;
    noteWarnings(context, created);
    if (begins !== undefined) context.terminal.note(`${oneLine(begins)}.`);
    if (flags.detach) return reportDetached(context, created);
    context.terminal.note(`task ${next}${attached ? ' (there already)' : ''}`);
    if (attached && from !== undefined) noteUnusedFrom(context, key, next, from);
    return followTask(context, project, next, flags, deadline);
  });
}

/** A second retry of a task is the same task as the first, whatever its `--from`. */
function noteUnusedFrom(context: Context, key: string, next: string, from: string): void {
  const again = asTyped(commandOf('ability', 'task', 'retry', next, '--from', from), context);
  const what = `${key} was already retried, as ${next}, and --from ${from} does not change that`;
  noteWarnings(context, { warnings: [`${what}\nOnce it has ended: ${again}`] });
}

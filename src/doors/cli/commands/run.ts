import type { Stall, WaitEnd } from '../../../client/index.js';
import { generateTaskKey } from '../../../client/start/keys.js';
import type { JsonObject } from '../../../contracts/json.js';
import { AbilityError, type Problem, usageError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { maxFileOf } from '../../../definitions/max-file.js';
import type { Further } from '../../../operations/create-task.js';
import type { InputOf, OutputOf } from '../../../operations/over-http/call-door.js';
import { asTyped, commandOf } from '../../../shown/typed-command.js';
import { defined } from '../../../text/defined.js';
import { readIntent } from '../input/flag-values.js';
import { parseFiles, parseInput } from '../input/parse-input.js';
import { noteWarnings } from '../output/describe-problem.js';
import { type Context, environmentGiven, environmentOf, openRegistry, printAnswer } from '../program/context.js';
import { type ProjectClient, scopeIn } from '../program/project-operations.js';
import type { TaskFlags } from '../program/tasks.js';
import { type Deadline, projectInTime } from './following/deadline.js';
import {
  checkFollowFlags,
  followTask,
  isUnavailable,
  noteStall,
  readPatience,
  reportEnd,
  reportUnavailable,
  watchTask,
} from './following/follow-task.js';
import { strictly } from './task/review-definitions.js';

type Flags = TaskFlags['run'];
type Wanted = InputOf<'createTask'>;
export type Created = OutputOf<'createTask'>;

/** `ability run ID`: creates a task, runs it, waits for its end. */
export async function run(context: Context, [ability]: [string], flags: Flags): Promise<ExitCode> {
  refuseContradictions(flags);
  const patience = checkFollowFlags(context, flags);
  return projectInTime(context, patience, 'No task was created', async (project, deadline) => {
    // A plan that has changed is explained before anything is awaited.
    const waits = flags.detach ? { leaves: true } : { soon: flags.plan === undefined };
    const { signal } = deadline;
    const further = { ...waits, run: true, direct: flags.direct || undefined, signal };
    const onStall = notingStalls(context, deadline);
    const created = await createTask(context, project, ability, flags, { ...further, onStall });
    if (typeof created === 'number') return created;
    const key = created.task_key;
    noteWarnings(context, created);
    if (flags.direct) return runDirectly(context, project, created, flags, deadline);
    if (flags.detach) return reportDetached(context, created);
    context.terminal.note(`task ${key}${created.attached ? ' (there already)' : ''}`);
    return followTask(context, project, key, flags, deadline, { begins: !created.attached });
  });
}

/** Reports a stall before a task exists, and repeats it in the timeout error of the deadline. */
export function notingStalls({ terminal }: Context, deadline: Deadline): (stall: Stall) => void {
  return (stall) => {
    deadline.stalled(stall);
    noteStall(terminal, stall);
  };
}

function refuseContradictions({ direct, key, detach, verbose }: Flags): void {
  if (direct && verbose) {
    throw usageError(
      '--direct promises no record, from which --verbose could show the output',
      'Leave out one of the two.',
    );
  }
  if (!direct || (key === undefined && !detach)) return;
  throw usageError(
    `--direct promises no key, so it does not go with ${key === undefined ? '--detach' : '--key'}`,
    'Leave out --direct to get a durable task.',
  );
}

/** Creates a task, or prints why it cannot be created; a plan that has changed is explained. */
export async function createTask(
  context: Context,
  project: ProjectClient,
  ability: string,
  flags: TaskFlags['create'],
  further: Further,
): Promise<Created | ExitCode> {
  const wanted = await newTask(context, project, ability, flags);
  const create = () => createFrom(context, project, wanted, flags, further);
  const { plan } = flags;
  if (plan === undefined) return createOrReport(context, ability, create);
  const { explainingChange } = await import('../output/preview/explain-change.js');
  return createOrReport(context, ability, () => explainingChange(context, plan, create));
}

/** What a command asks for; the ability is checked where the task is created. */
async function newTask(
  context: Context,
  project: ProjectClient,
  ability: string,
  flags: TaskFlags['create'],
): Promise<Wanted> {
  const { cwd, env } = context;
  const reader = flags.plan === undefined ? undefined : await import('../output/preview/explain-change.js');
  const plan = reader?.readPlanFlag(flags.plan ?? '', cwd).wanted;
  const session = flags.session ?? (env.ABILITY_SESSION || undefined);
  return {
    ability,
    input: parseInput(flags, await schemaFor(project, ability, environmentGiven(context), flags.set), context),
    // The runtime may have created the task before its answer was lost.
    key: flags.key ?? generateTaskKey(),
    ...defined({
      scope: scopeIn(project, context, flags.scope),
      environment: environmentGiven(context),
      session,
      intent: flags.intent === undefined ? undefined : readIntent(flags.intent),
      plan: plan && [plan.plan, plan.input].filter((digest) => digest !== undefined).join('.'),
    }),
  };
}

/** The schema that assignments of texts are converted by; nothing where there are none, or no such ability. */
export async function schemaFor(
  project: ProjectClient,
  ability: string,
  environment: string | undefined,
  assignments: readonly string[] = [],
): Promise<JsonObject> {
  if (assignments.length === 0) return {};
  const described = await project
    .call('describeAbility', { id: ability, ...defined({ environment }) })
    .catch((error: unknown) => {
      // The creation reports it, and notes that it is missing.
      if (error instanceof AbilityError && error.code === 'ability.not_found') return undefined;
      throw error;
    });
  return (described?.definition as { input_schema?: JsonObject } | undefined)?.input_schema ?? {};
}

/** With what only this process has: files, and the definitions that `--strict` compares. */
async function createFrom(
  context: Context,
  project: ProjectClient,
  wanted: Wanted,
  { file = [] }: Pick<TaskFlags['create'], 'file'>,
  further: Further,
): Promise<Created> {
  if (file.length === 0 && !context.flags.strict) return project.create(wanted, further);
  // The door knows how large a file may be.
  if (context.door)
    return project.create(wanted, { ...further, files: parseFiles(file, Number.POSITIVE_INFINITY, context.cwd) });
  const registry = await openRegistry(context);
  const files = file.length === 0 ? undefined : parseFiles(file, maxFileOf(registry.project), context.cwd);
  return project.create(wanted, { ...further, ...(files && { files }), ...strictly(context, registry) });
}

/**
 * Creates the task, or prints why it cannot be created. Source: R-000-69, R-000-73; docs/guide.md#tasks.
 * @param environment of the task; left out: that of the command.
 */
export async function createOrReport<T extends object>(
  context: Context,
  ability: string,
  create: () => Promise<T>,
  environment?: string,
): Promise<T | ExitCode> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof AbilityError) || !isUnavailable(error)) throw error;
    const named = environment ?? (await environmentNamed(context));
    return reportUnavailable(context, { ability, environment: named }, error);
  }
}

/** That of the command; through a door that of the door, where none is named. */
async function environmentNamed(context: Context): Promise<string> {
  const { door } = context;
  if (!door) return environmentOf(context, await openRegistry(context));
  const { withDoor } = await import('../program/door/door-client.js');
  const itsOwn = async () => (await withDoor(context, door, (client) => client.me())).environment;
  return environmentGiven(context) ?? (await itsOwn()) ?? 'no environment';
}

/** Prints what was made of a task that is not run yet, and how to run it. */
export function reportUnrun(context: Context, key: string, answer: { warnings: string[] }, text: string): ExitCode {
  printAnswer(context, answer, () => text);
  if (context.flags.json) return EXIT.ok;
  noteWarnings(context, answer);
  context.terminal.note(asTyped(`Run it with: ability task run ${key}`, context));
  return EXIT.ok;
}

export function reportDetached(context: Context, created: Created): ExitCode {
  const { flags, terminal } = context;
  const key = created.task_key;
  printAnswer(context, created, () => key);
  if (!flags.json) terminal.note(`Go on with: ${asTyped(commandOf('ability', 'task', 'watch', key), context)}`);
  return EXIT.ok;
}

type Stop = Exclude<WaitEnd['kind'], 'ended'>;

const STOPPED_BY: Record<Stop, { what: string; exit: ExitCode }> = {
  approval: {
    what: 'It waits for an approval, and a direct run does not wait for one (pass --wait-approval, or leave out --direct); stopping',
    exit: EXIT.waiting,
  },
  timeout: { what: 'It has not ended in time; stopping', exit: EXIT.timedOut },
  aborted: { what: 'Stopping', exit: EXIT.interrupted },
};

const NOT_AWAITED: Problem = {
  code: 'approval.not_awaited',
  message: 'A direct run does not wait for people, so it was cancelled',
  suggestion: 'Pass `--wait-approval`, or leave out `--direct`: then the task waits.',
};

/** A direct run is only this call: when it stops waiting, the work stops. */
async function runDirectly(
  context: Context,
  project: ProjectClient,
  { task_key: key, attached }: Created,
  flags: Flags,
  deadline: Deadline,
): Promise<ExitCode> {
  const { terminal } = context;
  const { approvalMs } = readPatience(terminal.isLive, flags);
  const timeoutMs = deadline.stopAndReadRest();
  const end = await watchTask(context, project, key, { timeoutMs, approvalMs, begins: !attached });
  if (end.kind === 'ended') return reportEnd(context, project, end.result, flags);
  const { what, exit } = STOPPED_BY[end.kind];
  terminal.note(`${what}; its \`undo\` and \`finally\` run first.`);
  await project.call('cancelTask', { key });
  const stopped = await watchTask(context, project, key, {});
  if (stopped.kind === 'ended') {
    const { result } = stopped;
    const error = result.error ?? (end.kind === 'approval' && result.status === 'cancelled' ? NOT_AWAITED : null);
    await reportEnd(context, project, { ...result, error }, flags);
  }
  return exit;
}

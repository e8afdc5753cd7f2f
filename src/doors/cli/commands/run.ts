import {
  type Connection,
  type CreatedTask,
  cancelTask,
  createTask,
  keepingRuntime,
  type NewTask,
  type Stall,
  type WaitEnd,
  type WaitOptions,
  waitForTask,
} from '../../../client/index.js';
import { AbilityError, type Problem, usageError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { findScope } from '../../../definitions/find-scope.js';
import type { Registry } from '../../../definitions/registry.js';
import { refuseWithoutSteps } from '../../../planning/resolve/check-ability.js';
import { defined } from '../../../text/defined.js';
import { findAbility } from '../../answers/find-ability.js';
import { noteUnknown } from '../../answers/note-gap.js';
import { readIntent } from '../input/flag-values.js';
import { parseFiles, parseInput } from '../input/parse-input.js';
import { readCaller, readTrace } from '../input/read-caller.js';
import { readPlanFlag } from '../input/read-plan-flag.js';
import { openView } from '../output/live/live-view.js';
import { plainText } from '../output/plain-text.js';
import { explainingChange } from '../output/preview/explain-change.js';
import { asTyped, commandOf } from '../output/typed-command.js';
import {
  type Context,
  currentUser,
  environmentOf,
  openRegistry,
  printAnswer,
  withSession,
} from '../program/context.js';
import type { TaskFlags } from '../program/tasks.js';
import { type Deadline, withDeadline } from './following/deadline.js';
import {
  checkFollowFlags,
  followTask,
  noteStall,
  readPatience,
  reportEnd,
  reportUnavailable,
} from './following/follow-task.js';
import { interruption } from './following/interruption.js';
import { strictly } from './task/review-definitions.js';

type Flags = TaskFlags['run'];

/** `ability run ID`: creates a task, runs it, waits for its end. */
export async function run(context: Context, [ability]: [string], flags: Flags): Promise<ExitCode> {
  refuseContradictions(flags);
  if (flags.intent !== undefined) readIntent(flags.intent);
  const patience = checkFollowFlags(context, flags);
  const registry = await openRegistry(context);
  return withDeadline(context, patience, 'No task was created', async (deadline) => {
    const { signal } = deadline;
    const wanted = await newTask(context, registry, ability, flags, true);
    // A plan that has changed is explained before anything is awaited.
    const waits = flags.detach ? { leaves: true } : { soon: flags.plan === undefined };
    const task: NewTask = { ...wanted, ...waits, signal, onStall: notingStalls(context, deadline) };
    const work = async (connection: Connection): Promise<ExitCode> => {
      const create = (): Promise<CreatedTask> => createTask(connection, task);
      const created = await createOrReport(context, task, () =>
        explainingChange(context, registry, flags.plan, create),
      );
      if (typeof created === 'number') return created;
      noteWarnings(context, created);
      if (flags.direct) return runDirectly(context, connection, created, flags, deadline);
      if (flags.detach) return reportDetached(context, created);
      context.terminal.note(`task ${created.id}${created.attached ? ' (there already)' : ''}`);
      return followTask(context, connection, created.id, flags, deadline, !created.attached);
    };
    return withSession(context, registry, work, signal);
  });
}

/** Reports a stall before a task exists, and repeats it in the timeout error of the deadline. */
export function notingStalls({ terminal }: Context, deadline: Deadline): (stall: Stall) => void {
  return (stall) => {
    deadline.stalled(stall);
    noteStall(terminal, stall);
  };
}

export function noteWarnings({ terminal }: Context, { warnings }: Pick<CreatedTask, 'warnings'>): void {
  for (const warning of warnings) terminal.note(`${terminal.style('yellow', 'warning')} ${plainText(warning, '  ')}`);
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

export async function newTask(
  context: Context,
  registry: Registry,
  ability: string,
  flags: Flags,
  isRun: boolean,
): Promise<NewTask> {
  const named = context.flags.env ?? registry.project.default_environment ?? '';
  const place = { ability, environment: named, scope: flags.scope ?? null };
  const definition = await findAbility(registry, ability).catch(noteUnknown(registry, context.env, place));
  refuseWithoutSteps(registry, ability);
  const environment = await environmentOf(context, registry);
  const plan = flags.plan === undefined ? undefined : readPlanFlag(flags.plan, context.cwd).wanted;
  return {
    ability,
    environment,
    input: parseInput(flags, definition.input_schema, context),
    ...(flags.file && flags.file.length > 0 && { files: parseFiles(flags.file, registry.project, context.cwd) }),
    ...(plan && { plan }),
    caller: {
      person: currentUser(context.env),
      kind: readCaller(context.env),
      session: flags.session ?? (context.env.ABILITY_SESSION || null),
      scope: findScope(registry.root, context.cwd, flags.scope, context.env),
      trace: readTrace(context.env),
      intent: flags.intent === undefined ? null : readIntent(flags.intent),
    },
    run: isRun,
    direct: flags.direct ?? false,
    ...defined({ key: flags.key, made: context.made }),
    onStall: (stall) => noteStall(context.terminal, stall),
    ...strictly(context, registry),
  };
}

/** Creates the task, or prints why it cannot be created. Source: R-000-69, R-000-73; docs/guide.md#tasks. */
export async function createOrReport<T extends object>(
  context: Context,
  place: { ability: string; environment: string },
  create: () => Promise<T>,
): Promise<T | ExitCode> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return reportUnavailable(context, place, error);
  }
}

export function reportDetached(context: Context, { id, warnings }: CreatedTask): ExitCode {
  const { flags, terminal } = context;
  const answer = { status: 'available', task_key: id, warnings };
  printAnswer(context, answer, () => id);
  if (!flags.json) terminal.note(`Go on with: ${asTyped(commandOf('ability', 'task', 'watch', id), context)}`);
  return EXIT.ok;
}

type Stop = Exclude<WaitEnd['kind'], 'ended'>;

const STOPPED_BY: Record<Stop, string> = {
  approval:
    'It waits for an approval, and a direct run does not wait for one (pass --wait-approval, or leave out --direct); stopping',
  timeout: 'It has not ended in time; stopping',
  aborted: 'Stopping',
};

const NOT_AWAITED: Problem = {
  code: 'approval.not_awaited',
  message: 'A direct run does not wait for people, so it was cancelled',
  suggestion: 'Pass `--wait-approval`, or leave out `--direct`: then the task waits.',
};

const EXIT_WHEN_STOPPED: Record<Stop, ExitCode> = {
  approval: EXIT.waiting,
  timeout: EXIT.timedOut,
  aborted: EXIT.interrupted,
};

/**
 * A direct run is only this call: when it stops waiting, the work stops. Source:
 * docs/architecture.md#what-lives-where-in-temporal.
 */
async function runDirectly(
  context: Context,
  connection: Connection,
  { id, attached }: CreatedTask,
  flags: Flags,
  deadline: Deadline,
): Promise<ExitCode> {
  const { terminal } = context;
  const { approvalMs } = readPatience(terminal.isLive, flags);
  const interrupted = interruption(context);
  const view = openView(context, connection, id);
  const onProgress: WaitOptions['onProgress'] = (result, now) => view.update(result, now);
  try {
    const onStall = (stall: Stall): void => noteStall(terminal, stall);
    const timeoutMs = deadline.stopAndReadRest();
    const end = await waitForTask(connection, id, {
      timeoutMs,
      approvalMs,
      onStall,
      onProgress,
      begins: !attached,
      signal: interrupted.signal,
    });
    if (end.kind === 'ended') return await reportEnd(context, connection, end.result, flags);
    terminal.note(`${STOPPED_BY[end.kind]}; the clean-up runs first.`);
    await keepingRuntime(connection, () => cancelTask(connection, id));
    const stopped = await waitForTask(connection, id, { onStall, onProgress });
    if (stopped.kind === 'ended') {
      const { result } = stopped;
      const error = result.error ?? (end.kind === 'approval' && result.status === 'cancelled' ? NOT_AWAITED : null);
      await reportEnd(context, connection, { ...result, error }, flags);
    }
    return EXIT_WHEN_STOPPED[end.kind];
  } finally {
    interrupted.done();
    view.close();
  }
}

import type { z } from 'zod';
import type { Connection } from '../../../client/index.js';
import { AbilityError } from '../../../contracts/problem.js';
import type { RuntimeFile } from '../../../contracts/runtime.js';
import { findProjectRoot, PACKS_VARIABLE } from '../../../definitions/find-project.js';
import type { Further } from '../../../operations/create-task.js';
import type { OpenProject, Operation, OperationCaller } from '../../../operations/operation.js';
import type { Operations } from '../../../operations/operations.js';
import {
  type Claims,
  callDoor,
  type InputOf,
  type OutputOf,
  streamDoor,
} from '../../../operations/over-http/call-door.js';
import { DoorLink } from '../../../operations/over-http/door-link.js';
import { currentUser, readCaller, readTrace } from '../../../operations/read-caller.js';
import { packageVersion } from '../../../server/installation.js';
import { isVisible } from '../../../server/processes/processes.js';
import { type ProjectPaths, pathsOf } from '../../../server/project-paths.js';
import { readRuntimeFile } from '../../../server/runtime/runtime-file.js';
import { isOwnSocket } from '../../../server/runtime/runtime-socket.js';
import { attempt } from '../../../text/attempt.js';
import { type Context, noteForeignTasks, openLoader, withSession } from './context.js';
import { type Asked, type Created, nearest, type ProjectClient, withRest } from './project-operations.js';
import { type RuntimeWatch, watchRuntime } from './watch-runtime.js';

/** @param signal ends connecting, with its reason. */
export async function withProject<T>(
  context: Context,
  action: (project: ProjectClient) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { door } = context;
  if (door) return (await import('./door/door-client.js')).withDoor(context, door, action);
  const runtime = findRuntime(context);
  const here = new Here(context, signal);
  const link = runtime && new DoorLink({ address: `unix:${runtime.socket}` });
  const watch = runtime && link && watchRuntime(context, runtime, link);
  try {
    return await action(runtime && link && watch ? overSocket(context, runtime, link, here, watch) : inProcess(here));
  } finally {
    watch?.stop();
    link?.close();
    await here.close();
  }
}

/** As {@link withProject}, for what only reads definitions: without a runtime, and with the variables of this process. */
export async function withDefinitions<T>(context: Context, action: (project: ProjectClient) => Promise<T>): Promise<T> {
  if (context.door) return withProject(context, action);
  const here = new Here(context, undefined);
  try {
    return await action(inProcess(here));
  } finally {
    await here.close();
  }
}

function inProcess(here: Here): ProjectClient {
  return {
    paths: here.paths,
    call: (name, input, signal) => here.run(name, input, signal),
    stream: (name, input, signal) => here.run(name, input, signal),
    create: (wanted, further) => here.create(wanted, further),
    retry: (wanted, further) => here.retry(wanted, further),
    here: (action) => here.use(action),
    isOwnRuntime: () => here.isOwnRuntime,
  };
}

/**
 * Operations that would act twice, or fail, if they were repeated because an answer was lost. In this process the client
 * repeats them itself, as the same request.
 */
const NOT_REPEATED: ReadonlySet<Asked> = new Set<Asked>([
  'deleteSchedule',
  'deleteTask',
  'fireSchedule',
  'promptSession',
  'signalTask',
  'startSession',
  'stopSession',
]);

/**
 * Where the socket does not answer, or has too many requests, the command goes on in its own process, unless the runtime
 * was stopped.
 */
function overSocket(
  context: Context,
  runtime: ReachableRuntime,
  link: DoorLink,
  here: Here,
  watch: RuntimeWatch,
): ProjectClient {
  const { env } = context;
  const claims: Claims = { user: currentUser(env).name, kind: readCaller(env), trace: readTrace(env) };
  let [isReached, isLost] = [false, false];
  const orHere = async <T>(ask: () => Promise<T>, otherwise: () => Promise<T>): Promise<T> => {
    if (isLost) return otherwise();
    try {
      const answer = await watch.unlessFull(ask());
      isReached = true;
      return answer;
    } catch (error) {
      if (error instanceof AbilityError && error.code === 'door.too_many') return otherwise();
      if (!(error instanceof AbilityError) || error.code !== 'door.unreachable') throw error;
      const { runtimeStopped, wasStopped } = await import('../../../server/runtime/stop-runtime.js');
      if (wasStopped(runtime.paths, runtime)) throw runtimeStopped();
      isLost = true;
      if (isReached) here.lost = runtime;
      return otherwise();
    }
  };
  const note = noteForeignTasks(context, runtime.project ?? '');
  const noted = <T>(answer: T): T => {
    const { task_key: key, project } = answer as { task_key?: unknown; project?: unknown };
    if (typeof key === 'string' && typeof project === 'string') note(key, project);
    return answer;
  };
  const client: ProjectClient = {
    paths: runtime.paths,
    call: (name, input, signal) =>
      NOT_REPEATED.has(name)
        ? here.run(name, input, signal)
        : orHere(
            () => callDoor(link, name, input, claims, signal).then(noted, nearest(client)),
            () => here.run(name, input, signal),
          ),
    async stream(name, input, signal) {
      const began = performance.now();
      const again = () => here.run(name, withRest(input, performance.now() - began), signal);
      const events = await orHere(() => streamDoor(link, name, input, claims, signal).catch(nearest(client)), again);
      return resumed(watch.whileRoom(events as AsyncIterable<never>), (error) => {
        // The server was lost before the door: killed an instant earlier, or suspended together with it. The task goes on.
        const isServerLost = error instanceof AbilityError && error.code === 'temporal.unavailable';
        const { message } = error as Error;
        return orHere(
          () => Promise.reject(isServerLost ? new AbilityError({ code: 'door.unreachable', message }) : error),
          again,
        );
      }) as never;
    },
    create(wanted, { run = false, soon = false, leaves = false, signal, onStall: _, ...more }) {
      if (Object.values(more).some((value) => value !== undefined))
        return here.create(wanted, { run, soon, leaves, signal, ...more });
      if (!run) return client.call('createTask', wanted, signal);
      return client.call('runAbility', { ...wanted, soon, leaves }, signal) as Promise<Created>;
    },
    retry(wanted, { signal, onStall: _, ...more }) {
      if (Object.keys(more).length > 0) return here.retry(wanted, { signal, ...more });
      return client.call('retryTask', wanted, signal) as Promise<Created>;
    },
    here: (action) => here.use(action),
    isOwnRuntime: () => true,
  };
  return client;
}

/** Events that come from elsewhere when they break off. */
async function* resumed<T>(events: AsyncIterable<T>, again: (error: unknown) => Promise<unknown>): AsyncGenerator<T> {
  try {
    yield* events;
  } catch (error) {
    yield* (await again(error)) as AsyncIterable<T>;
  }
}

/** The connection of this process, opened on first use. */
class Here {
  readonly paths: ProjectPaths;
  isOwnRuntime = false;
  /** The runtime that had answered this command before it ended. */
  lost: RuntimeFile | undefined;
  private opening: Promise<Connection> | undefined;
  private leave = (): void => {};
  private left: Promise<unknown> | undefined;

  constructor(
    private readonly context: Context,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.paths = pathsOf(findProjectRoot(context.cwd, context.flags.project));
  }

  async use<T>(action: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.open();
    return action(connection);
  }

  async run<Name extends keyof Operations>(
    name: Name,
    input: InputOf<Name>,
    signal = new AbortController().signal,
  ): Promise<OutputOf<Name>> {
    const [{ OPERATIONS }, { runOperation }] = await Promise.all([
      import('../../../operations/operations.js'),
      import('../../../operations/run-operation.js'),
    ]);
    const operation = OPERATIONS[name] as unknown as Operation<z.ZodObject, unknown>;
    return this.as(name, operation, input, (given, project, caller) => {
      return runOperation(operation, project, caller, given, signal) as Promise<OutputOf<Name>>;
    });
  }

  async create(wanted: InputOf<'createTask'>, further: Further): Promise<Created> {
    const { createTask, createdAnswer, makeTask } = await import('../../../operations/create-task.js');
    return this.as('createTask', createTask, wanted, async (given, project, caller) => {
      return createdAnswer(await makeTask(project, caller, given, further));
    });
  }

  async retry(wanted: InputOf<'retryTask'>, further: Further): Promise<Created & { begins?: string }> {
    const { makeRetry, retryTask } = await import('../../../operations/run-task.js');
    return this.as('retryTask', retryTask, wanted, (given, project, caller) => {
      return project.ask((connection) => makeRetry(project, caller, given, connection, further));
    });
  }

  /** Runs what an operation does, as the user of this process; it connects once it needs to. */
  private async as<Input extends z.ZodObject, T>(
    name: string,
    operation: { input: Input },
    input: object,
    action: (given: z.output<Input>, project: OpenProject, caller: OperationCaller) => Promise<T>,
  ): Promise<T> {
    const { callerHere, projectHere } = await import('../../../operations/in-process.js');
    const { readInputOf } = await import('../../../operations/run-operation.js');
    const given = readInputOf(name, operation, input);
    const { cwd, env, flags, terminal } = this.context;
    const loader = await openLoader(this.context);
    const opened = {
      registry: () => loader.load(),
      ask: <U>(use: (connection: Connection) => Promise<U>) => this.use(use),
      note: (text: string) => terminal.note(text),
    };
    const project = projectHere(opened, env, flags.env);
    return action(given, project, callerHere(this.paths.root, cwd, env)).catch(nearest(inProcess(this)));
  }

  async close(): Promise<void> {
    this.leave();
    await this.left;
  }

  private open(): Promise<Connection> {
    this.opening ??= new Promise<Connection>((resolve, reject) => {
      const stay = new Promise<void>((done) => {
        this.leave = done;
      });
      const hold = async (connection: Connection): Promise<void> => {
        this.isOwnRuntime = connection.isOwnRuntime;
        resolve(connection);
        await stay;
      };
      this.left = openLoader(this.context)
        .then((loader) => withSession(this.context, loader.load(), hold, this.signal, this.lost))
        .catch(reject);
    });
    return this.opening;
  }
}

type ReachableRuntime = RuntimeFile & { socket: string; paths: ProjectPaths };

/** Variables that name another server, store or folder of definitions, so that the runtime is bypassed. */
const ELSEWHERE = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'ABILITY_STORE', PACKS_VARIABLE] as const;

/**
 * A runtime that is recorded as up, of this version, user and machine; it may be dead. Undefined with
 * `ABILITY_SOCKET=off`, with another server or store, and with `--strict`, which compares definitions here.
 */
export function findRuntime({ cwd, env, flags }: Pick<Context, 'cwd' | 'env' | 'flags'>): ReachableRuntime | undefined {
  const { address, namespace, profile, strict } = flags;
  if ([address, namespace, profile, strict].some((flag) => flag !== undefined)) return undefined;
  if (env.ABILITY_SOCKET === 'off' || ELSEWHERE.some((name) => env[name])) return undefined;
  // The command itself reports the error.
  return attempt(() => {
    const paths = pathsOf(findProjectRoot(cwd, flags.project));
    const runtime = readRuntimeFile(paths);
    if (runtime?.state !== 'up' || runtime.version !== packageVersion() || !isVisible(runtime)) return undefined;
    const { socket } = runtime;
    return socket !== undefined && isOwnSocket(socket) ? { ...runtime, socket, paths } : undefined;
  });
}

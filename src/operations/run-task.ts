import { z } from 'zod';
import { type Connection, keepingRuntime, retryTask as retry, runTask as run } from '../client/index.js';
import type { TaskResult } from '../contracts/task.js';
import { defined } from '../text/defined.js';
import { task } from './concerns.js';
import { created, createdAnswer, type Further } from './create-task.js';
import * as fields from './fields.js';
import { type OpenProject, type OperationCaller, operation } from './operation.js';
import { taskResult } from './task-result.js';
import { resultAnswer, statusOfResult, viewOwn, waitFor } from './wait-for-result.js';

const paths = z.array(z.string().min(1).max(300));

const input = z.strictObject({
  key: fields.key,
  from: z.string().min(1).max(300).optional().describe('The step to begin at; left out: the first that has to run.'),
  stands: paths.optional().describe('Calls that were not undone and still hold.'),
  undone: paths.optional().describe('Calls whose undo is not known, and that were undone.'),
  wait: fields.wait.optional(),
  leaves: z.boolean().default(false).describe('Run it even if a worker takes it up only later.'),
});

/** Both make a new task from an ended one. */
const RETRYING = {
  right: 'run',
  concerns: task,
  starts: true,
  answers: {
    200: { means: 'It has ended: `status` says how.', schema: taskResult },
    202: {
      means: 'It goes on; without `wait`, only its key is returned.',
      schema: taskResult.or(created.extend({ begins: z.string().optional().describe('Where it begins, and why.') })),
    },
  },
  status: statusOfResult,
} as const;

export const retryTask = operation({
  ...RETRYING,
  summary: 'Run an ended task again as a new one, with the results that still hold.',
  at: 'POST /v1/tasks/{key}/retry',
  input,
  run: runRetry,
});

export const reconcileTask = operation({
  ...RETRYING,
  summary: 'Ask what became of the calls that a task lost, and go on with it as a new one.',
  at: 'POST /v1/tasks/{key}/reconcile',
  input: input.pick({ key: true, wait: true, leaves: true }),
  run: (project, caller, wanted, signal) => runRetry(project, caller, { ...wanted, reconcile: true }, signal),
});

function runRetry(
  project: OpenProject,
  caller: OperationCaller,
  { wait, ...wanted }: Wanted & Pick<z.output<typeof input>, 'wait'>,
  signal: AbortSignal,
) {
  return project.ask(async (connection) => {
    const made = await makeRetry(project, caller, wanted, connection, {});
    if (wait === undefined) return made;
    const ended = resultAnswer(await waitFor(project, caller, connection, made.task_key, wait, signal));
    return made._meta === undefined ? ended : { ...ended, _meta: made._meta };
  });
}

type Wanted = Omit<z.output<typeof input>, 'wait'> & { reconcile?: true };

/** @throws AbilityError as the client's `retryTask`. */
export async function makeRetry(
  project: OpenProject,
  caller: OperationCaller,
  { key, from, stands, undone, reconcile, leaves }: Wanted,
  connection: Connection,
  further: Pick<Further, 'registry' | 'review' | 'onStall' | 'signal'>,
) {
  const { result } = await viewOwn(connection, key, 'temporal');
  const { person, kind, trace } = caller;
  return project.inSession(connection, caller, result.environment, async (session) => {
    const how = { ...defined({ from, stands, undone, reconcile, session: session ?? undefined }), ...defined(further) };
    const wanted = { ...how, person, kind, trace, door: caller.proof?.door ?? null, run: true, leaves };
    const made = await keepingRuntime(connection, () => retry(connection, key, wanted));
    return { ...createdAnswer({ ...made, session }), ...defined({ begins: made.begins }) };
  });
}

const running = z.strictObject({ status: z.literal('running'), task_key: z.string() });

export const runTask = operation({
  summary: 'Run a created task.',
  right: 'run',
  concerns: task,
  at: 'POST /v1/tasks/{key}/run',
  input: z.strictObject({ key: fields.key, wait: fields.wait.optional() }),
  answers: {
    200: { means: 'It has ended: `status` says how.', schema: taskResult },
    202: { means: 'It goes on.', schema: taskResult.or(running) },
  },
  status: statusOfResult,
  run: (project, caller, { key, wait }, signal): Promise<TaskResult | z.output<typeof running>> =>
    project.ask(async (connection) => {
      await run(connection, key);
      if (wait === undefined) return { status: 'running', task_key: key };
      return resultAnswer(await waitFor(project, caller, connection, key, wait, signal));
    }),
});

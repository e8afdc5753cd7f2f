import type { WorkflowStartOptions } from '@temporalio/client';
import type { ProvedStart } from '../../contracts/approvals.js';
import { taskQueueOf } from '../../contracts/names.js';
import type { TaskArguments, TaskMemo, TaskOptions } from '../../contracts/task.js';
import type { OwnDefinitions } from '../../planning/resolve/own-definitions.js';
import { digestOf } from '../../rules/canonical.js';
import { markdownLine } from '../../rules/shown-text.js';
import { OWN_DOOR, proveAtDoor } from '../../server/keys/door-key.js';
import { defined } from '../../text/defined.js';
import type { Connection } from '../connection/connect.js';
import { queueWithWorker } from '../connection/find-workers.js';
import { keywordAttributes } from '../connection/temporal-errors.js';
import type { NewTask } from './new-task.js';

/** A caller who waits is told after this long that nobody serves the task, which then runs nothing. */
export const UNSERVED_MS = 60_000;

/** Enough of a digest to tell two sets of definitions apart. */
const SHORT = 12;

/** Arguments and options of a start: everything but the policies for a key that is taken. */
export interface StartRequest {
  args: TaskArguments;
  memo: TaskMemo;
  options: Pick<
    WorkflowStartOptions,
    'taskQueue' | 'memo' | 'typedSearchAttributes' | 'priority' | 'staticSummary' | 'staticDetails'
  >;
}

/** @param id of the task, where a door may sign who starts it. @throws AbilityError `placement.no_worker`. */
export async function startRequest(connection: Connection, wanted: NewTask, id?: string): Promise<StartRequest> {
  const { ability, environment, input, caller, run } = wanted;
  const own = connection.definitions?.(ability, environment);
  const options = { ...optionsOf(wanted, own), ...(id !== undefined && vouchedFor(connection, id, wanted)) };
  const memo = memoOf(wanted, own);
  return {
    args: [input, options],
    memo,
    options: {
      taskQueue: wanted.unserved
        ? taskQueueOf(connection.project, environment, own?.placement ?? 'local')
        : await queueWithWorker(connection, environment, own?.placement),
      memo: { ...memo },
      typedSearchAttributes: keywordAttributes({
        AbilityProject: connection.project,
        AbilityStatus: run ? 'running' : 'created',
        AbilityEnvironment: environment,
        ...(own?.module !== undefined && { AbilityModule: own.module }),
        ...(caller.session !== null && { AbilitySession: caller.session }),
      }),
      // Where the server supports fairness, many tasks of one requester do not delay those of others.
      priority: { fairnessKey: fairnessKeyOf(caller.person.name, environment) },
      staticSummary: `${ability} in ${environment}, ${run ? '' : 'created '}for ${markdownLine(caller.person.name)}`,
      ...(own?.summary !== undefined && { staticDetails: own.summary }),
    },
  };
}

/** The claims of the caller, and how the task is to begin. Source: docs/start-from-temporal.md#options. */
function optionsOf(
  { caller, inRun, run, leaves, retry, plan, registry }: NewTask,
  own: Pick<OwnDefinitions, 'digest'> | undefined,
): TaskOptions {
  const { person, kind, session, scope, intent } = caller;
  const { name, agent } = person;
  return {
    user: { name, ...(agent !== undefined && { agent }) },
    ...defined({ session: session ?? undefined, scope: scope ?? undefined }),
    ...(kind !== null && { caller: kind }),
    ...defined({ intent: intent ?? undefined, run: inRun }),
    ...(!run && { create: true as const }),
    ...defined({ retry, plan, registry }),
    ...(own && registry === undefined && { definitions: own.digest.slice(0, SHORT) }),
    ...(!leaves && { start_by: `${UNSERVED_MS / 1000}s` }),
  };
}

/** As of decisions: workers of a shared server know no key of a project's own door. */
function vouchedFor(
  { isOwnRuntime, project }: Connection,
  task: string,
  { ability, environment, input, caller: { person }, door }: NewTask,
): Pick<TaskOptions, 'vouched'> {
  if (!door || (door.key.id === OWN_DOOR && !isOwnRuntime)) return {};
  const { name: by, agent = null } = person;
  const start: ProvedStart = { task, ability, environment, input: digestOf(input), by, agent };
  return { vouched: proveAtDoor(door.key, project, start, door.admitted) };
}

function memoOf(
  { ability, environment, caller, retry, handle, review }: NewTask,
  own: OwnDefinitions | undefined,
): TaskMemo {
  const { person, trace, intent } = caller;
  return {
    ability,
    ...(own && { version: own.version }),
    environment,
    requested_by: person.name,
    ...defined({ agent: person.agent, retry_of: retry?.task, intent: intent ?? undefined, handle }),
    ...(trace !== null && { trace }),
    ...(review && { held: true }),
  };
}

/** Temporal's limit for a fairness key, in bytes. */
const MAX_BYTES = 64;

function fairnessKeyOf(name: string, environment: string): string {
  const key = Buffer.from(name.trim() || environment).subarray(0, MAX_BYTES);
  return key.toString('utf8').replace(/\uFFFD+$/, '');
}

import type { Info } from '@temporalio/activity';
import type { Caller, Person } from '../../contracts/callers.js';
import type { JsonObject } from '../../contracts/json.js';
import { ABILITY_ID, placementsOf, taskQueueOf } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import type { PreflightRequest, TaskOptions } from '../../contracts/task.js';
import type { Registry } from '../../definitions/registry.js';
import { digestOf } from '../../rules/canonical.js';
import { checkRunId, checkScope } from '../../rules/sessions/session-refusals.js';
import { callerToSeal } from '../../rules/tasks/persons.js';
import { userOf } from '../../rules/tasks/task-arguments.js';
import { isRootTask } from '../../rules/tasks/task-ids.js';
import { keyOfOther } from '../../rules/tasks/task-refusals.js';
import type { ActivityDependencies } from '../dependencies.js';
import { sealInvalid } from '../seal.js';

export type ReadDependencies = Pick<ActivityDependencies, 'project' | 'plans' | 'proofs' | 'readGiven'>;

/** A request to form a task: all that a guard reads is there, null or undefined where it is not known. */
export interface Wanted {
  ability: string;
  environment: string;
  /** As it was given, without defaults. */
  input: JsonObject;
  /** Workflow id: its key, or `direct:<uuid>`. */
  task: string;
  /** On which it was started. */
  taskQueue: string;
  first: string;
  created_at: string;
  /** Milliseconds since 1970. */
  moment: number;
  outside: boolean;
  again: boolean;
  user: Person;
  session: string | null;
  /** Folder of the project that the task is about; undefined: not specified. */
  scope: string | undefined;
  /** Undefined: not known, so that every hook fires. */
  caller: Caller | undefined;
  options: TaskOptions;
}

type Asked = Pick<Info, 'workflowType' | 'workflowExecution' | 'taskQueue'>;

/**
 * The request of the workflow that runs on this very worker. Its type is the ability, its id the key, and the
 * environment that of the queue which this worker polls. @throws AbilityError `seal.invalid`, `ability.not_found`,
 * `task.key_invalid`, `task.other_project`, `usage.invalid`, `config.registry_differs`.
 */
export function readRequest(
  { input, options, first, created_at, moment, project: named, outside, again }: PreflightRequest,
  info: Asked,
  registry: Registry,
  { project, proofs }: ReadDependencies,
): Wanted {
  const { ability, environment, task } = placeOf(info, registry, project);
  if (named !== undefined && named !== project) throw keyOfOther(task, named, project);
  refuseOtherDefinitions(options, registry);
  refuseForgedUser({ task, ability, environment, input, options }, proofs);
  const { session = null, scope, run } = options;
  if (run !== undefined) checkRunId(run);
  return {
    ability,
    environment,
    input,
    task,
    taskQueue: info.taskQueue,
    first,
    created_at,
    moment: moment ?? Date.now(),
    outside: outside === true,
    again: again === true,
    user: userOf(options),
    session,
    // Files are written under the scope.
    scope: scope === undefined ? undefined : checkScope(scope),
    caller: callerToSeal({ session, caller: options.caller }),
    options,
  };
}

/**
 * As {@link readRequest}, of the run that asks: any workflow could ask for an activity, so its first event counts,
 * and not what it says of itself. @throws AbilityError as readRequest.
 */
export async function readRequestOfRun(
  info: Asked,
  registry: Registry,
  dependencies: ReadDependencies,
): Promise<Wanted> {
  const run = info.workflowExecution;
  const { ability, environment } = placeOf(info, registry, dependencies.project);
  const given = run && (await dependencies.readGiven(run));
  if (!run || !given) throw notOfTask();
  await dependencies.plans.refuseForeignStart(run, ability, queuesOf(dependencies.project, environment, registry));
  return readRequest(given, info, registry, dependencies);
}

/** @throws AbilityError `seal.invalid` if no door that is known here has signed who starts the task. */
function refuseForgedUser(
  {
    task,
    ability,
    environment,
    input,
    options,
  }: Pick<Wanted, 'task' | 'ability' | 'environment' | 'input' | 'options'>,
  proofs: ReadDependencies['proofs'],
): void {
  const { user, vouched } = options;
  if (!vouched) return;
  const check = proofs();
  const { name: by = '', agent = null } = user ?? {};
  const start = { task, ability, environment, input: digestOf(input), by, agent };
  const why = check ? check(start, vouched) : 'this worker knows no door';
  if (why !== undefined) throw sealInvalid(`Who starts ${task} is not proved: ${why}`);
}

function queuesOf(project: string, environment: string, registry: Registry): string[] {
  return placementsOf(registry.project).map((placement) => taskQueueOf(project, environment, placement));
}

/** The environment whose queue it is; undefined: none of the project's. */
export function environmentOf(queue: string, registry: Registry, project: string): string | undefined {
  return Object.keys(registry.project.environments).find((name) => queuesOf(project, name, registry).includes(queue));
}

function placeOf({ workflowType: ability, workflowExecution, taskQueue }: Asked, registry: Registry, project: string) {
  const task = workflowExecution?.workflowId;
  if (task === undefined || ability === undefined) throw notOfTask();
  const environment = environmentOf(taskQueue, registry, project);
  if (environment === undefined) throw notServed(taskQueue, project);
  if (!isRootTask(task)) throw keyInvalid(task);
  if (!ABILITY_ID.test(ability)) throw noAbility(ability);
  return { ability, environment, task };
}

/** @throws AbilityError `config.registry_differs` if the requester insists on other definitions. */
function refuseOtherDefinitions({ registry: wanted }: TaskOptions, { digest }: Registry): void {
  if (wanted === undefined || digest.startsWith(wanted)) return;
  throw new AbilityError({
    code: 'config.registry_differs',
    message: 'The definitions of the worker differ from those that were asked for',
    suggestion: 'Deploy these definitions to the workers, or do not insist on them (--strict, the option `registry`).',
  });
}

/** The error for a preflight that no task of its environment asks for. */
export function notOfTask(): AbilityError {
  return sealInvalid(
    'This preflight was not requested by a task on a queue of its environment',
    'Start the ability itself; activities are never started by hand.',
  );
}

function notServed(queue: string, project: string): AbilityError {
  return new AbilityError({
    code: 'environment.not_found',
    message: `The queue ${queue} is that of no environment of ${project}`,
    suggestion: 'The queue is <project>-<environment>-local or <project>-<environment>-cloud.',
  });
}

function noAbility(type: string): AbilityError {
  return new AbilityError({
    code: 'ability.not_found',
    message: `${JSON.stringify(type.slice(0, 100))} cannot be an ability`,
    suggestion: 'The workflow type is the id of an ability; `ability list` shows them.',
  });
}

function keyInvalid(id: string): AbilityError {
  return new AbilityError({
    code: 'task.key_invalid',
    message: `${JSON.stringify(id.slice(0, 200))} is no task key`,
    suggestion:
      'A key has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit; a Temporal Schedule may append its time.',
  });
}

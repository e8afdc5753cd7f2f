import type { Info } from '@temporalio/activity';
import { sessionIdOf, WORKFLOWS } from '../../contracts/names.js';
import type { SessionSurroundings } from '../../contracts/session.js';
import type { Admission, CheckedChains } from '../admission.js';
import { sealInvalid } from '../seal.js';
import type { KnownRun, RunRef, Runs } from '../task/runs.js';

/** Distinguishes the sessions of a project from workflows of foreign code. */
export interface SessionRuns {
  runs: Pick<Runs, 'find'>;
  chains: CheckedChains;
}

/**
 * The run of a session if it and the first run of its chain were started as sessions on a queue of the project,
 * with no workflow task handed to the client; else undefined. The code that runs a session decides its answers to
 * guards, and a run takes over the counts of earlier ones.
 */
export async function findOwnSession(
  run: RunRef,
  queues: readonly string[],
  { runs, chains }: SessionRuns,
): Promise<KnownRun | undefined> {
  const isSession = (found: KnownRun | undefined): boolean =>
    found !== undefined &&
    found.workflowId === run.workflowId &&
    found.type === WORKFLOWS.session &&
    found.eager !== true &&
    found.parent === undefined &&
    queues.includes(found.taskQueue);
  const found = await runs.find(run);
  if (!isSession(found)) return undefined;
  const first = found?.first;
  if (first === undefined || (await chains.has(first))) return found;
  if (!isSession(await runs.find({ workflowId: run.workflowId, runId: first }))) return undefined;
  await chains.keep(first);
  return found;
}

/**
 * Refuses requests from anything but a session of the project: as with tasks, the type and queue of its first
 * event show whose code runs it. @throws AbilityError
 * `seal.invalid`.
 */
export async function admitSession(
  { session_id, environment }: SessionSurroundings,
  { workflowExecution: run, taskQueue }: Pick<Info, 'workflowExecution' | 'taskQueue'>,
  { plans, project }: { plans: Admission; project: string },
): Promise<void> {
  const queues = plans.queuesOf(environment);
  const isOwnRequest = run?.workflowId === sessionIdOf(project, session_id) && queues.includes(taskQueue);
  if (run && isOwnRequest && (await findOwnSession(run, queues, plans))) return;
  throw sealInvalid(
    'This activity was not requested by a session of the project',
    'Start sessions through Ability Runtime; activities are never started by hand.',
  );
}

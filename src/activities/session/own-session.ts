import { WORKFLOWS } from '../../contracts/names.js';
import type { CheckedChains } from '../plan-source.js';
import type { KnownRun, RunRef, Runs } from '../runs.js';

/** What tells the sessions of a project from workflows of foreign code. */
export interface SessionRuns {
  runs: Pick<Runs, 'find'>;
  chains: CheckedChains;
}

/**
 * The run of a session, where it and the first run of its chain were started as sessions on a queue of the project, past which
 * nobody was handed their tasks. Undefined for all else: whose code runs a session decides what it answers guards, and what an
 * earlier run has counted is the next one's to say.
 *
 * @param queues of the project. Source: docs/architecture.md#the-way-of-a-task.
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

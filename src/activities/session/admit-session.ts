import type { Info } from '@temporalio/activity';
import { sessionIdOf, taskQueueOf } from '../../contracts/names.js';
import { PLACEMENTS } from '../../contracts/placement.js';
import { AbilityError } from '../../contracts/problem.js';
import type { SessionSurroundings } from '../../contracts/session.js';
import type { PlanSource } from '../plan-source.js';
import { findOwnSession } from './own-session.js';

/**
 * Refuses what was not asked for by a session of the project: as with tasks, the type and the queue of its first event
 * tell whose code runs it. Source: docs/architecture.md#the-way-of-a-task.
 *
 * @throws AbilityError `seal.invalid`.
 */
export async function admitSession(
  { session_id, environment }: SessionSurroundings,
  { workflowExecution: run, taskQueue }: Pick<Info, 'workflowExecution' | 'taskQueue'>,
  { plans, project }: { plans: PlanSource; project: string },
): Promise<void> {
  const queues = PLACEMENTS.map((placement) => taskQueueOf(project, environment, placement));
  const isAsked = run?.workflowId === sessionIdOf(project, session_id) && queues.includes(taskQueue);
  if (run && isAsked && (await findOwnSession(run, queues, plans))) return;
  throw new AbilityError({
    code: 'seal.invalid',
    message: 'This activity was not asked for by a session of the project',
    suggestion: 'Start sessions through Ability Runtime; activities are never started by hand.',
  });
}

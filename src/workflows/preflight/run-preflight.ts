import { type ActivityOptions, type LocalActivityOptions, proxyActivities } from '@temporalio/workflow';
import { ACTIVITIES, ACTIVITY_LIMITS } from '../../contracts/names.js';
import type { Formed, PreflightAnswer, PreflightRequest } from '../../contracts/task.js';
import { localActivity } from '../calls/local-activities.js';

/** Definitions, credentials and MCP servers answer within this, or the request is refused. */
const LIMIT = '55s';

const LOCAL: LocalActivityOptions = { scheduleToCloseTimeout: LIMIT, retry: { maximumAttempts: 2 } };

const DEDICATED: ActivityOptions = {
  scheduleToStartTimeout: ACTIVITY_LIMITS.schedule_to_start,
  scheduleToCloseTimeout: '3m',
  startToCloseTimeout: LIMIT,
  // Detects a killed worker by its missing heartbeats.
  heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
  retry: { initialInterval: '200ms', maximumAttempts: 5 },
  summary: 'hooks before creation',
};

/** One event of the history; with hooks that are scripts or abilities, an activity of their phase besides. */
export async function runPreflight(request: PreflightRequest): Promise<Exclude<PreflightAnswer, { dedicated: true }>> {
  const answer = await localActivity<PreflightRequest, PreflightAnswer>(ACTIVITIES.preflight, LOCAL)(request);
  if (!('dedicated' in answer)) return answer;
  const { PreAbilityCreate: ask } = proxyActivities<{ PreAbilityCreate(): Promise<Formed> }>(DEDICATED);
  return ask();
}

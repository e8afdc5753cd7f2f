import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { ACTIVITIES, ACTIVITY_LIMITS } from '../../contracts/names.js';

/** Activities that run an event's hooks, and their local variants. */
const FORMS = {
  start: [ACTIVITIES.askStart, ACTIVITIES.askStartLocal],
  prompt: [ACTIVITIES.askPrompt, ACTIVITIES.askPromptLocal],
} as const;

type Ask<Answer> = Record<string, (request: unknown) => Promise<Answer>>;

/**
 * Runs the hooks of a session event: in one event of the history if all are expressions, else in an activity.
 * @param mayBeLocal false if answering queries tasks: these may wait for this very workflow.
 */
export async function askEvent<Answer>(
  event: keyof typeof FORMS,
  request: unknown,
  summary: string,
  mayBeLocal = true,
): Promise<Answer> {
  const [type, localType] = FORMS[event];
  if (mayBeLocal) {
    const local = proxyLocalActivities<Ask<Answer | null>>({
      scheduleToCloseTimeout: '5s',
      retry: { maximumAttempts: 1 },
    });
    // On failure the activity below repeats it and reports the reason.
    const answer = await (local[localType] as Ask<Answer | null>[string])(request).catch(() => null);
    if (answer !== null) return answer;
  }
  const activities = proxyActivities<Ask<Answer>>({
    startToCloseTimeout: '6 minutes',
    scheduleToStartTimeout: ACTIVITY_LIMITS.schedule_to_start,
    heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
    retry: { maximumAttempts: 3 },
    summary,
  });
  return (activities[type] as Ask<Answer>[string])(request);
}

import type { AskPromptAnswer, AskPromptRequest } from '../../contracts/session.js';
import { failedAnswer } from '../../rules/hook-facts.js';
import { mergeSignals } from '../../rules/merge-signals.js';
import { askEvent } from './ask-event.js';
import { type EventActivities, eventActivities, type SessionDependencies } from './event-activities.js';
import { followTasks } from './follow-tasks.js';
import { keepSignals } from './keep-signals.js';

/**
 * Runs the hooks of a prompt, looks what the guards of the session's tasks said since the last one, and makes the turn
 * context of both. Source: R-002-24, R-002-36 to R-002-40, R-002-47.
 */
export function createAskPrompt(dependencies: SessionDependencies): EventActivities<AskPromptRequest, AskPromptAnswer> {
  return eventActivities('PromptSubmit', dependencies, async (request: AskPromptRequest, planned, signal) => {
    const { prompt, turn_index, scope, session_id, moment, guards } = request;
    const event = { payload: () => ({ prompt, turn_index, scope }), moment };
    const [hooks, followed] = await Promise.all([
      askEvent(planned, event, request, dependencies, signal),
      followTasks(request.tasks, dependencies.sessions),
    ]);
    const at = new Date(moment).toISOString();
    const merged = mergeSignals(hooks, [...guards, ...followed.guards], at);
    return {
      turn_context: { session_id, turn_index, hook_signals: merged.hook_signals },
      hooks: [...hooks, ...kept(dependencies.root, request, merged.unknown)],
      tasks: followed.tasks,
      unknown_signals: merged.unknown,
    };
  });
}

/** What cannot be written is still in the session, and stops nothing. */
function kept(root: string, { scope, session_id }: AskPromptRequest, unknown: AskPromptAnswer['unknown_signals']) {
  try {
    keepSignals(root, scope, session_id, unknown);
    return [];
  } catch (error) {
    const reason = `unknown signals were not written: ${error instanceof Error ? error.message : String(error)}`;
    return [failedAnswer('*', { phase: 'PromptSubmit', path: '' }, reason)];
  }
}

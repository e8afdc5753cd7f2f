import { Context } from '@temporalio/activity';
import type { AskPromptAnswer, AskPromptRequest } from '../../contracts/session.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import { failedAnswer } from '../../rules/hook-facts.js';
import { mergeSignals } from '../../rules/merge-signals.js';
import { beginAttempt } from '../attempt.js';
import { toFailure } from '../failures.js';
import type { HookDependencies } from '../hooks/run-hooks.js';
import type { PlanSource } from '../plan-source.js';
import { admitSession } from './admit-session.js';
import { askEvent } from './ask-event.js';
import { followTasks } from './follow-tasks.js';
import { keepSignals } from './keep-signals.js';
import type { SessionAccess } from './session-access.js';

/** What the activities of sessions need of their worker. */
export interface SessionDependencies extends HookDependencies {
  /** Absolute path of the project. */
  root: string;
  project: string;
  plans: PlanSource;
  sessions: SessionAccess;
}

/** Hooks have their own time-outs; this is only for all hooks of an event together. */
const EVENT_MS = 5 * 60_000;

/**
 * Runs the hooks of a prompt, looks what the guards of the session's tasks said since the last one, and makes the turn
 * context of both. Source: R-002-24, R-002-36 to R-002-40, R-002-47.
 */
export function createAskPrompt(
  dependencies: SessionDependencies,
): (request: AskPromptRequest) => Promise<AskPromptAnswer> {
  const loader = new RegistryLoader(dependencies.root);
  return async (request) => {
    const context = Context.current();
    await admitSession(request, context.info, dependencies).catch((error: unknown) => {
      throw toFailure(error);
    });
    const attempt = beginAttempt(context, EVENT_MS, false);
    try {
      const { prompt, turn_index, scope, session_id, moment, guards } = request;
      const event = { phase: 'PromptSubmit', payload: { prompt, turn_index, scope }, moment } as const;
      const [hooks, followed] = await Promise.all([
        askEvent(event, request, loader, dependencies, attempt.stop),
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
    } finally {
      attempt.end();
    }
  };
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

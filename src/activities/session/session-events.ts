import { Context } from '@temporalio/activity';
import type { HookAnswer, SessionPhase } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import type {
  AskPromptAnswer,
  AskPromptRequest,
  AskStartRequest,
  EndSessionAnswer,
  EndSessionRequest,
  SessionSurroundings,
} from '../../contracts/session.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import { failedAnswer } from '../../rules/hooks/hook-facts.js';
import { mergeSignals } from '../../rules/sessions/merge-signals.js';
import { beginAttempt, whileBeating } from '../call/attempt.js';
import type { ActivityDependencies } from '../dependencies.js';
import { toFailure } from '../failures.js';
import type { HookDependencies } from '../hooks/hook-dependencies.js';
import { askEvent, isAnsweredAtOnce, type PlannedEvent, planEvent } from './ask-event.js';
import { followTasks } from './follow-tasks.js';
import { whyNotKept } from './keep-signals.js';
import { admitSession } from './own-session.js';

type SessionDependencies = HookDependencies & Pick<ActivityDependencies, 'root' | 'project' | 'plans' | 'sessions'>;

/** Limit for all hooks of an event together, besides the time-outs of each hook. */
const EVENT_MS = 5 * 60_000;

interface EventActivities<Request, Answer> {
  ask: (request: Request) => Promise<Answer>;
  /** As a local activity: answers if that needs no process and no request; null: use {@link ask}. */
  askLocal: (request: Request) => Promise<Answer | null>;
}

/** Creates both forms of the activity; only a session of the project may request it. */
function eventActivities<Request extends SessionSurroundings, Answer>(
  phase: SessionPhase,
  dependencies: SessionDependencies,
  answer: (request: Request, planned: PlannedEvent, signal: AbortSignal) => Promise<Answer>,
): EventActivities<Request, Answer> {
  const loader = new RegistryLoader(dependencies.root);
  const answerNow = async (
    context: Context,
    request: Request,
    isWanted: (planned: PlannedEvent) => boolean,
  ): Promise<Answer | null> => {
    await admitSession(request, context.info, dependencies).catch((error: unknown) => {
      throw toFailure(error);
    });
    const planned = planEvent(phase, request, loader);
    if (!isWanted(planned)) return null;
    const attempt = beginAttempt(context, EVENT_MS, false);
    try {
      return await answer(request, planned, attempt.stop);
    } finally {
      attempt.end();
    }
  };
  const asking = (request: Request, isWanted: (planned: PlannedEvent) => boolean): Promise<Answer | null> => {
    const context = Context.current();
    return whileBeating(context, () => answerNow(context, request, isWanted));
  };
  return {
    ask: (request) => asking(request, () => true) as Promise<Answer>,
    askLocal: (request) => asking(request, isAnsweredAtOnce),
  };
}

const DAY_MS = 24 * 60 * 60_000;

/** Runs the hooks at the start of a session; a denial or a failure refuses it. Source: decision 16. */
export function createAskStart(dependencies: SessionDependencies): EventActivities<AskStartRequest, HookAnswer[]> {
  return eventActivities('SessionStart', dependencies, (request: AskStartRequest, planned, signal) => {
    const { scope, session_id, user, moment } = request;
    const payload = async (isRead: (member: string) => boolean): Promise<JsonObject> => {
      if (!isRead('started_last_day')) return { scope };
      const started_last_day = await dependencies.sessions.countStarts(user.name, moment - DAY_MS, session_id);
      return { scope, started_last_day };
    };
    return askEvent(planned, { payload, moment }, request, dependencies, signal);
  });
}

/**
 * Runs the hooks of a prompt, collects the guard answers of the session's tasks since the last one, and makes the turn
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
    const lost = whyNotKept(dependencies.root, scope, session_id, merged.unknown);
    return {
      turn_context: { session_id, turn_index, hook_signals: merged.hook_signals },
      // Unwritten signals are still in the session, and stop nothing.
      hooks: lost === undefined ? hooks : [...hooks, failedAnswer('*', { phase: 'PromptSubmit', path: '' }, lost)],
      tasks: followed.tasks,
      unknown_signals: merged.unknown,
    };
  });
}

/** Runs the hooks at a session's end; their answers change nothing. Source: R-002-26, R-002-48. */
export function createEndSession(dependencies: SessionDependencies) {
  const answer = async (
    request: EndSessionRequest,
    planned: PlannedEvent,
    signal: AbortSignal,
  ): Promise<EndSessionAnswer> => {
    const { reason, turns, moment } = request;
    const { tasks } = await followTasks(request.tasks, dependencies.sessions);
    const listed = tasks.map(({ task_key, ability_id, status }): JsonObject => ({ task_key, ability_id, status }));
    const payload = () => ({ reason, turns, tasks: listed });
    return { tasks, hooks: await askEvent(planned, { payload, moment }, request, dependencies, signal) };
  };
  return eventActivities('SessionStop', dependencies, answer).ask;
}

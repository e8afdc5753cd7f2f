import { Context } from '@temporalio/activity';
import type { SessionPhase } from '../../contracts/hooks.js';
import type { SessionSurroundings } from '../../contracts/session.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import { beginAttempt } from '../attempt.js';
import { toFailure } from '../failures.js';
import type { HookDependencies } from '../hooks/hook-dependencies.js';
import type { PlanSource } from '../plan-source.js';
import { admitSession } from './admit-session.js';
import { isAnsweredAtOnce, type PlannedEvent, planEvent } from './ask-event.js';
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

/** An activity that answers for the hooks of an event of a session. */
export interface EventActivities<Request, Answer> {
  ask: (request: Request) => Promise<Answer>;
  /** Answers where nothing has to be started for it, as a local activity; else null, and {@link ask} has to. */
  askAtOnce: (request: Request) => Promise<Answer | null>;
}

/** Both forms of what asks the hooks of an event: only a session of the project may have them asked. */
export function eventActivities<Request extends SessionSurroundings, Answer>(
  phase: SessionPhase,
  dependencies: SessionDependencies,
  answer: (request: Request, planned: PlannedEvent, signal: AbortSignal) => Promise<Answer>,
): EventActivities<Request, Answer> {
  const loader = new RegistryLoader(dependencies.root);
  const asking = async (request: Request, isWanted: (planned: PlannedEvent) => boolean): Promise<Answer | null> => {
    const context = Context.current();
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
  return {
    ask: (request) => asking(request, () => true) as Promise<Answer>,
    askAtOnce: (request) => asking(request, isAnsweredAtOnce),
  };
}

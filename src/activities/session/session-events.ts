import { Context } from '@temporalio/activity';
import type { HookAnswer, SessionPhase } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import type { PlanEnvironment, PlanHook } from '../../contracts/plan.js';
import { reasonOf } from '../../contracts/problem.js';
import type {
  AbilityGuard,
  AskPromptAnswer,
  AskPromptRequest,
  AskStartRequest,
  EndSessionAnswer,
  EndSessionRequest,
  SessionSurroundings,
  SessionTask,
} from '../../contracts/session.js';
import { ATTRIBUTES, OWN_SPANS } from '../../contracts/traces.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import { resolveEventHooks } from '../../planning/hooks/resolve-event-hooks.js';
import { resolveEnvironment } from '../../planning/resolve/resolve-environment.js';
import { failedAnswer, needsActivity } from '../../rules/hooks/handlers.js';
import { guardsIn, mergeSignals } from '../../rules/sessions/merge-signals.js';
import { readsPayload } from '../../rules/sessions/session-reads.js';
import { inOwnTrace } from '../../tracing/current-span.js';
import { beginAttempt, whileBeating } from '../call/attempt.js';
import type { ActivityDependencies } from '../dependencies.js';
import { toFailure } from '../failures.js';
import type { HookDependencies } from '../hooks/hook-dependencies.js';
import { runHooks } from '../hooks/run-hooks.js';
import { whyNotKept } from './keep-signals.js';
import { admitSession } from './own-session.js';
import type { SeenTask, SessionAccess } from './session-access.js';

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

/** The currently defined hooks of a session event. */
type PlannedEvent = { phase: SessionPhase } & (
  | { hooks: readonly PlanHook[]; environment: Pick<PlanEnvironment, 'name' | 'protected' | 'vars'> }
  | { failure: HookAnswer }
);

interface SessionEvent {
  /** @param isRead whether a hook reads this member; any other may be absent. */
  payload: (isRead: (member: string) => boolean) => JsonObject | Promise<JsonObject>;
  /** Milliseconds since 1970. */
  moment: number;
}

/** Reads the hooks of an event; unreadable definitions are a failed hook. Source: C-08; R-002-16. */
function planEvent(
  phase: SessionPhase,
  { scope, environment }: SessionSurroundings,
  loader: RegistryLoader,
): PlannedEvent {
  try {
    const registry = loader.load();
    const hooks = resolveEventHooks(registry, phase, { environment, modules: [scope] });
    // An event that can be blocked runs only the hooks that may block it. Source: R-002-24.
    const bound = phase === 'SessionStop' ? hooks : hooks.filter(({ blocking }) => blocking !== false);
    return { phase, hooks: bound, environment: resolveEnvironment(registry, environment) };
  } catch (error) {
    return { phase, failure: failedAnswer('*', { phase, path: '' }, reasonOf(error)) };
  }
}

/** Whether the answer needs no process and no request, so that it takes almost no time. */
function isAnsweredAtOnce(event: PlannedEvent): boolean {
  return 'failure' in event || !event.hooks.some(needsActivity);
}

/** Runs the hooks of an event. Never throws because of them. Source: R-002-24, R-002-27. */
async function askEvent(
  planned: PlannedEvent,
  { payload, moment }: SessionEvent,
  { session_id: session, scope: module, user }: SessionSurroundings,
  dependencies: HookDependencies,
  signal: AbortSignal,
): Promise<HookAnswer[]> {
  if ('failure' in planned) return [planned.failure];
  const { phase, hooks, environment } = planned;
  if (hooks.length === 0) return [];
  try {
    const isRead = (member: string): boolean => hooks.some(({ handler }) => readsPayload(handler, member));
    const about = { session, environment, module };
    const around = { path: '', moment, hooks, user, caller: undefined, signal, logs: undefined, ...about };
    const attributes = { [ATTRIBUTES.conversation]: session, [ATTRIBUTES.hookPhase]: phase };
    const span = { name: `${OWN_SPANS.event} ${phase}`, attributes };
    return await inOwnTrace(dependencies.tracer, span, async () =>
      runHooks(phase, { ...around, payload: await payload(isRead) }, { blockingOnly: false }, dependencies),
    );
  } catch (error) {
    return [failedAnswer('*', { phase, path: '' }, reasonOf(error))];
  }
}

/** Number of tasks queried at once. */
const AT_ONCE = 20;
/** Maximum number of followed tasks that one task of the session calls; a loop may call thousands. */
const MAX_CALLED = 100;
/** Position for a called task that can no longer change. */
const SETTLED = -1;

interface Followed {
  tasks: SessionTask[];
  guards: AbilityGuard[];
}

/** Reads the state of a session's tasks and those they call; an unreadable one keeps its last state. */
export async function followTasks(tasks: readonly SessionTask[], { readTask }: SessionAccess): Promise<Followed> {
  const followed: Followed = { tasks: [], guards: [] };
  for (let from = 0; from < tasks.length; from += AT_ONCE) {
    const some = tasks.slice(from, from + AT_ONCE);
    const seen = await Promise.all(some.map((task) => (task.settled ? null : readTask(task.task_key))));
    for (const [index, task] of some.entries()) {
      const found = seen[index];
      if (!found) {
        followed.tasks.push(found === null ? task : { ...task, status: 'unavailable' });
        continue;
      }
      const below = await followCalled(task.called ?? {}, found.children, readTask);
      followed.tasks.push(withStatus(task, found, below.called));
      followed.guards.push(...newGuards(task.told, found), ...below.guards);
    }
  }
  return followed;
}

async function followCalled(
  known: Record<string, number>,
  children: readonly string[],
  readTask: SessionAccess['readTask'],
): Promise<{ called: Record<string, number>; guards: AbilityGuard[] }> {
  const called = new Map(Object.entries(known));
  const guards: AbilityGuard[] = [];
  let next = [...new Set([...called.keys(), ...children])];
  const looked = new Set<string>();
  while (next.length > 0) {
    const keys = next.filter((key) => called.get(key) !== SETTLED && !looked.has(key)).slice(0, AT_ONCE);
    if (keys.length === 0) break;
    const seen = await Promise.all(keys.map(readTask));
    for (const [index, key] of keys.entries()) {
      looked.add(key);
      const found = seen[index];
      const told = called.get(key) ?? 0;
      if (found) guards.push(...newGuards(told, found));
      if (found?.isOpen) called.set(key, Math.max(told, found.hooks.length));
      else called.set(key, found === null ? told : SETTLED);
      for (const child of found?.children ?? []) if (!called.has(child)) next.push(child);
    }
    next = next.filter((key) => !looked.has(key));
    if (looked.size >= MAX_CALLED) break;
  }
  return { called: Object.fromEntries(called), guards };
}

/** Settles a task once it and all tasks that it called have ended. */
function withStatus(
  { called: _, ...task }: SessionTask,
  { status, isOpen, hooks }: SeenTask,
  called: Record<string, number>,
): SessionTask {
  const isSettled = !isOpen && Object.values(called).every((told) => told === SETTLED);
  const told = Math.max(task.told, hooks.length);
  if (isSettled) return { ...task, status, told, settled: true };
  return { ...task, status, told, ...(Object.keys(called).length > 0 && { called }) };
}

/** New answers only; those from before creation were already passed on. */
function newGuards(told: number, { ability, hooks, calls }: SeenTask): AbilityGuard[] {
  const fresh = hooks.slice(told).filter(({ phase }) => phase === 'PreAbilityCall');
  return guardsIn(fresh, ({ path }) => calls[path] ?? ability);
}

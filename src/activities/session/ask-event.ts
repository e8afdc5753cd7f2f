import type { HookAnswer, SessionPhase } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import type { PlanEnvironment, PlanHook } from '../../contracts/plan.js';
import { reasonOf } from '../../contracts/problem.js';
import type { SessionSurroundings } from '../../contracts/session.js';
import { ATTRIBUTES, OWN_SPANS } from '../../contracts/traces.js';
import type { RegistryLoader } from '../../definitions/load-registry.js';
import { resolveEventHooks } from '../../planning/hooks/resolve-event-hooks.js';
import { resolveEnvironment } from '../../planning/resolve/resolve-environment.js';
import { failedAnswer } from '../../rules/hooks/hook-facts.js';
import { readsPayload } from '../../rules/sessions/session-reads.js';
import { inOwnTrace } from '../../tracing/current-span.js';
import type { HookDependencies } from '../hooks/hook-dependencies.js';
import { runHooks } from '../hooks/run-hooks.js';

/** The currently defined hooks of a session event. */
export type PlannedEvent = { phase: SessionPhase } & (
  | { hooks: readonly PlanHook[]; environment: Pick<PlanEnvironment, 'name' | 'protected' | 'vars'> }
  | { failure: HookAnswer }
);

export interface SessionEvent {
  /** @param isRead whether a hook reads this member; any other may be absent. */
  payload: (isRead: (member: string) => boolean) => JsonObject | Promise<JsonObject>;
  /** Milliseconds since 1970. */
  moment: number;
}

/** Reads the hooks of an event; unreadable definitions are a failed hook. Source: C-08; R-002-16. */
export function planEvent(
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
export function isAnsweredAtOnce(event: PlannedEvent): boolean {
  return 'failure' in event || event.hooks.every(({ handler }) => handler.kind === 'expression');
}

/** Runs the hooks of an event. Never throws because of them. Source: R-002-24, R-002-27. */
export async function askEvent(
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

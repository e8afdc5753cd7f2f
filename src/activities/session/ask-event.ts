import type { HookAnswer } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import type { SessionSurroundings } from '../../contracts/session.js';
import type { RegistryLoader } from '../../definitions/load-registry.js';
import { resolveEnvironment } from '../../planning/resolve-environment.js';
import { resolveEventHooks } from '../../planning/resolve-event-hooks.js';
import { failedAnswer } from '../../rules/hook-facts.js';
import { type HookDependencies, runHooks } from '../hooks/run-hooks.js';

/** An event of a session. */
export interface SessionEvent {
  phase: 'PromptSubmit' | 'SessionStop';
  payload: JsonObject;
  /** Milliseconds since 1970. */
  moment: number;
}

/**
 * Asks the hooks of an event of a session, as they are defined now.
 *
 * Definitions that cannot be read are a hook that failed, which stops nothing here. Source: C-08; R-002-16, R-002-24, R-002-27.
 */
export async function askEvent(
  { phase, payload, moment }: SessionEvent,
  { session_id, scope, environment, user }: SessionSurroundings,
  loader: RegistryLoader,
  dependencies: HookDependencies,
  signal: AbortSignal,
): Promise<HookAnswer[]> {
  try {
    const registry = loader.load();
    const hooks = resolveEventHooks(registry, phase, { environment, modules: [scope] });
    return await runHooks(
      phase,
      {
        path: '',
        moment,
        hooks,
        user,
        signal,
        logs: undefined,
        session: session_id,
        payload,
        environment: resolveEnvironment(registry, environment),
        module: scope,
      },
      { blockingOnly: phase === 'PromptSubmit' },
      dependencies,
    );
  } catch (error) {
    return [failedAnswer('*', { phase, path: '' }, error instanceof Error ? error.message : String(error))];
  }
}

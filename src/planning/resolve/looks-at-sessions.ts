import type { Registry } from '../../definitions/registry.js';
import { readsSession } from '../../rules/session-reads.js';

/** By registry, which is one look at the files and never changes. */
const known = new WeakMap<Registry, boolean>();

/**
 * Whether some guard before calls looks at what a session did. Then all calls in sessions are entered there: a limit may
 * be about other abilities than that of its guard.
 */
export function looksAtSessions(registry: Registry): boolean {
  const before = known.get(registry);
  if (before !== undefined) return before;
  const found = (registry.hooks.get('PreAbilityCall') ?? []).some(({ value: { enabled, handler } }) => {
    if (!enabled || !('expression' in handler)) return false;
    const { deny_if, confirm_if, warn_if } = handler.expression;
    return [deny_if, confirm_if, warn_if].some((condition) => condition !== undefined && reads(condition));
  });
  known.set(registry, found);
  return found;
}

/** One that cannot be read is refused where its hook is planned. */
function reads(condition: string): boolean {
  try {
    return readsSession(condition);
  } catch {
    return false;
  }
}

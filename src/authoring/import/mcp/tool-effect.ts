import type { Effect } from '../../../contracts/effects.js';
import { isJsonObject } from '../../../contracts/json.js';

/** The annotations that say what a tool changes. */
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/**
 * What a tool changes by its annotations, with the MCP specification's defaults for what they do not say.
 *
 * `isStated`: whether the server says anything of it. Source: docs/imports.md#an-mcp-server.
 */
export function effectOfTool(annotations: unknown): { effect: Effect; isStated: boolean } {
  const stated = isJsonObject(annotations) ? annotations : {};
  const hint = (name: (typeof HINTS)[number], otherwise: boolean): boolean => {
    const value = stated[name];
    return typeof value === 'boolean' ? value : otherwise;
  };
  const isStated = HINTS.some((name) => typeof stated[name] === 'boolean');
  if (hint('readOnlyHint', false)) return { effect: hint('openWorldHint', true) ? 'external_read' : 'read', isStated };
  if (hint('destructiveHint', true)) return { effect: 'destructive', isStated };
  return { effect: hint('idempotentHint', false) ? 'write_idempotent' : 'write_additive', isStated };
}

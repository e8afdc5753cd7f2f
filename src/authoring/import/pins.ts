import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { differencesOf, type FilePlan } from './plan-file.js';

/** What a definition pins, as 64 hex digits; undefined: nothing. */
export function pinOf(definition: JsonObject | undefined): string | undefined {
  const pinned = inside(inside(inside(definition, 'implementation'), 'mcp'), 'pinned');
  return typeof pinned === 'string' ? pinned.replace(/^sha256:/, '') : undefined;
}

/**
 * Says of a change that only a digest tells of what it is.
 *
 * @param before what was pinned, and what is pinned now.
 */
export function showPin(plan: FilePlan, before: JsonObject | undefined, after: JsonObject | undefined): FilePlan {
  const { change } = plan;
  const isOnlyPin = change.differences.every(({ at }) => at === 'implementation.mcp.pinned');
  if (change.status !== 'changed' || !isOnlyPin || !before || !after) return plan;
  const shown = differencesOf(before, after).map(({ at, ...values }) => ({ at: `tool.${at}`, ...values }));
  return { ...plan, change: { ...change, differences: [...change.differences, ...shown] } };
}

function inside(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

import { isRepeatable } from '../../contracts/effects.js';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import type { PlanLimits, PlanOperation, PlanUnknown } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import { formatDuration } from '../duration.js';

/** Time limit of an approval requested by a hook or an environment. */
export const GUARD_APPROVAL_MS = 24 * 60 * 60 * 1000;

/** Default working time of a step. */
const STEP_MS = 60_000;

/** Default retries of a call. */
export const RETRY = { attempts: 3, firstMs: 1000, factor: 2, maxMs: 30_000 } as const;

/** Milliseconds until the other side of a failed call wants to be asked again; undefined: it did not say. */
export function waitAskedFor({ details }: Problem, now: number): number | undefined {
  const { retry_at: at } = (details ?? {}) as { retry_at?: unknown };
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

/** As written, else one if a second could do harm. */
export function attemptsOf({ effects }: Pick<PlanOperation, 'effects'>, written: number | undefined): number {
  return written ?? (isRepeatable(effects) ? RETRY.attempts : 1);
}

/** Milliseconds for all attempts of a call together. @param timeoutMs the step's own `timeout`. */
export function stepLimit(
  { max_ms: max }: PlanLimits,
  { implementation }: Pick<PlanOperation, 'implementation'>,
  timeoutMs: number | undefined,
): number {
  const wanted = timeoutMs ?? Math.max(STEP_MS, implementation.timeout_ms);
  return max === null ? wanted : Math.min(wanted, max);
}

/**
 * The given values over the implementation's parameters and the schema's `default`s: guards and approvals must see
 * actual values. Hidden members stay hidden. Source: R-000-46.
 */
export function callInput({ input_schema, implementation }: PlanOperation, given: JsonObject): JsonObject {
  const defaults = { ...schemaDefaults(input_schema), ...implementation.defaults };
  const missing = Object.entries(defaults).filter(([name]) => !Object.hasOwn(given, name));
  if (missing.length === 0) return given;
  return Object.defineProperties(Object.fromEntries(missing), Object.getOwnPropertyDescriptors(given));
}

/** Top-level defaults only: deeper ones belong to values that are given. */
function schemaDefaults({ properties }: JsonObject): JsonObject {
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      isJsonObject(schema) && schema.default !== undefined ? [[name, schema.default]] : [],
    ),
  );
}

/** Whom a call asks if its outcome is lost, for people. */
export function describeUnknown({
  call,
  attempts,
  wait_ms,
}: Pick<PlanUnknown, 'call' | 'attempts' | 'wait_ms'>): string {
  const times = attempts === 1 ? 'once' : `up to ${attempts} times`;
  return `if its outcome is lost: asks ${call} ${times}, after ${formatDuration(wait_ms)} each`;
}
